//! What is particular to a node that is paid by key. Tokens, and crashes, are tested beside the purse.
use super::fixtures::{ask, lab};
use super::wires::{Dialect, Told, Wire};
use serde_json::json;
use sovereign_backends::routstr::{Payment, Routstr, RoutstrConfig};
use sovereign_backends::{KeyFile, Streaming};
use sovereign_core::backend::{
    Backend, BackendError, BackendTurn, FailureClass, Locality, Message, Request, Stop, Window,
};
use sovereign_core::files;
use sovereign_core::id::TurnId;
use sovereign_core::testing::Harness;
use sovereign_tests::double::{Answer, Double, Gate};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const WHOLE: Wire = Wire { dialect: Dialect::OpenAi, in_pieces: false };
const PIECES: Wire = Wire { dialect: Dialect::OpenAi, in_pieces: true };
const CHAT: &str = "/v1/chat/completions";
const KEY: &str = "sk-0f0f0f0f0f0f0f0f";
const LONG: Duration = Duration::from_secs(30);

/// One sat for a request, a hundredth for a token: with 500 of them six sats at most.
const PRICES: &str =
    r#"{"data":[{"id":"m","sats_pricing":{"prompt":0,"completion":0.01,"request":1,"image":0}}]}"#;
const BOUND: u64 = 6000;

struct Scene {
    double: Double,
    home: tempfile::TempDir,
}

impl Scene {
    /// A node with these prices that answers each question so.
    async fn of(prices: Answer, chat: Answer) -> Self {
        let double = Double::start(move |request| match request.path.as_str() {
            "/v1/models" => prices.clone(),
            CHAT => chat.clone(),
            _ => Answer::json(404, "{}"),
        })
        .await;
        let home = tempfile::tempdir().unwrap();
        files::create_private_dir(&home.path().join("secrets")).unwrap();
        let scene = Self { double, home };
        files::write_private(scene.key().path(), KEY.as_bytes()).unwrap();
        scene
    }

    async fn answering(chat: Answer) -> Self {
        Self::of(Answer::json(200, PRICES), chat).await
    }

    fn key(&self) -> KeyFile {
        KeyFile::new(self.home.path(), "routstr-api-key")
    }

    fn config(&self) -> RoutstrConfig {
        let base = format!("{}/v1", self.double.url()).parse().unwrap();
        RoutstrConfig {
            max_tokens: 500,
            max_msat_per_turn: 15_000,
            ..RoutstrConfig::new(base, "m", Payment::Key(self.key()))
        }
    }

    fn leg(&self) -> Routstr {
        Routstr::new(self.config()).unwrap()
    }

    fn asked(&self) -> usize {
        self.double.received_at(CHAT).len()
    }
}

fn turn_of(lab: &Harness) -> TurnId {
    lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation()).turn()
}

async fn ask_in(lab: &Harness, turn: TurnId, leg: &Routstr) -> Result<BackendTurn, BackendError> {
    let catalog = lab.executor.catalog(&lab.scope);
    let messages = [Message::User("hello".into())];
    let request = Request::new("Be brief.", &messages, &catalog, LONG).of_turn(turn);
    leg.send(request, &mut String::new()).await
}

fn hello() -> Answer {
    PIECES.answer(&Told::text("Hello."))
}

