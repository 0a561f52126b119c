//! Time: what is late is given up, and the server learns of it.
use super::fixtures::{about_the_model, ask, ask_within, config, ollama, server};
use sovereign_backends::{Ollama, OllamaConfig};
use sovereign_core::backend::{Backend, BackendError, FailureClass};
use sovereign_tests::double::{Answer, Double, Gate};
use std::time::Duration;
use tokio::time::timeout;

const HELLO: &str = r#"{"message":{"content":"Hello."},"done":true}"#;
const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(30);

/// The error of what has to end long before any other limit.
async fn late<T>(asked: impl Future<Output = Result<T, BackendError>>) -> FailureClass {
    let ended = timeout(LONG / 2, asked).await.expect("it ends by itself");
    ended.err().expect("it fails").class()
}

#[tokio::test]
async fn deadline_is_enforced() {
    let never = Gate::default();
    let double = server([Answer::held(&never, 200, HELLO)]).await;
    assert_eq!(late(ask_within(&ollama(&double), SHORT)).await, FailureClass::Timeout);
    timeout(LONG, double.hung_up()).await.expect("the server is told to stop");
}

#[tokio::test]
async fn the_leg_has_a_deadline_of_its_own() {
    let never = Gate::default();
    let double = server([Answer::held(&never, 200, HELLO)]).await;
    let config = OllamaConfig { reply_timeout: SHORT, ..config(&double) };
    let leg = Ollama::new(config).unwrap();
    assert_eq!(late(ask_within(&leg, LONG)).await, FailureClass::Timeout);
}

#[tokio::test]
async fn a_body_that_never_ends_is_given_up_too() {
    let never = Gate::default();
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"message\":";
    let double = server([Answer::raw(head).wait(&never)]).await;
    assert_eq!(late(ask_within(&ollama(&double), SHORT)).await, FailureClass::Timeout);
}

/// `running` is what `/api/ps` lists.
async fn cold(running: &'static str, gate: &Gate) -> Double {
    let gate = gate.clone();
    Double::start(move |request| match request.path.as_str() {
        "/api/ps" => Answer::json(200, running),
        "/api/chat" => Answer::held(&gate, 200, HELLO),
        _ => about_the_model(request),
    })
    .await
}

#[tokio::test]
async fn a_model_that_has_to_be_loaded_gets_longer() {
    for running in [
        r#"{"models":[]}"#,
        r#"{"models":[{"name":"other:latest"}]}"#,
        r#"{"models":[{"name":"m:latest","context_length":4096}]}"#,
        "not json",
    ] {
        let gate = Gate::default();
        let double = cold(running, &gate).await;
        let config = OllamaConfig { load_timeout: LONG, ..config(&double) };
        let leg = Ollama::new(config).unwrap();
        let mut asked = Box::pin(ask_within(&leg, SHORT));
        assert!(timeout(SHORT * 3, &mut asked).await.is_err(), "given up too early: {running}");
        gate.open();
        assert_eq!(asked.await.unwrap().text, "Hello.");
    }
}

#[tokio::test]
async fn loading_has_an_end_too() {
    let never = Gate::default();
    let double = cold(r#"{"models":[]}"#, &never).await;
    let config = OllamaConfig { load_timeout: SHORT, ..config(&double) };
    let leg = Ollama::new(config).unwrap();
    assert_eq!(late(ask_within(&leg, SHORT)).await, FailureClass::Timeout);
}

#[tokio::test]
async fn a_probe_that_hangs_is_given_up() {
    let never = Gate::default();
    let double = Double::start(move |_| Answer::held(&never, 200, "{}")).await;
    let config = OllamaConfig { probe_timeout: SHORT, ..config(&double) };
    let leg = Ollama::new(config).unwrap();
    assert_eq!(late(leg.ready()).await, FailureClass::Timeout);
}

#[tokio::test]
async fn a_dropped_question_hangs_up() {
    let never = Gate::default();
    let double = server([Answer::held(&never, 200, HELLO)]).await;
    let leg = ollama(&double);
    let mut asked = Box::pin(ask(&leg));
    while double.received_at("/api/chat").is_empty() {
        assert!(timeout(Duration::from_millis(1), &mut asked).await.is_err());
    }
    drop(asked);
    timeout(LONG, double.hung_up()).await.expect("the server is told to stop");
}
