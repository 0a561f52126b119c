use super::backends::MODEL;
use super::*;
use sovereign_backends::ollama::OLLAMA_BASE_URL;
use sovereign_backends::openai::Quirks;
use sovereign_backends::{ClaudeConfig, KeyFile, OllamaConfig, OpenAiConfig};

fn flags() -> ModelFlags {
    ModelFlags { ollama_url: None, model: None, no_model: false }
}

fn data() -> DataDir {
    DataDir::at("/d".into())
}

pub(super) fn of(text: &str) -> Result<Config, String> {
    let source = Source { path: Path::new("c.toml"), text };
    Config::of(&source, &data(), &flags()).map_err(|error| error.to_string())
}

#[test]
fn empty_file_means_the_defaults() {
    let config = of("").unwrap();
    assert_eq!(config.limits, TurnLimits::default());
    let ollama = config.backends.ollama.unwrap();
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
    assert_eq!(config.backends.ollama, Some(wanted));
}

#[test]
fn how_much_a_model_holds_can_be_said_of_each_server() {
    let text = r#"
        [[openai]]
        base_url = "http://127.0.0.1:1/v1"
        model = "m"
        window = 2048
        [claude]
        window = 32768
    "#;
    let windows = |text: &str| {
        let Backends { openai, claude, .. } = of(text).unwrap().backends;
        (openai.iter().map(|leg| leg.window).collect::<Vec<_>>(), claude.unwrap().window)
    };
    assert_eq!(windows(text), (vec![Some(2_048)], Some(32_768)));
    assert_eq!(windows(&text.replace("window", "#")), (vec![None], Some(200_000)));
    assert_eq!(windows("[claude]\nbase_url = \"http://127.0.0.1:1/v1\"").1, None);
}

