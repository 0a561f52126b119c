//! What the program says on standard error when it is asked to say everything.
use super::home::Home;
use super::model::{Model, outcome, proposes, says};
use super::serving::{Serving, passwd};
use serde_json::json;
use sovereign_tests::served::PASSWORD;
use std::fs::File;
use std::process::Stdio;

const ASKED: &str = "my-own-words-7261";
const ANSWERED: &str = "words-of-the-model-5190";
const ARGUMENT: &str = "an-argument-4417";

/// A model that proposes a call with an argument that is not declared, then one that runs.
fn talkative() -> Model {
    Model::new(|request| match outcome(request) {
        None => proposes(ANSWERED, "system__disk_status__v1", &json!({ "path": ARGUMENT })),
        Some(told) if told.contains("invalid_arguments") => {
            proposes(ANSWERED, "system__disk_status__v1", &json!({}))
        }
        Some(_) => says(ANSWERED),
    })
}

/// F09: the rules of the transcript and of the audit log hold for this log too.
#[test]
fn the_log_of_a_daemon_holds_no_words_arguments_results_or_secrets_at_any_level() {
    let (home, model) = (Home::new(), talkative());
    let log = home.root().join("stderr");
    let mut flags = vec!["serve", "--port", "0"];
    let model_flags = model.flags();
    flags.extend(model_flags.iter().map(String::as_str));
    let mut command = home.command(flags);
    command.env("SOVEREIGN_LOG", "trace").stderr(Stdio::from(File::create(&log).unwrap()));
    let serving = Serving::spawned(command);
    passwd(&home, "operator", PASSWORD).succeeded();
    let login = |password: &str| serving.login(json!({ "user": "operator", "password": password }));
    let wrong = "not-the-password-8080";
    assert!(login(wrong).is_err());
    let page = login(PASSWORD).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let call = |method: &str, params| runtime.block_on(page.call(method, params)).result();
    let answer = call("assistant.chat", json!({ "text": ASKED }));
    let receipts = answer["report"]["receipts"].as_array().unwrap();
    let outcomes: Vec<_> = receipts.iter().map(|r| r["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["refused", "executed"], "{answer}");
    assert!(answer.to_string().contains(ANSWERED), "{answer}");
    call("assistant.clear-history", json!({}));
    call("auth.logout", json!({}));
    let asked = format!("{:?}", model.asked());
    assert!(asked.contains(ASKED) && asked.contains(ARGUMENT) && asked.contains("total_bytes"));
    assert_eq!(serving.stop().0, 0);
    let said = std::fs::read_to_string(&log).unwrap();
    for told in ["a login failed", "session began", "session ended"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let cookie = page.cookie.split_once('=').unwrap().1;
    for kept in [ASKED, ANSWERED, ARGUMENT, "total_bytes", PASSWORD, wrong, cookie, &page.csrf] {
        assert!(!said.contains(kept), "`{kept}` in {said}");
    }
}

/// E12
#[test]
fn a_leg_that_is_passed_over_is_in_the_log_with_its_reason() {
    let home = Home::new();
    let ask = |level: &str| {
        let flags = ["--ollama-url", "http://127.0.0.1:9", "how much space is left?"];
        let mut command = home.command(["ask"].iter().chain(&flags));
        super::home::finish(command.env("SOVEREIGN_LOG", level)).succeeded()
    };
    let said = ask("info").stderr;
    let line = said.lines().find(|line| line.contains("leg skipped")).expect(&said);
    for part in ["ollama", "unreachable", "nothing answers at `http://127.0.0.1:9`"] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(ask("error").stderr, "");
}
