//! The exchange of every adapter over real sockets: where it goes, how long, how much.
use super::fixtures::{about_the_model, ask, ask_within};
use super::wires::{Dialect, Told, WIRES, Wire};
use sovereign_backends::{Claude, ClaudeConfig, KeyFile, OpenAi, OpenAiConfig};
use sovereign_core::backend::{Backend, BackendError, DeltaSink, FailureClass, Message, Request};
use sovereign_core::files;
use sovereign_tests::double::{Answer, Double, Gate};
use std::process::Command;
use std::time::Duration;
use tokio::time::timeout;

const KEY: &str = "sk-test-0123456789";
const LONG: Duration = Duration::from_secs(30);

/// A server of that wire which answers every question so.
async fn server(wire: Wire, answer: Answer) -> Double {
    Double::start(move |request| {
        if request.path == wire.path() { answer.clone() } else { about_the_model(request) }
    })
    .await
}

struct Key(tempfile::TempDir);

impl Key {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        files::create_private_dir(&dir.path().join("secrets")).unwrap();
        let key = Self(dir);
        files::write_private(key.file().path(), format!("{KEY}\n").as_bytes()).unwrap();
        key
    }

    fn file(&self) -> KeyFile {
        KeyFile::new(self.0.path(), "some-api-key")
    }
}

async fn failure(wire: Wire, answer: Answer) -> BackendError {
    let double = server(wire, answer).await;
    let error = ask(&*wire.leg(&double, None)).await.unwrap_err();
    assert_eq!(double.received_at(wire.path()).len(), 1, "asked once, never again: {wire:?}");
    error
}

#[tokio::test]
async fn every_wire_is_asked_at_its_endpoint() {
    for wire in WIRES {
        let double = server(wire, wire.answer(&Told::text("Hello."))).await;
        assert_eq!(ask(&*wire.leg(&double, None)).await.unwrap().text, "Hello.");
        let received = &double.received_at(wire.path())[0];
        assert_eq!(received.method, "POST");
        assert_eq!(received.header("content-type"), Some("application/json"));
        assert_eq!(received.header("accept-encoding"), None);
        let body = received.json();
        assert_eq!(body["stream"], wire.in_pieces, "{wire:?}");
        for sampling in ["temperature", "top_p", "top_k"] {
            assert!(body.get(sampling).is_none(), "{wire:?}");
        }
    }
}

#[tokio::test]
async fn a_key_goes_to_its_server_and_nowhere_else() {
    let key = Key::new();
    for wire in WIRES {
        let elsewhere = server(wire, wire.answer(&Told::text("Hello."))).await;
        for status in [301, 302, 303, 307, 308] {
            let location = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: {}{}\r\ncontent-length: 0\r\n\r\n",
                elsewhere.url(),
                wire.path()
            );
            let double = server(wire, Answer::raw(location)).await;
            let error = ask(&*wire.leg(&double, Some(key.file()))).await.unwrap_err();
            assert_eq!(error.class(), FailureClass::Protocol);
            assert!(error.to_string().contains("redirect"), "{wire:?}: {error}");
            let received = &double.received_at(wire.path())[0];
            let (name, value) = match wire.dialect {
                Dialect::Ollama => continue,
                Dialect::OpenAi => ("authorization", format!("Bearer {KEY}")),
                Dialect::Claude => ("x-api-key", KEY.to_owned()),
            };
            assert_eq!(received.header(name), Some(value.as_str()), "{wire:?}");
        }
        assert!(elsewhere.received().is_empty(), "{wire:?}");
    }
}

/// Legs that are not on this device, without a packet being sent.
fn remote(url: &str, key: Option<KeyFile>) -> [Box<dyn Backend>; 2] {
    let base = || url.parse().unwrap();
    let openai = OpenAiConfig { key: key.clone(), ..OpenAiConfig::new(base(), "m") };
    let claude = ClaudeConfig { key, ..ClaudeConfig::new(base(), "m") };
    [Box::new(OpenAi::new(openai).unwrap()), Box::new(Claude::new(claude).unwrap())]
}

#[tokio::test]
async fn a_key_leaves_the_device_only_encrypted() {
    let key = Key::new();
    for leg in remote("http://192.0.2.1/v1", Some(key.file())) {
        leg.ready().await.unwrap();
        let error = ask(&*leg).await.unwrap_err();
        let reason = "the key is not sent to `http://192.0.2.1/v1` without encryption";
        assert_eq!(error.to_string(), reason);
    }
}

