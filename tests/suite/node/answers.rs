//! `ask` and `tools`: figures, backends, receipts, exit statuses.
use super::home::{Home, Ran, finish};
use super::model::{Model, once, outcome, proposes, says};
use serde_json::{Value, json};
use std::path::Path;

const QUESTION: &str = "how much space is left?";

/// Other programs use the disk as well, while the tests run.
const SLACK: u64 = 256 << 20;

fn available(path: &Path) -> u64 {
    let stat = rustix::fs::statvfs(path).expect("statvfs");
    stat.f_bavail * stat.f_frsize
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Asks, and checks that the figure is the one `df` gives.
fn asked(home: &Home, ask: impl FnOnce() -> Ran, figure: impl FnOnce(&Ran) -> u64) -> Ran {
    let before = available(home.root());
    let ran = ask();
    let (figure, after) = (figure(&ran), available(home.root()));
    let (low, high) = (before.min(after), before.max(after));
    assert!(
        low.saturating_sub(SLACK) <= figure && figure <= high + SLACK,
        "{before} {after} {ran:?}"
    );
    ran
}

/// The number behind `key` in a text with JSON in it.
fn number(text: &str, key: &str) -> u64 {
    let rest = text.split_once(&format!("\"{key}\":")).expect("the key").1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn question_is_answered_without_a_model_with_the_figure_the_system_gives() {
    let home = Home::new();
    let figure = |ran: &Ran| number(&ran.stdout, "available_bytes");
    let ran = asked(&home, || home.run(["ask", QUESTION]), figure).succeeded();
    let bytes = number(&ran.stdout, "available_bytes").to_string();
    let (words, rest) = ran.stdout.split_once("\nAnswered by ").expect("who answered");
    assert!(words.contains(&bytes), "{ran:?}");
    assert!(words.contains("No language model was used"), "{ran:?}");
    assert!(rest.starts_with("keyword (no model, on this device)\n"), "{ran:?}");
    assert!(rest.contains("ollama was skipped: nothing answers at "), "{ran:?}");
    let receipt = rest.lines().find(|l| l.contains("system.disk_status@1: executed [i")).unwrap();
    assert!(home.read("audit/000001.jsonl").contains(receipt.rsplit(['[', ']']).nth(1).unwrap()));
    assert_eq!(ran.stderr, "");
}

#[test]
fn json_is_one_object_of_the_agreed_shape_and_nothing_else() {
    let home = Home::new();
    let ran = home.run(["ask", "--json", QUESTION]).succeeded();
    let json = ran.json();
    assert_eq!(ran.stdout.lines().count(), 1);
    let all = ["backend", "citations", "limits", "pending", "receipts", "system_prompt", "text"];
    assert_eq!(keys(&json), all);
    assert_eq!(keys(&json["receipts"][0]), ["audit_id", "capability", "outcome", "version"]);
    assert_eq!(json["receipts"][0]["capability"], "system.disk_status");
    assert_eq!(json["receipts"][0]["version"], 1);
    assert_eq!(json["receipts"][0]["outcome"], "executed");
    assert_eq!(keys(&json["backend"]), ["id", "locality", "skipped"]);
    assert_eq!(json["backend"]["id"], "keyword");
    assert_eq!(json["backend"]["locality"], "local");
    assert_eq!(keys(&json["backend"]["skipped"][0]), ["code", "id", "reason"]);
    assert_eq!(json["backend"]["skipped"][0]["id"], "ollama");
    assert_eq!(json["limits"], json!({"rounds_used": 2, "proposals_used": 1}));
    assert_eq!(json["system_prompt"], sovereign_core::conversation::SYSTEM_PROMPT_VERSION);
    assert_eq!((&json["pending"], &json["citations"]), (&Value::Null, &json!([])));
}

#[test]
fn model_on_loopback_answers_with_the_same_figure() {
    let home = Home::new();
    let model = Model::new(|request| match outcome(request) {
        None => proposes("", "system__disk_status__v1", &json!({})),
        Some(result) => says(&format!("{} bytes are left.", number(&result, "available_bytes"))),
    });
    let figure = |ran: &Ran| {
        let text = ran.json()["text"].as_str().expect("text").to_owned();
        text.split(' ').next().unwrap().parse().expect("a number")
    };
    let ran = asked(&home, || model.ask(&home, QUESTION), figure).succeeded();
    let backend = &ran.json()["backend"];
    let wanted = json!({"id": "ollama", "locality": "local", "model": "double:1b", "skipped": []});
    assert_eq!(backend, &wanted);
    assert_eq!(ran.receipts(), ["system.disk_status executed -"]);
}

#[test]
fn catalog_that_the_model_gets_is_the_one_that_tools_shows() {
    let home = Home::new();
    let model = Model::new(|_| says("Hello."));
    for more in [0, 1] {
        if more == 1 {
            home.run(["policy", "enable", "web.fetch"]).succeeded();
            home.run(["grants", "add", "search"]).succeeded();
        }
        model.ask(&home, "hello").succeeded();
        let tools = home.run(["tools", "--json"]).succeeded().json();
        let shown: Vec<_> = tools.as_array().unwrap().iter().map(|t| &t["wire_name"]).collect();
        let asked = model.asked();
        let sent = asked.last().unwrap()["tools"].as_array().unwrap().clone();
        let sent: Vec<_> = sent.iter().map(|t| &t["function"]["name"]).collect();
        assert_eq!(shown, sent);
        assert_eq!(shown.len(), 2 + more);
    }
}

#[test]
fn tools_says_what_is_hidden_and_why() {
    let home = Home::new();
    let hidden = |home: &Home| {
        let shown = home.run(["tools"]).succeeded().stdout;
        let line = shown.lines().find(|line| line.contains("web.fetch@1"));
        line.expect("the capability").trim().to_owned()
    };
    assert_eq!(hidden(&home), "web.fetch@1 (search): not_granted");
    home.run(["grants", "add", "search"]).succeeded();
    assert_eq!(hidden(&home), "web.fetch@1 (search): not_enabled");
    home.run(["policy", "enable", "web"]).succeeded();
    assert_eq!(hidden(&home), "web.fetch@1 (search, asks you each time)");
    let mesh = home.run(["tools", "--scope", "mesh", "--json"]).succeeded();
    assert_eq!(mesh.json(), json!([]));
}

#[test]
fn policy_explain_names_each_part_of_the_answer_and_the_command_that_changes_it() {
    let home = Home::new();
    let explain = |target: &str| home.run(["policy", "explain", target]).succeeded().stdout;
    let before = explain("web.fetch");
    for part in [
        "operator does not hold search",
        "sovereign-node grants add search",
        "off, as what changes something or leaves the device is unless set",
        "sovereign-node policy enable web.fetch",
        "refused at policy (not_granted)",
    ] {
        assert!(before.contains(part), "{part}: {before}");
    }
    home.run(["grants", "add", "search"]).succeeded();
    home.run(["policy", "enable", "web.*"]).succeeded();
    let after = explain("web");
    for part in ["operator holds search", "on, set through `web.*`", "verdict  admitted"] {
        assert!(after.contains(part), "{part}: {after}");
    }
    assert_eq!(home.run(["policy", "explain", "no.such"]).status, 2);
}

#[test]
fn words_of_a_model_reach_the_output_escaped() {
    let home = Home::new();
    let model = Model::new(|_| says("a\u{1b}[7Ab\u{9b}5mc\u{202e}d"));
    let flags = model.flags();
    let plain = home.run(["ask", "hello"].into_iter().chain(flags.iter().map(String::as_str)));
    assert!(plain.stdout.starts_with("│ a\\u{1b}[7Ab\\u{9b}5mc\\u{202e}d\n"), "{plain:?}");
    let json = model.ask(&home, "hello").succeeded();
    assert!(json.stdout.contains("a\\u001b[7Ab\\u009b5mc\\u202ed"), "{json:?}");
    assert_eq!(json.json()["text"], "a\u{1b}[7Ab\u{9b}5mc\u{202e}d");
}

#[test]
fn plain_words_of_a_model_cannot_pass_for_a_receipt_or_a_prompt() {
    let home = Home::new();
    let spoof =
        "Answered by me\nReceipts\n  web.fetch@1: executed [i1-1]\n\nA decision for you.\n> ";
    let model = Model::new(move |_| says(spoof));
    let flags = model.flags();
    let ran = home.run(["ask", "hello"].into_iter().chain(flags.iter().map(String::as_str)));
    let (words, ours) = ran.stdout.split_once("\n\nAnswered by ").expect("who answered");
    assert!(words.lines().all(|line| line.starts_with("│ ")), "{ran:?}");
    assert!(ours.contains("\nNothing was run. One capability is hidden here"), "{ran:?}");
}

#[test]
fn unknown_name_is_refused_at_resolve_and_is_status_3() {
    let home = Home::new();
    let ran = once("system__disk_statu__v1", json!({})).ask(&home, QUESTION);
    assert_eq!((ran.status, ran.receipts()), (3, vec!["- refused unknown_capability".to_owned()]));
    let log = home.read("audit/000001.jsonl");
    assert!(
        log.contains("\"capability\":\"unregistered\"") && !log.contains("disk_statu"),
        "{log}"
    );
}

#[test]
fn silence_until_the_turn_is_over_is_status_4() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write("config.toml", "[limits]\nturn_seconds = 1\n");
    let gate = sovereign_tests::double::Gate::default();
    let model = Model::held(&gate, |_| says("too late"));
    let ran = model.ask(&home, QUESTION);
    assert_eq!((ran.status, ran.receipts()), (4, Vec::new()));
    assert_eq!(ran.json()["error"], "out_of_time");
    assert!(ran.stderr.contains("the time for this turn is used up"), "{ran:?}");
}

#[test]
fn no_model_asks_nobody() {
    let home = Home::new();
    let ran = home.run(["ask", "--json", "--no-model", QUESTION]).succeeded();
    assert_eq!(ran.json()["backend"], json!({"id": "keyword", "locality": "local", "skipped": []}));
}

#[test]
fn model_that_is_not_on_this_device_is_not_asked() {
    let home = Home::new();
    let ran = home.run(["ask", "--json", "--ollama-url", "http://192.0.2.1:11434", QUESTION]);
    let skipped = ran.succeeded().json()["backend"]["skipped"].clone();
    let reason = skipped[0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("nothing was sent: there is nobody here"), "{reason}");
}

#[test]
fn what_is_asked_and_answered_stays_out_of_log_and_messages() {
    let home = Home::with_web();
    let secret = "https://example.com/zebra-quartz";
    let mut command = home.command(["--verbose", "ask", "--json", &format!("fetch {secret}")]);
    let ran = finish(command.env("SOVEREIGN_LOG", "trace"));
    assert_eq!(ran.receipts(), ["web.fetch denied -"]);
    let ran_disk = finish(home.command(["ask", QUESTION]).env("SOVEREIGN_LOG", "trace"));
    let figure = number(&ran_disk.stdout, "available_bytes").to_string();
    for text in [home.read("audit/000001.jsonl"), ran.stderr, ran_disk.stderr] {
        assert!(!text.contains("zebra-quartz") && !text.contains(&figure), "{text}");
    }
}
