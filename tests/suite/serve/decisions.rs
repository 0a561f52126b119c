//! Turns and decisions over HTTP.
use serde_json::{Value, json};
use sovereign_tests::served::{AVAILABLE, Home, Page, within};

async fn say(page: &Page, text: &str) -> Value {
    within(page.call("assistant.chat", json!({ "text": text }))).await.result()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_how_much_space_is_left_is_the_figure_of_the_direct_call() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let answer = say(&page, "disk").await;
    assert_eq!(answer["state"], "finished");
    let direct = page.call("system.disk-status", json!({})).await.result();
    assert_eq!(direct["available_bytes"], AVAILABLE);
    let text = answer["report"]["text"].as_str().unwrap();
    assert!(text.contains(&format!("\"available_bytes\":{AVAILABLE}")), "{text}");
    // both went through the one pipeline
    let named = |r: &sovereign_core::audit::StoredRecord| match &r.entry {
        sovereign_core::audit::StoredEntry::Call(call) => Some(call.named()),
        sovereign_core::audit::StoredEntry::Administrative(_) => None,
    };
    let calls: Vec<_> = served.records().iter().filter_map(named).collect();
    assert_eq!(calls, ["system.disk_status@1", "system.disk_status@1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approved_call_runs_once_and_the_other_tab_is_told() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let tab = served.operator().await;
    let other = tab.clone();
    let asked = say(&tab, "send question").await;
    assert_eq!(asked["state"], "awaiting_decision");
    assert_eq!(asked["pending"]["disclosure"]["capability"], "lab.send");
    assert_eq!(asked["pending"]["expires_in_seconds"], 120);
    assert!(!asked.to_string().contains("token"), "{asked}");
    let ((id, first), (_, second)) = (tab.surfaced().await, other.surfaced().await);
    assert_ne!(first, second);
    let (one, two) =
        tokio::join!(tab.decide(&id, &first, "approve"), other.decide(&id, &second, "approve"));
    let mut codes = [one.code(), two.code()];
    codes.sort();
    assert_eq!(codes, ["", "already_resolved"]);
    let status = within(tab.settled()).await;
    assert_eq!(status["state"], "idle");
    assert_eq!(status["report"]["receipts"][0]["outcome"], "executed");
    assert_eq!(home.lab.ran(), ["send question None"]);
}
