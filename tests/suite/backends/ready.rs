//! Whether the Ollama leg may be asked, and what happens when it may not.
use super::fixtures::{
    about_the_model, ask, calls, config, conversation, lab, ollama, say, says, server,
};
use sovereign_backends::{Keyword, Ollama, OllamaConfig, in_order, local_first};
use sovereign_core::backend::{Backend, FailureClass, Locality};
use sovereign_tests::double::{Answer, Double};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

/// A server that says this of its model.
async fn showing(tags: &'static str, show: &'static str) -> Double {
    Double::start(move |request| match request.path.as_str() {
        "/api/tags" => Answer::json(200, tags),
        "/api/show" => Answer::json(200, show),
        _ => says("Hello."),
    })
    .await
}

const TAGS: &str = r#"{"models":[{"name":"m:latest","digest":"d1"}]}"#;

async fn not_ready(double: &Double) -> String {
    let error = ollama(double).ready().await.unwrap_err();
    assert_eq!(error.class(), FailureClass::Unsupported);
    assert!(double.received_at("/api/chat").is_empty());
    error.to_string()
}

#[tokio::test]
async fn a_tool_capable_model_is_ready() {
    let double = server([]).await;
    ollama(&double).ready().await.unwrap();
    let show = &double.received_at("/api/show")[0];
    assert_eq!((show.method.as_str(), show.body.as_str()), ("POST", r#"{"model":"m"}"#));
}

/// E10; the next leg here is the keyword backend
#[tokio::test]
async fn non_tool_capable_model_falls_through() {
    let double = showing(TAGS, r#"{"capabilities":["completion","vision"]}"#).await;
    let legs = local_first([config(&double)]).unwrap();
    let report = say(&conversation(&lab(), legs), "how much space is left?").await;
    assert_eq!(report.backend.identity.unwrap().id, "keyword");
    let skipped: Vec<_> =
        report.backend.skipped.iter().map(|s| (s.id, s.reason.as_str())).collect();
    assert_eq!(skipped, [("ollama", "model `m` does not support tools")]);
    assert!(report.text.contains("1024 bytes"), "{}", report.text);
    assert!(double.received_at("/api/chat").is_empty(), "it was not sent anything");
}

#[tokio::test]
async fn an_absent_server_falls_through_with_its_address() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let config = OllamaConfig::new(at.parse().unwrap(), "m");
    let legs = local_first([config]).unwrap();
    let report = say(&conversation(&lab(), legs), "how much space is left?").await;
    assert_eq!(report.backend.identity.unwrap().id, "keyword");
    assert_eq!(report.backend.skipped[0].reason, format!("nothing answers at `{at}`"));
}

#[tokio::test]
async fn a_model_that_is_not_installed_is_not_ready() {
    for tags in [
        r#"{"models":[]}"#,
        r#"{"models":null}"#,
        r#"{"models":[{"name":"m:7b"},{"name":"mm:latest"},{"model":"m"}]}"#,
    ] {
        let double = showing(tags, "{}").await;
        assert_eq!(not_ready(&double).await, "model `m` is not installed", "{tags}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_say_is_asked() {
    let double = showing(TAGS, r#"{"template":"x"}"#).await;
    ollama(&double).ready().await.unwrap();
}

#[tokio::test]
async fn capabilities_are_asked_once_per_digest() {
    let digest = Arc::new(AtomicU8::new(1));
    let of_server = Arc::clone(&digest);
    let double = Double::start(move |request| match request.path.as_str() {
        "/api/tags" => {
            let digest = of_server.load(Ordering::Relaxed);
            Answer::json(
                200,
                format!(r#"{{"models":[{{"name":"m:latest","digest":"d{digest}"}}]}}"#),
            )
        }
        _ => about_the_model(request),
    })
    .await;
    let leg = ollama(&double);
    for _ in 0..3 {
        leg.ready().await.unwrap();
    }
    assert_eq!(double.received_at("/api/show").len(), 1);
    digest.store(2, Ordering::Relaxed);
    leg.ready().await.unwrap();
    assert_eq!(double.received_at("/api/show").len(), 2, "pulled again under its name");
}

#[tokio::test]
async fn what_is_known_is_dropped_when_the_server_contradicts_it() {
    for (status, error) in
        [(400, "registry.ollama.ai/library/m does not support tools"), (404, "model 'm' not found")]
    {
        let body = format!(r#"{{"error":"{error}"}}"#);
        let double = server([Answer::json(status, body), says("Hello.")]).await;
        let leg = ollama(&double);
        leg.ready().await.unwrap();
        let failed = ask(&leg).await.unwrap_err();
        assert_eq!(failed.class(), FailureClass::Unsupported);
        assert_eq!(failed.to_string(), format!("it answered {status}: {error}"));
        leg.ready().await.unwrap();
        assert_eq!(double.received_at("/api/show").len(), 2, "{status}");
    }
}

#[tokio::test]
async fn a_model_that_runs_elsewhere_is_not_asked() {
    let remote_tag =
        r#"{"models":[{"name":"m:latest","digest":"d","remote_host":"https://ollama.com:443"}]}"#;
    let double = showing(remote_tag, r#"{"capabilities":["tools"]}"#).await;
    let reason = not_ready(&double).await;
    assert_eq!(
        reason,
        "`m` runs at `https://ollama.com:443`, not on this device, and is not asked"
    );

    let double = showing(TAGS, r#"{"capabilities":["tools"],"remote_model":"gpt-oss:120b"}"#).await;
    let leg = ollama(&double);
    assert!(leg.ready().await.is_err());
    assert_eq!(leg.identity().locality, Locality::Remote);
    assert!(ask(&leg).await.is_err(), "nor without being asked whether it is ready");
    assert!(double.received_at("/api/chat").is_empty());
}

#[tokio::test]
async fn a_remote_leg_is_skipped_without_a_packet() {
    let double = server([says("Hello.")]).await;
    let cloud = OllamaConfig { model: "gpt-oss:120b-cloud".into(), ..config(&double) };
    let unroutable = OllamaConfig::new("http://192.0.2.1:11434".parse().unwrap(), "m");
    for config in [cloud, unroutable] {
        let leg = Ollama::new(config).unwrap();
        assert_eq!(leg.identity().locality, Locality::Remote);
        let error = leg.ready().await.unwrap_err().to_string();
        assert!(error.ends_with("is not on this device, and is not asked"), "{error}");
        assert!(ask(&leg).await.is_err());
    }
    assert!(double.received().is_empty());
}

#[tokio::test]
async fn a_reply_made_elsewhere_is_not_used_and_ends_the_leg() {
    let elsewhere =
        r#"{"message":{"content":"Hi."},"done":true,"remote_host":"https://ollama.com"}"#;
    let double = server([Answer::json(200, elsewhere), says("Hello.")]).await;
    let leg = ollama(&double);
    leg.ready().await.unwrap();
    let error = ask(&leg).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "its reply was made at `https://ollama.com`, not on this device, and is not used"
    );
    assert!(leg.ready().await.is_err());
    assert!(ask(&leg).await.is_err());
    assert_eq!(double.received_at("/api/chat").len(), 1);
}

#[tokio::test]
async fn a_leg_that_fails_after_a_call_loses_neither_result_nor_answer() {
    let call = r#"[{"function":{"name":"system__disk_status__v1","arguments":{}}}]"#;
    let double = server([calls(call), Answer::json(500, r#"{"error":"out of memory"}"#)]).await;
    let legs = local_first([config(&double)]).unwrap();
    let report = say(&conversation(&lab(), legs), "how much space is left?").await;
    assert_eq!(report.receipts.len(), 1, "the call ran once");
    assert!(report.text.contains("free: 1.0 KiB (1024 bytes)"), "{}", report.text);
    assert_eq!(report.backend.skipped[0].reason, "it answered 500: out of memory");
}

#[tokio::test]
async fn ollama_answers_before_the_keyword_matcher() {
    let double = server([says("Hello.")]).await;
    let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(Keyword::new()), Arc::new(ollama(&double))];
    let report = say(&conversation(&lab(), in_order(legs)), "how much space is left?").await;
    assert_eq!(report.backend.identity.unwrap().id, "ollama");
    assert_eq!((report.text.as_str(), report.backend.skipped.len()), ("Hello.", 0));
}

#[tokio::test]
async fn answers_that_make_no_sense_are_not_ready() {
    for (status, body) in [
        (200, ""),
        (200, "Ollama is running"),
        (200, "[]"),
        (200, r#"{"models":{}}"#),
        (200, r#"{"models":[null]}"#),
        (404, "404 page not found"),
        (500, ""),
        (503, "busy"),
    ] {
        let body = Mutex::new(body.to_owned());
        let double =
            Double::start(move |_| Answer::json(status, body.lock().unwrap().as_bytes())).await;
        assert!(ollama(&double).ready().await.is_err(), "{status}");
    }
}
