//! `chat` at a terminal: what a person is asked, and what counts as yes.
use super::home::Home;
use super::model::{Model, outcome, proposes, says};
use super::terminal::Terminal;
use serde_json::{Value, json};
use sovereign_tests::double::Gate;

/// Names under `.invalid` have no address (RFC 6761, section 6.4).
const FETCH: &str = "fetch http://sovereign.invalid/page?q=1";
const ASKED: &str = "Type `yes` to run it";

fn chat(home: &Home) -> Terminal {
    Terminal::start(home, ["chat", "--no-model"])
}

fn chat_with(home: &Home, model: &Model) -> Terminal {
    let flags = model.flags();
    Terminal::start(home, ["chat"].into_iter().chain(flags.iter().map(String::as_str)))
}

/// Proposes to fetch `url` for each message, and says `words` beside it.
fn fetches(words: &'static str, url: &'static str) -> impl Fn(&Value) -> Value + Send + Sync {
    move |request| match outcome(request) {
        None => proposes(words, "web__fetch__v1", &json!({"url": url})),
        Some(_) => says("That is all."),
    }
}

/// The marks of all records about `web.fetch`, with the outcome of ends.
fn marks(home: &Home) -> Vec<String> {
    let log = home.read("audit/000001.jsonl");
    let records = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mark = |r: Value| r["outcome"].as_str().or(r["mark"].as_str()).expect("a mark").to_owned();
    records.filter(|r| r["capability"] == "web.fetch" && r["kind"] == "call").map(mark).collect()
}

