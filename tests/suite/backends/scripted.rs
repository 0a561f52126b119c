//! Literal bodies, through the real conversion and the real executor.
use super::fixtures::{conversation, lab, say};
use sovereign_backends::scripted::Scripted;
use sovereign_core::audit::OutcomeKind;
use std::sync::Arc;

#[tokio::test]
async fn literal_bodies_drive_a_turn() {
    let model = Scripted::ollama()
        .replies(r#"{"message":{"content":"","tool_calls":[{"id":"call_a","function":{"name":"system__disk_status__v1","arguments":{}}}]},"done":true}"#)
        .replies(r#"{"message":{"content":"1 KiB is left."},"done":true}"#);
    let report = say(&conversation(&lab(), vec![Arc::new(model.clone())]), "how much?").await;
    assert_eq!(report.text, "1 KiB is left.");
    assert_eq!(report.receipts[0].outcome, OutcomeKind::Executed);
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].contains(r#"\"free_bytes\":1024"#), "{}", requests[1]);
}

#[tokio::test]
async fn a_literal_error_fails_the_leg() {
    let model = Scripted::ollama().answers(503, r#"{"error":"server busy"}"#);
    let report = say(&conversation(&lab(), vec![Arc::new(model)]), "how much?").await;
    assert_eq!(report.backend.skipped[0].reason, "it answered 503: server busy");
    assert!(report.error.is_some());
}