#[tokio::test]
async fn a_remote_leg_without_a_key_is_not_ready() {
    let missing = KeyFile::new("/nonexistent", "some-api-key");
    for key in [None, Some(missing)] {
        for leg in remote("https://192.0.2.1/v1", key) {
            assert_eq!(leg.identity().locality, sovereign_core::backend::Locality::Remote);
            for error in [leg.ready().await.unwrap_err(), ask(&*leg).await.unwrap_err()] {
                assert_eq!(error.class(), FailureClass::Unsupported);
                assert!(error.to_string().contains("key"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_key_is_in_no_error_and_no_debug_text() {
    let key = Key::new();
    for wire in WIRES {
        let echoed = wire.error(&format!("bad request {}", "x".repeat(500)));
        let double = server(wire, Answer::json(401, echoed)).await;
        let leg = wire.leg(&double, Some(key.file()));
        let error = ask(&*leg).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("0123456789"), "{wire:?}");
    }
}

/// The same questions in a process whose environment names a proxy where nobody listens.
#[test]
fn proxies_in_the_environment_are_ignored_on_every_wire() {
    let asked = "backends::exchange::every_wire_is_asked_at_its_endpoint";
    let mut child = Command::new(std::env::current_exe().unwrap());
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        child.env(name, "http://127.0.0.1:1");
    }
    let out = child.args(["--exact", asked]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

/// must-beat 34
#[tokio::test]
async fn deadline_is_enforced_on_every_wire() {
    for wire in WIRES {
        let never = Gate::default();
        let body = wire.body(&Told::text("Hello, hello."));
        let begun = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {}\r\nconnection: close\r\n\r\n{}",
            wire.content_type(),
            &body[..body.len() / 2]
        );
        for answer in [Answer::default().wait(&never), Answer::raw(begun).wait(&never)] {
            let double = server(wire, answer).await;
            let leg = wire.leg(&double, None);
            let asked = ask_within(&*leg, Duration::from_millis(60));
            let error = timeout(LONG, asked).await.expect("it ends by itself").unwrap_err();
            assert_eq!(error.class(), FailureClass::Timeout, "{wire:?}");
            timeout(LONG, double.hung_up()).await.expect("the server is told to stop");
        }
    }
}

#[tokio::test]
async fn a_dropped_question_hangs_up_on_every_wire() {
    for wire in WIRES {
        let never = Gate::default();
        let double = server(wire, Answer::default().wait(&never)).await;
        let leg = wire.leg(&double, None);
        let mut asked = Box::pin(ask(&*leg));
        while double.received_at(wire.path()).is_empty() {
            assert!(timeout(Duration::from_millis(1), &mut asked).await.is_err());
        }
        drop(asked);
        timeout(LONG, double.hung_up()).await.expect("the server is told to stop");
    }
}

#[tokio::test]
async fn an_oversized_reply_is_refused_on_every_wire() {
    for wire in WIRES {
        let body = wire.body(&Told::text("x".repeat(5 << 20)));
        let error = failure(wire, Answer::typed(200, wire.content_type(), body)).await;
        assert_eq!(error.class(), FailureClass::Protocol, "{wire:?}");
        assert!(error.to_string().contains("longer than"), "{wire:?}: {error}");
    }
}

#[tokio::test]
async fn a_stream_of_many_small_pieces_has_a_limit_too() {
    for wire in WIRES.into_iter().filter(|wire| wire.in_pieces) {
        let piece = match wire.dialect {
            Dialect::Ollama => "{\"message\":{\"content\":\"\"},\"done\":false}\n".repeat(1000),
            Dialect::OpenAi | Dialect::Claude => ": ping\n".repeat(10_000),
        };
        let body = piece.repeat((17 << 20) / piece.len() + 1);
        let error = failure(wire, Answer::typed(200, wire.content_type(), body)).await;
        assert_eq!(error.to_string(), "its reply is longer than 16777216 bytes", "{wire:?}");
    }
}

#[tokio::test]
async fn a_broken_connection_is_no_answer_on_any_wire() {
    for wire in WIRES {
        let whole = wire.body(&Told::text("Hello."));
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: 99999\r\n\r\n",
            wire.content_type()
        );
        let almost = &whole[..whole.trim_end().len() - 1];
        for answer in [Answer::hang_up(), Answer::raw(head).then(almost)] {
            let error = failure(wire, answer).await;
            assert_eq!(error.class(), FailureClass::Interrupted, "{wire:?}: {error}");
        }
    }
}

/// Opens the gate at the first piece of prose.
struct Opens<'a>(&'a Gate, String);

impl DeltaSink for Opens<'_> {
    fn text(&mut self, delta: &str) {
        self.0.open();
        self.1.push_str(delta);
    }
}

#[tokio::test]
async fn prose_comes_before_the_reply_is_complete() {
    for wire in WIRES.into_iter().filter(|wire| wire.in_pieces) {
        let gate = Gate::default();
        let body = wire.body(&Told::text("Hello, hello.").calls(Some("a"), "t__v1", None));
        let first = body.find("Hello").unwrap() + 100;
        let (begun, rest) = body.split_at(body[first..].find('\n').unwrap() + first + 2);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {}\r\nconnection: close\r\n\r\n{begun}",
            wire.content_type()
        );
        let double = server(wire, Answer::raw(head).wait(&gate).then(rest)).await;
        let lab = super::fixtures::lab();
        let catalog = lab.executor.catalog(&lab.scope);
        let messages = [Message::User("hello".into())];
        let mut sink = Opens(&gate, String::new());
        let leg = wire.leg(&double, None);
        let request = Request::new("Be brief.", &messages, &catalog, LONG);
        let turn = leg.send(request, &mut sink).await.unwrap();
        assert_eq!((sink.1.as_str(), turn.proposals.len()), ("Hello, hello.", 1), "{wire:?}");
    }
}

#[tokio::test]
async fn an_absent_server_is_unreachable_with_its_address() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = gone.local_addr().unwrap();
    drop(gone);
    for leg in remote(&format!("http://{at}/v1"), None) {
        let error = ask(&*leg).await.unwrap_err();
        assert_eq!(error.class(), FailureClass::Unreachable);
        assert_eq!(error.to_string(), format!("nothing answers at `http://{at}/v1`"));
    }
    let [openai, _] = remote(&format!("http://{at}/v1"), None);
    assert!(openai.ready().await.is_err(), "found out before anything is sent");
}
