//! Secrets go in at every opening; where the field policy forbids them, not one byte comes out.
use sovereign_backends::outbound::HttpOutbound;
use sovereign_core::audit::{FileAudit, OutcomeKind};
use sovereign_core::backend::{Message, WireProposal};
use sovereign_core::caller::{CallerScope, Category};
use sovereign_core::capability::{Reach, Request};
use sovereign_core::clock::SystemClock;
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Event, Report};
use sovereign_core::executor::Executor;
use sovereign_core::policy::Policy;
use sovereign_core::prelude::*;
use sovereign_core::registry::Registry;
use sovereign_core::testing::Scripted;
use sovereign_tests::double::{Answer, Double};
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};

const HOME: &str = "SOVEREIGN_TEST_CANARY";

/// What a secret may reach. Everything else is forbidden to it.
struct Canary {
    text: &'static str,
    /// The transcript that the model itself wrote or asked for.
    transcript: bool,
    /// The envelope that tells the model what became of a proposal.
    envelope: bool,
    /// The local log.
    log: bool,
}

const fn nowhere(text: &'static str) -> Canary {
    Canary { text, transcript: false, envelope: false, log: false }
}

const CANARIES: &[Canary] = &[
    Canary { transcript: true, ..nowhere("canary-argument-value") },
    Canary { transcript: true, ..nowhere("canary-argument-name") },
    Canary { transcript: true, envelope: true, ..nowhere("canary_proposed_name") },
    Canary { transcript: true, envelope: true, ..nowhere("canary-result") },
    Canary { transcript: true, ..nowhere("canary-prose") },
    Canary { transcript: true, ..nowhere("canary-question") },
    Canary { log: true, ..nowhere("canary-error-detail") },
    nowhere("canary-panic-reading"),
    nowhere("canary-panic-changing"),
    nowhere("canary-panic-hook"),
    nowhere("canary-too-large"),
    nowhere("canary-undeclared"),
    nowhere("canary-header-value"),
    nowhere("canary-request-body"),
    nowhere("canary-answer-header"),
    nowhere("canary-answer-body"),
    nowhere("canary-principal"),
    nowhere("canary-session"),
    nowhere("canary-destination"),
    nowhere("canary-effect"),
];

/// How a call of the fixture goes wrong.
#[derive(Debug, Clone, Copy, Arg)]
enum Way {
    Well,
    Detail,
    Panic,
    TooLarge,
}

/// Something said.
#[derive(Debug, serde::Serialize, Schema)]
struct Said {
    /// It.
    said: String,
}

fn said(text: impl Into<String>) -> Said {
    Said { said: text.into() }
}

fn go(way: Way, panic: &'static str) -> Result<Said, Failure> {
    match way {
        Way::Well => Ok(said("canary-result")),
        Way::Detail => Err(std::io::Error::other("canary-error-detail")).or_fail("broken"),
        Way::Panic => panic!("{panic}"),
        Way::TooLarge => Ok(said("canary-too-large ".repeat(100))),
    }
}

/// Reads.
#[capability(name = "bird.read", side_effect = read_only, network = local, category = system, max_result = "256B", max_per_turn = 9)]
struct Read {
    /// How it goes.
    way: Way,
    /// Any text.
    text: Option<String>,
}

impl Run for Read {
    type State = Nest;
    type Output = Said;
    async fn run(self, _: Call<'_, Self>) -> Result<Said, Failure> {
        drop(self.text);
        go(self.way, "canary-panic-reading")
    }
}

/// Changes.
#[capability(name = "bird.change", side_effect = mutating, network = local, category = notes, max_result = "256B", max_per_turn = 9)]
struct Change {
    /// How it goes.
    way: Way,
    /// Any text.
    text: String,
    /// Whether the hook panics.
    hook: bool,
}

impl Run for Change {
    type State = Nest;
    type Output = Changed<Said>;
    fn effect(&self) -> Option<String> {
        assert!(!self.hook, "canary-panic-hook");
        Some(format!("canary-effect of {}", self.text))
    }
    async fn run(self, _: Call<'_, Self>) -> Result<Changed<Said>, Failure> {
        go(self.way, "canary-panic-changing").map(Changed::yes)
    }
}

