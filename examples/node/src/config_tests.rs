use super::*;

fn flags() -> ModelFlags {
    ModelFlags { ollama_url: None, model: None, no_model: false }
}

fn of(text: &str) -> Result<Config, String> {
    let source = Source { path: Path::new("c.toml"), text };
    Config::of(&source, &flags()).map_err(|error| error.to_string())
}

#[test]
fn empty_file_means_the_defaults() {
    let config = of("").unwrap();
    assert_eq!(config.limits, TurnLimits::default());
    let ollama = config.ollama.unwrap();
    assert_eq!((ollama.base_url.to_string().as_str(), &*ollama.model), (OLLAMA_BASE_URL, MODEL));
}

#[test]
fn every_key_is_read() {
    let text = r#"
        [ollama]
        base_url = "http://127.0.0.1:1234"
        model = "m"
        num_ctx = 2048
        num_predict = 99
        keep_alive_seconds = 7
        load_seconds = 8
        probe_seconds = 9
        [limits]
        rounds = 2
        proposals = 3
        turn_seconds = 4
    "#;
    let config = of(text).unwrap();
    let limits = config.limits;
    assert_eq!((limits.max_rounds(), limits.max_proposals()), (2, 3));
    assert_eq!(limits.max_time(), Duration::from_secs(4));
    let wanted = OllamaConfig {
        num_ctx: 2048,
        num_predict: 99,
        keep_alive: Duration::from_secs(7),
        load_timeout: Duration::from_secs(8),
        probe_timeout: Duration::from_secs(9),
        ..OllamaConfig::new("http://127.0.0.1:1234".parse().unwrap(), "m")
    };
    assert_eq!(config.ollama, Some(wanted));
}

#[test]
fn flags_win_over_the_file() {
    let text = "[ollama]\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"a\"";
    let source = Source { path: Path::new("c.toml"), text };
    let ollama_url = Some("http://127.0.0.1:2".parse().unwrap());
    let flags = ModelFlags { ollama_url, model: Some("b".to_owned()), no_model: false };
    let ollama = Config::of(&source, &flags).unwrap().ollama.unwrap();
    assert_eq!((ollama.base_url.to_string().as_str(), &*ollama.model), ("http://127.0.0.1:2", "b"));
    let flags = ModelFlags { ollama_url: None, model: None, no_model: true };
    assert!(Config::of(&source, &flags).unwrap().ollama.is_none());
}

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    for (text, line, word) in [
        ("[limits]\nround = 2", 2, "unknown field `round`"),
        ("\n[olama]", 2, "unknown field `olama`"),
        ("[limits]\n\nrounds = 9", 3, "9 is not from 1 to 8"),
        ("[limits]\nrounds = \"8\"", 2, "invalid type: string"),
        ("[limits]\nrounds = true", 2, "invalid type: boolean"),
        ("[limits]\nproposals = 13", 2, "13 is not from 0 to 12"),
        ("[limits]\nturn_seconds = 0", 2, "0 is not from 1 to 150"),
        ("[ollama]\nbase_url = \"ftp://x\"", 2, "http://"),
        ("[ollama]\nbase_url = \"http://u:p@127.0.0.1\"", 2, "user name or password"),
        ("[ollama]\nmodel = \" \"", 2, "a model has a name"),
        ("[ollama]\nnum_ctx = 1", 2, "1 is not from 512"),
        ("[limits]\nrounds = 1\nrounds = 2", 3, "duplicate key"),
        ("[limits", 1, ""),
    ] {
        let error = of(text).unwrap_err();
        assert!(error.starts_with(&format!("`c.toml`, line {line}: ")), "{text:?}: {error}");
        assert!(error.contains(word), "{text:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