#[tokio::test]
async fn a_key_pays_in_its_header_and_the_cap_is_always_sent() {
    let scene = Scene::answering(hello()).await;
    let leg = scene.leg();
    leg.ready().await.unwrap();
    assert!(scene.double.received().is_empty(), "not even the prices, before consent");
    let turn = ask(&leg).await.unwrap();
    assert_eq!((turn.text.as_str(), turn.identity.id), ("Hello.", "routstr"));
    assert_eq!(turn.identity.locality, Locality::Remote, "also on loopback: it passes on");
    assert_eq!(leg.identity(), turn.identity);
    let received = &scene.double.received_at(CHAT)[0];
    assert_eq!(received.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(received.header("x-cashu"), None);
    let body = received.json();
    assert_eq!((&body["max_tokens"], &body["stream"]), (&json!(500), &json!(true)));
    assert!(body.get("max_completion_tokens").is_none(), "a node does not read it");
    let prices = &scene.double.received_at("/v1/models")[0];
    assert_eq!(prices.header("authorization"), None, "a list of prices needs no key");
}

#[tokio::test]
async fn prices_are_asked_once_for_a_while_and_again_when_they_were_wrong() {
    let scene = Scene::answering(Answer::json(402, r#"{"detail":"x"}"#)).await;
    let leg = scene.leg();
    for _ in 0..2 {
        ask(&leg).await.unwrap_err();
    }
    assert_eq!(scene.double.received_at("/v1/models").len(), 2);
    let scene = Scene::answering(hello()).await;
    let leg = scene.leg();
    for _ in 0..3 {
        ask(&leg).await.unwrap();
    }
    assert_eq!(scene.double.received_at("/v1/models").len(), 1);
}

#[tokio::test]
async fn a_paid_model_is_sent_no_more_than_its_node_says_that_it_holds() {
    let holding = |length: &str| {
        PRICES.replace(r#""id":"m","#, &format!(r#""id":"m","context_length":{length},"#))
    };
    for (length, tokens, reply) in [
        ("4096", 4_096, 500),
        ("1000000", 8_192, 500),
        ("1024", 1_024, 256),
        ("null", 8_192, 500),
        (r#""all""#, 8_192, 500),
    ] {
        let scene = Scene::of(Answer::json(200, holding(length)), hello()).await;
        let leg = scene.leg();
        assert_eq!(leg.window(), Some(Window { tokens: 8_192, reply: 500 }), "not asked yet");
        ask(&leg).await.unwrap();
        assert_eq!(leg.window(), Some(Window { tokens, reply }), "{length}");
    }
}

#[tokio::test]
async fn a_model_without_a_price_is_not_asked() {
    for (prices, reason) in [
        (Answer::json(200, r#"{"data":[]}"#), "`m` has no price there, and is not asked"),
        (
            Answer::json(
                200,
                r#"{"data":[{"id":"m","sats_pricing":{"prompt":-1,"completion":1}}]}"#,
            ),
            "`m` has no price there, and is not asked",
        ),
        (
            Answer::json(
                200,
                r#"{"data":[{"id":"m","sats_pricing":{"prompt":1e300,"completion":1}}]}"#,
            ),
            "its price is more than can be counted",
        ),
        (Answer::json(200, "[]"), "its list of models cannot be read"),
        (Answer::json(503, r#"{"detail":"busy"}"#), "it answered 503: busy"),
    ] {
        let scene = Scene::of(prices, hello()).await;
        assert_eq!(ask(&scene.leg()).await.unwrap_err().to_string(), reason);
        assert_eq!(scene.asked(), 0);
    }
}

#[tokio::test]
async fn a_key_file_with_anything_but_a_key_is_not_used() {
    let scene = Scene::answering(hello()).await;
    // a node would redeem all of a token at once
    for other in ["cashuAeyJ0b2tlbiI6W119", "nsec1abc"] {
        files::write_private(scene.key().path(), other.as_bytes()).unwrap();
        for error in [scene.leg().ready().await.unwrap_err(), ask(&scene.leg()).await.unwrap_err()]
        {
            let error = error.to_string();
            assert!(error.ends_with("holds no key (`sk-…`)") && !error.contains(other), "{error}");
        }
    }
    assert!(scene.double.received().is_empty());
}

#[test]
fn no_money_leaves_the_device_unencrypted() {
    let key = KeyFile::new("/nonexistent", "routstr-api-key");
    for (at, refused) in [
        ("http://192.0.2.1/v1", true),
        ("http://x.onion/v1", true),
        ("https://192.0.2.1/v1", false),
    ] {
        let config = RoutstrConfig::new(at.parse().unwrap(), "m", Payment::Key(key.clone()));
        let error = Routstr::new(config).err().map(|error| error.to_string());
        let reason = format!("no money is sent to `{at}` without encryption");
        assert_eq!(error, refused.then_some(reason));
    }
}

/// What each answer counts for, of fifteen sats and with six at most for one reply.
#[tokio::test]
async fn a_turn_never_costs_more_than_its_cap() {
    let told = Told::text("Hello.");
    let in_body = |more: &str| {
        Answer::json(
            200,
            WHOLE.body(&told).replacen(r#""usage":{"#, &format!(r#""usage":{{{more},"#), 1),
        )
    };
    let in_head = |cost: &str| {
        let body = WHOLE.body(&told);
        Answer::raw(format!(
            "HTTP/1.1 200 OK\r\nX-Routstr-Cost-Msats: {cost}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    let in_frame = PIECES.body(&told).replacen(r#""usage":{"#, r#""usage":{"cost_sats":4.5,"#, 1);
    for (name, chat, replies) in [
        ("said nowhere, so the most", hello(), 2),
        ("in the head", in_head("4000"), 3),
        ("in the body", in_body(r#""cost_sats":4.0005"#), 3),
        ("in the last frame", Answer::typed(200, "text/event-stream", in_frame), 3),
        ("more than the most", in_head("9001"), 1),
        ("more than all", in_head("99000"), 1),
        ("nonsense, so the most", in_head("-1"), 2),
    ] {
        let scene = Scene::answering(chat).await;
        let (leg, lab) = (scene.leg(), lab());
        let turn = turn_of(&lab);
        for n in 0..replies {
            ask_in(&lab, turn, &leg).await.unwrap_or_else(|e| panic!("{name} {n}: {e}"));
        }
        let error = ask_in(&lab, turn, &leg).await.unwrap_err();
        assert_eq!(error.class(), FailureClass::Unsupported, "{name}");
        let error = error.to_string();
        assert!(error.starts_with(&format!("one reply may cost {BOUND} msat, and ")), "{error}");
        assert_eq!(scene.asked(), replies, "{name}: it was not asked");
        ask_in(&lab, turn_of(&lab), &leg).await.unwrap();
    }
}

#[tokio::test]
async fn a_reply_that_broke_may_have_cost_the_most_and_a_refused_one_nothing() {
    for (chat, asked) in [
        (Answer::hang_up(), 2),
        (Answer::cut(200, 1000, "{"), 2),
        (Answer::json(200, "no reply at all"), 2),
        (Answer::json(402, r#"{"detail":"x"}"#), 5),
        (Answer::json(500, ""), 5),
    ] {
        let scene = Scene::answering(chat).await;
        let (leg, lab) = (scene.leg(), lab());
        let turn = turn_of(&lab);
        for _ in 0..5 {
            ask_in(&lab, turn, &leg).await.unwrap_err();
        }
        assert_eq!(scene.asked(), asked);
    }
}

#[tokio::test]
async fn a_dropped_question_counts_for_the_most() {
    let never = Gate::default();
    let scene = Scene::answering(Answer::default().wait(&never)).await;
    let (leg, lab) = (scene.leg(), lab());
    let turn = turn_of(&lab);
    for n in 1..=2 {
        let mut asked = Box::pin(ask_in(&lab, turn, &leg));
        while scene.asked() < n {
            assert!(tokio::time::timeout(Duration::from_millis(1), &mut asked).await.is_err());
        }
    }
    let error = ask_in(&lab, turn, &leg).await.unwrap_err().to_string();
    assert_eq!(error, format!("one reply may cost {BOUND} msat, and 3000 are left for this turn"));
}

/// The three envelopes, and every status: one question, one reason, no money in it.
#[tokio::test]
async fn errors_are_reasons_and_nothing_is_asked_twice() {
    let said = format!("no {KEY} cashuAeyJ0b2tlbiI6W119");
    for status in [400, 401, 402, 403, 404, 410, 422, 424, 425, 429, 500, 502, 503, 504] {
        for body in [
            json!({ "error": { "message": said, "type": "t", "code": "c" }, "request_id": "r" }),
            json!({ "detail": { "error": { "message": said } } }),
            json!({ "detail": said }),
        ] {
            let scene = Scene::answering(Answer::json(status, body.to_string())).await;
            let error = ask(&scene.leg()).await.unwrap_err().to_string();
            assert!(error.starts_with(&format!("it answered {status}: no sk-")), "{error}");
            assert!(!error.contains("0f0f") && !error.contains("eyJ0"), "{error}");
            assert_eq!(scene.asked(), 1);
        }
    }
    for (status, body, class) in [
        (
            402,
            r#"{"detail":{"reason":"r","amount_required_msat":5,"model":"m","type":"minimum_balance_required"}}"#,
            FailureClass::Unauthorised,
        ),
        (
            402,
            r#"{"error":{"type":"insufficient_balance","code":"payment_required"}}"#,
            FailureClass::Unauthorised,
        ),
        (402, r#"{"error":{"code":"balance_limit_exceeded"}}"#, FailureClass::Unauthorised),
        (401, r#"{"error":{"code":"invalid_api_key"}}"#, FailureClass::Unauthorised),
        (403, r#"{"error":{"code":"key_expired"}}"#, FailureClass::Unauthorised),
        (503, r#"{"error":{"code":"mint_unreachable"}}"#, FailureClass::Refused),
        (424, r#"{"error":{"code":"UPSTREAM_UNAVAILABLE"}}"#, FailureClass::Refused),
        (
            422,
            r#"{"error":{"type":"mint_error","code":"cashu_token_swap_fees_exceed_amount"}}"#,
            FailureClass::Refused,
        ),
        (
            400,
            r#"{"error":{"type":"token_already_spent","code":"cashu_token_already_spent"}}"#,
            FailureClass::Refused,
        ),
        (400, r#"{"error":{"code":"context_length_exceeded"}}"#, FailureClass::TooLong),
    ] {
        let scene = Scene::answering(Answer::json(status, body)).await;
        assert_eq!(ask(&scene.leg()).await.unwrap_err().class(), class, "{status} {body}");
    }
}

#[tokio::test]
async fn a_redirect_is_never_followed_by_money() {
    let elsewhere = Scene::answering(hello()).await;
    for status in [301, 302, 303, 307, 308] {
        let to = |path: &str| {
            Answer::raw(format!(
                "HTTP/1.1 {status} Moved\r\nlocation: {}{path}\r\ncontent-length: 0\r\n\r\n",
                elsewhere.double.url()
            ))
        };
        let prices = || Answer::json(200, PRICES);
        for scene in
            [Scene::of(to("/v1/models"), hello()).await, Scene::of(prices(), to(CHAT)).await]
        {
            let error = ask(&scene.leg()).await.unwrap_err();
            assert!(error.to_string().contains("redirect"), "{error}");
        }
    }
    assert!(elsewhere.double.received().is_empty());
}

/// must-beat 35, and C-12, for this leg too
#[tokio::test]
async fn a_stream_cut_anywhere_is_an_error_and_a_truncated_reply_says_so() {
    let body =
        PIECES.body(&Told::text("Grüße.").calls(Some("a"), "t__v1", Some("{}"))).into_bytes();
    let needed = body.trim_ascii_end().len();
    let (end, answered) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(0)));
    let (at, count) = (Arc::clone(&end), Arc::clone(&answered));
    let double = Double::start(move |request| {
        if request.path == CHAT {
            *count.lock().unwrap() += 1;
            let cut = &body[..at.load(Ordering::Relaxed)];
            Answer::typed(200, "text/event-stream", cut)
        } else {
            Answer::json(200, PRICES)
        }
    })
    .await;
    let scene = Scene::answering(hello()).await;
    let base_url = format!("{}/v1", double.url()).parse().unwrap();
    let leg = Routstr::new(RoutstrConfig { base_url, ..scene.config() }).unwrap();
    for at in 0..needed {
        end.store(at, Ordering::Relaxed);
        assert!(ask(&leg).await.is_err(), "cut after {at} of {needed}");
    }
    end.store(needed + 2, Ordering::Relaxed);
    assert_eq!(ask(&leg).await.unwrap().proposals.len(), 1);
    assert_eq!(*answered.lock().unwrap(), needed + 1, "each was asked once");

    let cut = Told::text("").calls(Some("a"), "t__v1", Some("{}")).cut();
    let scene = Scene::answering(PIECES.answer(&cut)).await;
    assert_eq!(ask(&scene.leg()).await.unwrap().stop, Stop::Length);
}

#[tokio::test]
async fn a_node_that_does_not_stream_is_understood() {
    let scene = Scene::answering(WHOLE.answer(&Told::text("Hello."))).await;
    for streaming in [Streaming::Always, Streaming::Never] {
        let leg = Routstr::new(RoutstrConfig { streaming, ..scene.config() }).unwrap();
        assert_eq!(ask(&leg).await.unwrap().text, "Hello.");
    }
}

#[tokio::test]
async fn a_node_that_never_answers_ends_at_the_deadline() {
    let never = Gate::default();
    let scene = Scene::answering(Answer::default().wait(&never)).await;
    let config = RoutstrConfig { reply_timeout: Duration::from_millis(60), ..scene.config() };
    let leg = Routstr::new(config).unwrap();
    // on a busy machine the time may be over while the prices are read
    while scene.asked() == 0 {
        assert_eq!(ask(&leg).await.unwrap_err().class(), FailureClass::Timeout);
    }
    tokio::time::timeout(LONG, scene.double.hung_up()).await.expect("the node is told to stop");
}
