//! The exchange itself: to the configured address and nowhere else, within limits.
use super::fixtures::{ask, ollama, says, server};
use sovereign_backends::{Ollama, OllamaConfig};
use sovereign_core::backend::{BackendError, FailureClass};
use sovereign_tests::double::{Answer, Gate};
use std::process::Command;

async fn failure(answer: Answer) -> BackendError {
    let double = server([answer, says("never asked twice")]).await;
    let error = ask(&ollama(&double)).await.unwrap_err();
    assert_eq!(double.received_at("/api/chat").len(), 1, "asked once, never again");
    error
}

#[tokio::test]
async fn a_redirect_is_never_followed() {
    let target = server([says("Hello from elsewhere.")]).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!(
            "HTTP/1.1 {status} Moved\r\nlocation: {}/api/chat\r\ncontent-length: 0\r\n\r\n",
            target.url()
        );
        let error = failure(Answer::raw(location)).await;
        assert_eq!(error.class(), FailureClass::Protocol);
        assert!(error.to_string().contains("redirect"), "{error}");
    }
    assert!(target.received().is_empty());
}

/// The same question in a process whose environment names a proxy where nobody listens.
#[test]
fn proxies_in_the_environment_are_ignored() {
    let asked = "backends::ollama::ollama_uses_chat_endpoint_not_generate";
    let mut child = Command::new(std::env::current_exe().unwrap());
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
        child.env(name, "http://127.0.0.1:1");
    }
    let out = child.args(["--exact", asked]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn localhost_means_loopback() {
    let double = server([says("Hello.")]).await;
    let url = format!("http://localhost:{}", double.address().port());
    let leg = Ollama::new(OllamaConfig::new(url.parse().unwrap(), "m")).unwrap();
    assert_eq!(ask(&leg).await.unwrap().text, "Hello.");
}

#[tokio::test]
async fn an_oversized_body_is_refused() {
    const MIB: usize = 1 << 20;
    let start = br#"{"done":true,"message":{"content":""#;
    let body = [start.as_slice(), &vec![b'x'; 5 * MIB], br#""}}"#].concat();
    let error = failure(Answer::json(200, body)).await;
    assert_eq!(error.class(), FailureClass::Protocol);
    assert_eq!(error.to_string(), format!("its reply is longer than {} bytes", 4 * MIB));
    let within = [start.as_slice(), &vec![b'x'; 4 * MIB - 100], br#""}}"#].concat();
    let double = server([Answer::json(200, within)]).await;
    assert_eq!(ask(&ollama(&double)).await.unwrap().text.len(), 4 * MIB - 100);
}

#[tokio::test]
async fn an_oversized_body_without_a_length_is_refused() {
    let mut answer = Answer::raw("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"message\":\"");
    for _ in 0..80 {
        answer = answer.then(vec![b'x'; 64 << 10]);
    }
    assert!(failure(answer).await.to_string().contains("is longer than"));
}

#[tokio::test]
async fn an_error_body_is_read_to_its_limit_only() {
    let never = Gate::default();
    let head = "HTTP/1.1 500 Oops\r\nconnection: close\r\n\r\n";
    let answer = Answer::raw(head).then(vec![b'x'; 128 << 10]).wait(&never);
    let error = failure(answer).await;
    assert_eq!(error.class(), FailureClass::Refused);
    assert!(error.to_string().len() < 300);
}

#[tokio::test]
async fn a_broken_connection_is_no_answer() {
    let whole = r#"{"message":{"content":"Hello."},"done":true}"#;
    for (answer, reason) in [
        (Answer::hang_up(), "the connection broke before a reply came"),
        (Answer::raw("HTTP/1.1 200"), "the connection broke before a reply came"),
        (Answer::cut(200, 1000, whole), "the connection broke before the reply was complete"),
        (Answer::cut(200, 1000, ""), "the connection broke before the reply was complete"),
    ] {
        let error = failure(answer).await;
        assert_eq!(error.class(), FailureClass::Interrupted);
        assert_eq!(error.to_string(), reason);
    }
}

#[tokio::test]
async fn what_is_no_http_is_an_error() {
    for bytes in [
        b"SSH-2.0-OpenSSH_9.9\r\n".as_slice(),
        b"\x16\x03\x01\x00\x00",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        &[b'a'; 100_000],
    ] {
        failure(Answer::raw(bytes)).await;
    }
}

#[tokio::test]
async fn a_compressed_body_is_not_unpacked() {
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n";
    let error = failure(Answer::raw(head).then([0x1f, 0x8b, 8, 0])).await;
    assert_eq!(error.class(), FailureClass::Protocol);
    let double = server([says("Hello.")]).await;
    ask(&ollama(&double)).await.unwrap();
    assert_eq!(double.received_at("/api/chat")[0].header("accept-encoding"), None);
}

#[tokio::test]
async fn each_status_has_its_reason() {
    for status in [400, 401, 403, 404, 418, 429, 499, 500, 502, 503, 504, 599] {
        let error = failure(Answer::json(status, r#"{"error":"no\u001b[2J"}"#)).await;
        assert_eq!(error.to_string(), format!(r"it answered {status}: no\u{{1b}}[2J"));
    }
    let error = failure(Answer::json(500, "")).await;
    assert_eq!(error.to_string(), "it answered 500");
}