#[test]
fn flags_win_over_the_file() {
    let text = "[ollama]\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"a\"";
    let source = Source { path: Path::new("c.toml"), text };
    let ollama_url = Some("http://127.0.0.1:2".parse().unwrap());
    let flags = ModelFlags { ollama_url, model: Some("b".to_owned()), no_model: false };
    let ollama = Config::of(&source, &data(), &flags).unwrap().backends.ollama.unwrap();
    assert_eq!((ollama.base_url.to_string().as_str(), &*ollama.model), ("http://127.0.0.1:2", "b"));
    let flags = ModelFlags { ollama_url: None, model: None, no_model: true };
    assert_eq!(Config::of(&source, &data(), &flags).unwrap().backends, Backends::default());
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
        ("[history]\nturns = 51", 2, "51 is not from 1 to 50"),
        ("[history]\ndays = 0", 2, "0 is not from 1 to 90"),
        ("[history]\nkibibytes = 64", 2, "64 is not from 128 to 256"),
        ("[[openai]]\nmodel = \"m\"", 1, "missing field `base_url`"),
        ("[[openai]]\nbase_url = \"x\"\nmodel = \"m\"", 2, "not a URL"),
        (
            "[[openai]]\nbase_url = \"http://127.0.0.1/v1\"\nmodel = \"m\"\nserver = \"vllm\"",
            4,
            "unknown variant `vllm`",
        ),
        (
            "[[openai]]\nbase_url = \"http://10.0.0.2/v1\"\nmodel = \"m\"\nkey = \"k\"",
            2,
            "a key leaves this device over `https` only",
        ),
        ("[claude]\nmax_tokens = 15", 2, "15 is not from 16"),
        ("[claude]\nwindow = 2047", 2, "2047 is not from 2048 to 2097152"),
        ("[claude]\nmodel = \"\"", 2, "a model has a name"),
        ("[claude]\napi_key = \"k\"", 2, "unknown field `api_key`"),
    ] {
        let error = of(text).unwrap_err();
        assert!(error.starts_with(&format!("`c.toml`, line {line}: ")), "{text:?}: {error}");
        assert!(error.contains(word), "{text:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

/// A key that was pasted where its name belongs must not end up in an error.
#[test]
fn key_in_the_configuration_is_refused_and_not_repeated() {
    let pasted = "sk-ant-API03_abcdef";
    for text in [
        format!("[claude]\nkey = \"{pasted}\""),
        format!(
            "[[openai]]\nbase_url = \"https://a.example/v1\"\nmodel = \"m\"\nkey = \"{pasted}\""
        ),
    ] {
        let error = of(&text).unwrap_err();
        assert!(error.contains("a key has a name") && !error.contains("API03"), "{error}");
    }
}

#[test]
fn a_link_of_the_node_is_nobodys_key() {
    for name in crate::data_dir::OWN_SECRETS {
        for table in ["[claude]", "[[openai]]\nbase_url = \"https://a.example/v1\"\nmodel = \"m\""]
        {
            let error = of(&format!("{table}\nkey = \"{name}\"")).unwrap_err();
            assert!(error.contains("a link of its own"), "{error}");
        }
    }
}

#[test]
fn servers_keep_their_order_and_take_their_keys_from_the_data_directory() {
    let text = r#"
        [[openai]]
        base_url = "https://a.example/v1"
        model = "large"
        key = "a"
        max_tokens = 100
        reply_seconds = 7
        [[openai]]
        base_url = "http://127.0.0.1:8080/v1"
        model = "small"
        server = "llama_cpp_python"
        probe_seconds = 2
        [claude]
        model = "c"
        [history]
        turns = 3
        days = 4
        kibibytes = 128
    "#;
    let config = of(text).unwrap();
    let url = |text: &str| text.parse::<sovereign_backends::BaseUrl>().unwrap();
    let large = OpenAiConfig {
        key: Some(KeyFile::new("/d", "a")),
        max_tokens: 100,
        reply_timeout: Duration::from_secs(7),
        ..OpenAiConfig::new(url("https://a.example/v1"), "large")
    };
    let small = OpenAiConfig {
        quirks: Quirks::LLAMA_CPP_PYTHON,
        probe_timeout: Duration::from_secs(2),
        ..OpenAiConfig::new(url("http://127.0.0.1:8080/v1"), "small")
    };
    assert_eq!(config.backends.openai, [large, small]);
    let claude = ClaudeConfig { model: "c".to_owned(), ..ClaudeConfig::in_data_dir("/d").unwrap() };
    assert_eq!(config.backends.claude, Some(claude));
    assert!(!config.backends.claude_by_key);
    let wanted = Retention::default().turns(3).age(Duration::from_secs(4 * DAY)).bytes(128 << 10);
    assert_eq!(config.retention, wanted);
}

#[test]
fn anthropics_key_is_for_anthropic_alone() {
    let usual = ClaudeConfig::in_data_dir("/d").unwrap();
    let config = of("").unwrap();
    assert_eq!((config.backends.claude, config.backends.claude_by_key), (Some(usual), true));
    let key = |text: &str| of(text).unwrap().backends.claude.unwrap().key;
    assert_eq!(key("[claude]\nbase_url = \"https://proxy.example/v1\""), None);
    let named = key("[claude]\nbase_url = \"https://proxy.example/v1\"\nkey = \"proxy\"");
    assert_eq!(named, Some(KeyFile::new("/d", "proxy")));
    assert_eq!(key("[claude]\nkey = \"mine\""), Some(KeyFile::new("/d", "mine")));
}

#[test]
fn backend_that_is_turned_off_is_not_there() {
    let backends = of("[ollama]\nenabled = false\n[claude]\nenabled = false").unwrap().backends;
    assert_eq!((backends.ollama, backends.claude), (None, None));
    let source =
        Source { path: Path::new("c.toml"), text: "[ollama]\nenabled = false\nmodel = \"a\"" };
    let flags = ModelFlags { model: Some("b".to_owned()), ..flags() };
    let named = Config::of(&source, &data(), &flags).unwrap().backends.ollama.unwrap();
    assert_eq!(named.model, "b", "who names it on the command line wants it");
}

#[test]
fn confinement_is_off_unless_written_and_never_less_than_what_is_written() {
    let read = |text: &str, is_built| {
        let source = Source { path: Path::new("c.toml"), text };
        let file: File = toml::from_str(text).unwrap();
        local(&source, &file.confinement, is_built).map_err(|error| error.to_string())
    };
    let written = "[confinement]\nlocal = \"seccomp\"";
    assert_eq!(read("", true), Ok(Local::Off));
    assert_eq!(read("[confinement]\nlocal = \"off\"", false), Ok(Local::Off));
    assert_eq!(read(written, true), Ok(Local::Seccomp));
    let error = read(written, false).unwrap_err();
    assert!(error.starts_with("`c.toml`, line 2: this program was built without"), "{error}");
    assert!(error.contains("--features seccomp"), "{error}");
}

#[test]
fn nothing_is_paid_unless_it_is_written_and_says_what_pays() {
    let paid = |text: &str| of(text).map(|config| config.backends.routstr);
    assert_eq!(paid(""), Ok(None));
    assert_eq!(paid("[routstr]\nenabled = false\nmodel = \"m\"\npurse = true"), Ok(None));
    let by_purse = paid("[routstr]\nmodel = \"m\"\npurse = true\nmax_sats_per_turn = 7").unwrap();
    let by_purse = by_purse.unwrap();
    assert_eq!((by_purse.pay.clone(), by_purse.key()), (Pay::Purse, None));
    let directory = PathBuf::from("/d");
    let key = KeyFile::new(directory, "r");
    let by_key = paid("[routstr]\nmodel = \"m\"\nkey = \"r\"").unwrap().unwrap();
    assert_eq!(by_key.key(), Some(&key));
    let config = |paid: Paid| paid.by(sovereign_backends::routstr::Payment::Key(key.clone()));
    assert_eq!(config(by_purse).max_msat_per_turn, 7_000);
    assert_eq!(config(by_key).max_msat_per_turn, 100_000);
    for (text, part) in [
        ("[routstr]\nmodel = \"m\"", "by one of them"),
        ("[routstr]\nmodel = \"m\"\nkey = \"r\"\npurse = true", "by one of them"),
        ("[routstr]\npurse = true", "missing field `model`"),
        (
            "[routstr]\nmodel = \"m\"\npurse = true\nmax_sats_per_turn = 0",
            "line 4: 0 is not from 1",
        ),
        (
            "[routstr]\nmodel = \"m\"\npurse = true\nbase_url = \"http://a.example/v1\"",
            "line 4: money leaves this device over `https` only",
        ),
    ] {
        let error = paid(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}
