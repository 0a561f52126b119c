//! `backends`: which legs there are, in which order, and what to do about those that are not ready.
use super::home::Home;
use super::model::{Model, says};
use super::terminal::Terminal;
use serde_json::Value;
use sovereign_tests::double::{Answer, Double, Received};

/// A port on which nothing listens.
const NOBODY: &str = "http://127.0.0.1:9";

fn listed(home: &Home) -> Vec<Value> {
    let json = home.run(["backends", "--json"]).succeeded().json();
    json.as_array().expect("an array").clone()
}

fn brief(legs: &[Value]) -> Vec<String> {
    let word = |leg: &Value, key: &str| leg[key].as_str().unwrap_or("-").to_owned();
    let one = |leg| ["id", "locality", "state"].map(|key| word(leg, key)).join(" ");
    legs.iter().map(one).collect()
}

#[test]
fn fresh_node_tells_for_each_leg_why_it_is_not_ready_and_what_to_do() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write("config.toml", &format!("[ollama]\nbase_url = \"{NOBODY}\"\n"));
    let legs = listed(&home);
    assert_eq!(
        brief(&legs),
        ["ollama local not_ready", "claude remote not_ready", "keyword local ready"]
    );
    assert!(legs[0]["reason"].as_str().unwrap().contains(NOBODY), "{legs:?}");
    assert_eq!(legs[1]["to_do"], "`sovereign-node keys set claude`");
    let shown = home.run(["backends"]).succeeded().stdout;
    for part in [
        "1  ollama (model qwen3:4b, on this device): not ready\n",
        "to do: start Ollama",
        "2  claude (model claude-haiku-4-5-20251001, not on this device): not ready\n",
        "3  keyword (no model, on this device): ready\n",
        "Models off this device: ask (",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// The operator who has no key is not told of it with every answer.
#[test]
fn leg_that_nobody_spoke_of_is_asked_only_once_its_key_is_there() {
    let home = Home::new();
    let skipped = || {
        let json = home.run(["ask", "--json", "how much space is left?"]).succeeded().json();
        let skipped = json["backend"]["skipped"].as_array().expect("skipped").clone();
        skipped.iter().map(|s| s["id"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(skipped(), ["ollama"]);
    home.write("config.toml", "[claude]\n");
    assert_eq!(skipped(), ["ollama", "claude"]);
}

#[test]
fn what_policy_says_of_models_elsewhere_is_part_of_the_answer() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write("config.toml", "[ollama]\nenabled = false\n");
    let secrets = home.data().join("secrets");
    std::fs::create_dir(&secrets).unwrap();
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&secrets, closed).unwrap();
    home.write("secrets/claude-api-key", "sk-ant-0");
    for (answer, state) in [("ask", "asks"), ("never", "off"), ("always", "ready")] {
        home.run(["policy", "remote", answer]).succeeded();
        let wanted = format!("claude remote {state}");
        assert_eq!(brief(&listed(&home)), [wanted.as_str(), "keyword local ready"]);
    }
}

#[test]
fn servers_are_asked_whether_they_are_ready_and_nothing_else() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    let model = Model::new(|_| says("never asked"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = |request: &Received| match request.path.as_str() {
        "/props" => Answer::json(200, r#"{"chat_template_caps": {"supports_tools": false}}"#),
        _ => Answer::json(404, "{}"),
    };
    let server = runtime.block_on(Double::start(answer));
    let [_, ollama, _, name] = model.flags();
    home.write(
        "config.toml",
        &format!(
            "[ollama]\nbase_url = \"{ollama}\"\nmodel = \"{name}\"\n\
             [[openai]]\nbase_url = \"{}/v1\"\nmodel = \"small\"\n\
             [[openai]]\nbase_url = \"https://no-such-host.invalid/v1\"\nmodel = \"far\"\n",
            server.url()
        ),
    );
    let legs = listed(&home);
    assert_eq!(
        brief(&legs),
        [
            "ollama local ready",
            "openai local not_ready",
            "openai remote not_ready",
            "claude remote not_ready",
            "keyword local ready",
        ]
    );
    assert!(legs[1]["reason"].as_str().unwrap().contains("has no tools"), "{legs:?}");
    assert!(legs[2]["reason"].as_str().unwrap().starts_with("there is no key for"), "{legs:?}");
    assert!(model.asked().is_empty());
    assert!(server.received().iter().all(|request| request.method == "GET"));
}

#[test]
fn looking_at_the_backends_goes_on_while_another_program_writes() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    let mut chat = super::home::talking(&home);
    home.run(["backends"]).succeeded();
    home.run(["history"]).succeeded();
    home.run(["keys", "list"]).succeeded();
    home.run(["doctor"]).succeeded();
    chat.ends();
}

/// What a conversation said to `lines`, with nobody at the address of Ollama.
fn talked(lines: &str) -> String {
    let home = Home::new();
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    std::io::Write::write_all(&mut writer, lines.as_bytes()).expect("a pipe that takes it");
    drop(writer);
    let mut chat = home.command(["chat", "--ollama-url", NOBODY]);
    super::home::finish(chat.stdin(std::process::Stdio::from(reader))).succeeded().stdout
}

#[test]
fn leg_that_was_silent_for_three_turns_is_left_alone_and_looking_at_it_says_so() {
    let ask = "how much space is left?\n";
    let said = talked(&format!("{}/backends\n", ask.repeat(3)));
    let listed = said.split_once("1  ollama ").expect("the list").1;
    assert!(listed.contains("it is not asked for another "), "{said}");
    let said = talked(&format!("{}/backends\n", ask.repeat(2)));
    assert!(!said.contains("it is not asked"), "{said}");
}

#[test]
fn looking_at_a_leg_counts_for_nothing() {
    let ask = "how much space is left?\n";
    let said = talked(&format!("{}{ask}/backends\n", "/backends\n".repeat(4)));
    assert!(said.contains("1  ollama ") && !said.contains("it is not asked"), "{said}");
}

/// A model elsewhere whose name no resolver knows: nothing can reach it, whatever is decided.
fn elsewhere() -> Home {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write(
        "config.toml",
        "[ollama]\nenabled = false\n[[openai]]\nbase_url = \"https://model.invalid/v1\"\n\
         model = \"far\"\nkey = \"far\"\n",
    );
    let secrets = home.data().join("secrets");
    std::fs::create_dir(&secrets).unwrap();
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&secrets, closed).unwrap();
    home.write("secrets/far", "sk-0123456789");
    home
}

#[test]
fn off_a_terminal_or_where_policy_says_never_a_model_elsewhere_is_not_asked() {
    let home = elsewhere();
    let reason = || {
        let ran = home.run(["ask", "--json", "how much space is left?"]).succeeded();
        ran.json()["backend"]["skipped"][0]["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(reason(), "nothing was sent: there is nobody here who could be asked for consent");
    home.run(["policy", "remote", "never"]).succeeded();
    assert_eq!(reason(), "nothing was sent: policy `inference.remote` says `never`");
    assert!(!home.read("audit/000001.jsonl").contains("remote_send"));
}

#[test]
fn at_a_terminal_the_person_is_asked_once_and_told_who_would_receive_it() {
    let home = elsewhere();
    let mut terminal = Terminal::start(&home, ["ask", "how much space is left?"]);
    let shown = terminal.shows("Type `yes`");
    for part in ["model.invalid", "far"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("0123456789"), "{shown}");
    terminal.types("no\n");
    terminal.shows("Denied.");
    let (status, screen) = terminal.ends();
    assert_eq!(status, 0, "{screen}");
    assert!(screen.contains("nothing was sent: the person said no"), "{screen}");
    assert!(screen.contains("Answered by keyword"), "{screen}");
    assert_eq!(screen.matches("Type `yes`").count(), 1, "{screen}");
    assert!(!home.read("audit/000001.jsonl").contains("remote_send"));
}