/// Sends.
#[capability(name = "bird.send", side_effect = read_only, network = external, category = search)]
struct Send {}

impl Run for Send {
    type State = Nest;
    type Output = bool;
    fn destination(&self) -> Option<String> {
        Some("canary-destination".to_owned())
    }
    async fn run(self, call: Call<'_, Self>) -> Result<bool, Failure> {
        let mut request = Request::get(&call.state().url);
        request.headers.push(("x-secret".to_owned(), "canary-header-value".to_owned()));
        request.body = b"canary-request-body".to_vec();
        let answer = call.http().send(request).await?;
        Ok(answer.header("x-secret") == Some("canary-answer-header"))
    }
}

struct Undeclared;

impl Schema for Undeclared {
    const NODE: sovereign_core::schema::Node = <Said as Schema>::NODE;
}

impl serde::Serialize for Undeclared {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::json!({"said": "canary-undeclared", "more": "canary-undeclared"})
            .serialize(serializer)
    }
}

/// Says more than it declares.
#[capability(name = "bird.odd", side_effect = read_only, network = local, category = system)]
struct Odd {}

impl Run for Odd {
    type State = Nest;
    type Output = Undeclared;
    async fn run(self, _: Call<'_, Self>) -> Result<Undeclared, Failure> {
        Ok(Undeclared)
    }
}

struct Nest {
    url: String,
}

static NEST: Plugin<Nest> =
    Plugin::new("bird", &[Read::ENTRY, Change::ENTRY, Send::ENTRY, Odd::ENTRY]);

/// Every event and span with every field, at every level.
struct Everything(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("memory");
    }
}