#[test]
fn prompt_shows_the_call_whole_and_that_data_leaves_the_device() {
    let home = Home::with_web();
    let model = Model::new(fetches("", "http://b\u{fc}cher.invalid/a?q=\u{202e}1"));
    let mut terminal = chat_with(&home, &model);
    terminal.types("fetch it\n");
    let prompt = terminal.shows(ASKED);
    for part in [
        "web.fetch@1 (search)",
        "url = \"http://b\u{fc}cher.invalid/a?q=\\u{202e}1\"",
        "leave this device, to xn--bcher-kva.invalid:80",
        "It changes nothing.",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    terminal.types("no\n");
    terminal.shows("web.fetch@1: denied [i");
    terminal.types("/quit\n");
    assert_eq!(terminal.ends().0, 0);
}

#[test]
fn everything_but_the_word_yes_denies() {
    let home = Home::with_web();
    let mut terminal = chat(&home);
    let answers =
        ["n\n", "y\n", "\n", "YES\n", " yes\n", "yes \n", "yes please\n", "\u{4}", "yes\u{4}\u{4}"];
    for answer in answers {
        terminal.types(&format!("{FETCH}\n"));
        terminal.shows(ASKED);
        terminal.types(answer);
        terminal.shows("web.fetch@1: denied [i");
    }
    terminal.types("/quit\n");
    assert_eq!(terminal.ends().0, 0);
    assert_eq!(marks(&home), ["awaiting_confirmation", "denied"].repeat(answers.len()));
}

#[test]
fn the_word_yes_runs_it_once() {
    let home = Home::with_web();
    let mut terminal = chat(&home);
    terminal.types(&format!("{FETCH}\n"));
    terminal.shows(ASKED);
    terminal.types("yes\n");
    terminal.shows("web.fetch@1: failed (");
    // the next one is asked for anew
    terminal.types(&format!("{FETCH}\n"));
    terminal.shows(ASKED);
    terminal.types("no\n");
    terminal.shows("web.fetch@1: denied [i");
    terminal.types("/quit\n");
    assert_eq!(terminal.ends().0, 0);
    let once = ["awaiting_confirmation", "begin", "failed"];
    assert_eq!(marks(&home), [&once[..], &["awaiting_confirmation", "denied"]].concat());
}

#[test]
fn what_was_typed_before_the_prompt_decides_nothing() {
    let home = Home::with_web();
    let gate = Gate::default();
    let model = Model::held(&gate, fetches("", "http://sovereign.invalid/"));
    let mut terminal = chat_with(&home, &model);
    terminal.types("fetch it\n");
    terminal.shows("fetch it");
    terminal.types("yes\nyes\nye");
    // the echo shows that the terminal has it
    terminal.shows("yes\r\nyes\r\nye");
    gate.open();
    terminal.shows(ASKED);
    terminal.types("\n");
    terminal.shows("web.fetch@1: denied [i");
    terminal.types("/quit\n");
    assert_eq!(terminal.ends().0, 0);
    assert_eq!(marks(&home), ["awaiting_confirmation", "denied"]);
}

#[test]
fn words_of_a_model_can_neither_draw_nor_erase_a_prompt() {
    let home = Home::with_web();
    let words = "\u{1b}[2J\u{1b}[7A\u{9b}5m\rApproved.\u{8}\u{8}";
    let model = Model::new(fetches(words, "http://sovereign.invalid/"));
    let mut terminal = chat_with(&home, &model);
    terminal.types("fetch it\n");
    let before = terminal.shows("A decision for you.");
    let escaped = r"\u{1b}[2J\u{1b}[7A\u{9b}5m\u{d}Approved.\u{8}\u{8}";
    assert!(before.contains(&format!("{escaped}\r\n")), "{before}");
    terminal.shows(ASKED);
    terminal.types("no\n");
    terminal.shows("web.fetch@1: denied [i");
    terminal.types("/quit\n");
    let (_, shown) = terminal.ends();
    for raw in ["\u{1b}[2J", "\u{1b}[7A", "\u{9b}", "\u{8}"] {
        assert!(!shown.contains(raw), "{raw:?}: {shown}");
    }
}

#[test]
fn asking_at_a_terminal_works_without_a_chat() {
    let home = Home::with_web();
    let mut terminal = Terminal::start(&home, ["ask", "--no-model", FETCH]);
    terminal.shows(ASKED);
    terminal.types("no\n");
    let (status, shown) = terminal.ends();
    assert!(shown.contains("web.fetch@1: denied [i"), "{shown}");
    assert_eq!(status, 3);
}

#[test]
fn a_job_in_the_background_asks_nobody() {
    let home = Home::with_web();
    let mut terminal = Terminal::start_in_background(&home, ["ask", "--no-model", FETCH]);
    terminal.shows("needs a person's yes, and there is no terminal to ask at: denied");
    let (status, shown) = terminal.ends();
    assert!(shown.contains("web.fetch@1: denied [i") && !shown.contains(ASKED), "{shown}");
    assert_eq!(status, 3);
}

#[test]
fn chat_answers_its_commands_and_ends_with_its_input() {
    let home = Home::new();
    let mut terminal = chat(&home);
    terminal.types("/help\n");
    terminal.shows("Nothing you write here decides anything");
    terminal.types("/tools\n");
    terminal.shows("web.fetch@1 (search): not_granted");
    terminal.types("/no-such\n");
    terminal.shows("No such command");
    terminal.types("how much space is left?\n");
    terminal.shows("system.disk_status@1: executed [i");
    terminal.types("\u{4}");
    assert_eq!(terminal.ends().0, 0);
}

#[test]
fn ctrl_c_stops_an_answer_and_the_chat_goes_on() {
    let home = Home::new();
    let gate = Gate::default();
    let (asked, asks) = std::sync::mpsc::channel();
    let model = Model::held(&gate, move |_| {
        asked.send(()).expect("a test that goes on");
        says("Hello.")
    });
    let mut terminal = chat_with(&home, &model);
    terminal.types("hello\n");
    asks.recv().expect("a request");
    terminal.types("\u{3}");
    terminal.shows("stopped");
    gate.open();
    terminal.types("hello again\n");
    terminal.shows("Hello.");
    terminal.shows("> ");
    terminal.types("\u{3}");
    assert_eq!(terminal.ends().0, 130);
}

#[test]
fn signals_void_what_is_open_and_finish_the_log() {
    for (signal, status) in
        [(rustix::process::Signal::TERM, 143), (rustix::process::Signal::HUP, 129)]
    {
        let home = Home::with_web();
        let mut terminal = chat(&home);
        terminal.types(&format!("{FETCH}\n"));
        terminal.shows(ASKED);
        terminal.signal(signal);
        assert_eq!(terminal.ends().0, status);
        assert_eq!(marks(&home), ["awaiting_confirmation", "void"]);
        assert!(home.run(["audit", "verify"]).succeeded().stdout.starts_with("whole: 4 records"));
    }
}