impl Everything {
    fn write(&self, what: &str, record: impl FnOnce(&mut Fields<'_>)) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.push_str(what);
        record(&mut Fields(&mut log));
        log.push('\n');
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.write(span.metadata().name(), |fields| span.record(fields));
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        self.write("record", |fields| values.record(fields));
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        self.write(event.metadata().target(), |fields| event.record(fields));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn proposals() -> Vec<WireProposal> {
    let wire = |name: &str, arguments: &str| WireProposal::new(name, arguments.as_bytes());
    vec![
        wire("bird__read__v1", r#"{"way":"well","text":"canary-argument-value"}"#),
        wire("bird__read__v1", r#"{"way":"detail"}"#),
        wire("bird__read__v1", r#"{"way":"panic"}"#),
        wire("bird__read__v1", r#"{"way":"too_large"}"#),
        wire("bird__read__v1", r#"{"way":"canary-argument-value","canary-argument-name":1}"#),
        wire("bird__odd__v1", "{}"),
        wire("canary_proposed_name", r#"{"canary-argument-name":"canary-argument-value"}"#),
        wire("bird__change__v1", r#"{"way":"panic","text":"canary-argument-value","hook":false}"#),
        wire("bird__change__v1", r#"{"way":"detail","text":"canary-argument-value","hook":false}"#),
        wire("bird__change__v1", r#"{"way":"well","text":"canary-argument-value","hook":true}"#),
        wire(
            "bird__change__v1",
            r#"{"way":"too_large","text":"canary-argument-value","hook":false}"#,
        ),
        wire("bird__send__v1", "{}"),
    ]
}

/// One turn with a secret at every opening; gives what happened and every token that was made.
async fn turn(home: &Path) -> (Report, Scripted, Vec<String>) {
    let answer = "HTTP/1.1 200 OK\r\nx-secret: canary-answer-header\r\ncontent-length: 18\r\n\r\ncanary-answer-body";
    let double = Double::start(move |_| Answer::raw(answer)).await;
    let reach = Arc::new(HttpOutbound::new(Reach::only([double.address()])).unwrap());
    let nest = Arc::new(Nest { url: double.url() });
    let registry = Registry::builder().install_reaching(&NEST, nest, reach).build().unwrap();
    let policy = Policy::granting(|_| [Category::System, Category::Notes, Category::Search].into());
    let policy = policy.enabled("bird.change").enabled("bird.send");
    let opened = FileAudit::open(&home.join("audit"), &SystemClock::default()).unwrap();
    let executor = Executor::builder(registry, policy, Arc::new(opened.audit)).build().unwrap();
    let scope = CallerScope::operator("canary-principal", "canary-session");
    let model = Scripted::new().replies("canary-prose", proposals()).says("done");
    let talk = Conversation::new(&executor, Arc::new(model.clone()), scope.clone());
    let mut turn = talk.say("canary-question").unwrap();
    let mut tokens = Vec::new();
    loop {
        match turn.next().await.expect("it finishes") {
            Event::ConfirmationRequested(request) => {
                let token = executor.surface(&scope, request.id()).unwrap();
                tokens.push(token.reveal().to_owned());
                executor.decide(&scope, request.id(), &token, Decision::Approve).unwrap();
            }
            Event::Finished(report) => return (*report, model, tokens),
            _ => {}
        }
    }
}

fn folder() -> (PathBuf, Option<tempfile::TempDir>) {
    match std::env::var_os(HOME) {
        Some(home) => (home.into(), None),
        None => {
            let home = tempfile::tempdir().unwrap();
            (home.path().to_owned(), Some(home))
        }
    }
}

/// Also what the test below runs as a process of its own, with its log and its output caught.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_secret_is_really_put_in() {
    let (home, alone) = folder();
    let log = Arc::new(Mutex::new(String::new()));
    if alone.is_none() {
        tracing::subscriber::set_global_default(Everything(Arc::clone(&log))).unwrap();
        // as the node does: what a panic says may hold what somebody asked
        std::panic::set_hook(Box::new(|panic| eprintln!("a panic at {:?}", panic.location())));
    }
    let (report, model, tokens) = turn(&home).await;
    use OutcomeKind::{Executed, Failed, Refused, UnknownEffect};
    let kinds: Vec<_> = report.receipts.iter().map(|r| r.outcome).collect();
    let expected = [
        Executed,
        Failed,
        Failed,
        Failed,
        Refused,
        Failed,
        Refused,
        UnknownEffect,
        UnknownEffect,
        Refused,
        Executed,
        Executed,
    ];
    assert_eq!(kinds, expected);
    let last = model.seen().pop().expect("a second round");
    let envelopes: Vec<_> = last
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Outcome { outcome, .. } => Some(outcome.envelope()),
            _ => None,
        })
        .collect();
    assert_eq!(envelopes.len(), expected.len());
    std::fs::write(home.join("envelopes"), envelopes.join("\n")).unwrap();
    let mut transcript = format!("{}\n{:?}\n{:?}", last.system, last.messages, last.offered);
    for message in &last.messages {
        if let Message::Assistant { proposals, .. } = message {
            proposals.iter().for_each(|proposed| transcript.push_str(proposed.arguments_text()));
        }
    }
    std::fs::write(home.join("transcript"), transcript).unwrap();
    std::fs::write(home.join("tokens"), tokens.join("\n")).unwrap();
    let log = log.lock().unwrap().clone();
    std::fs::write(home.join("log"), log).unwrap();
}

#[test]
fn no_secret_comes_out_where_the_field_policy_forbids_it() {
    let home = tempfile::tempdir().unwrap();
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "canary::every_secret_is_really_put_in", "--nocapture"])
        .env(HOME, home.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{output}");
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    let audit: String = std::fs::read_dir(home.path().join("audit"))
        .unwrap()
        .map(|entry| {
            String::from_utf8_lossy(&std::fs::read(entry.unwrap().path()).unwrap()).into_owned()
        })
        .collect();
    let (envelopes, transcript, log) = (read("envelopes"), read("transcript"), read("log"));
    assert!(audit.contains("bird.change") && !log.is_empty() && output.contains("a panic at"));
    for canary in CANARIES {
        let places: [(&str, &str, bool); 5] = [
            ("the audit log", &audit, false),
            ("the output", &output, false),
            ("the log", &log, canary.log),
            ("an envelope", &envelopes, canary.envelope),
            ("the transcript", &transcript, canary.transcript),
        ];
        for (place, text, allowed) in places {
            assert_eq!(text.contains(canary.text), allowed, "`{}` and {place}", canary.text);
        }
    }
    let tokens = read("tokens");
    assert_eq!(tokens.lines().count(), 4);
    for token in tokens.lines() {
        for text in [&audit, output.as_ref(), &log, &envelopes, &transcript] {
            assert!(!text.contains(token), "a token came out");
        }
    }
}
