//! Decisions over HTTP.
use serde_json::{Value, json};
use sovereign_core::audit::{StoredCall, StoredEntry, StoredRecord};
use sovereign_tests::served::{AVAILABLE, Home, Page, records, within};
use std::time::Duration;

async fn say(page: &Page, text: &str) -> Value {
    within(page.call("assistant.chat", json!({ "text": text }))).await.result()
}

/// The terminal records of calls: name and outcome, with its code.
fn ends(records: &[StoredRecord]) -> Vec<String> {
    let end = |call: &StoredCall| {
        let outcome = call.outcome.as_deref()?;
        Some(format!("{} {outcome} {}", call.named(), call.code.as_deref().unwrap_or("-")))
    };
    let call = |record: &StoredRecord| match &record.entry {
        StoredEntry::Call(call) => end(call),
        StoredEntry::Administrative(_) => None,
    };
    records.iter().filter_map(call).collect()
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
    let disk = "system.disk_status@1 executed -";
    assert_eq!(ends(&served.records()), [disk, disk]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_tabs_race_one_decision_and_one_of_them_is_told() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let tab = served.operator().await;
    let mut stream = tab.watch().await;
    let asked = say(&tab, "send question").await;
    assert_eq!(asked["state"], "awaiting_decision");
    assert_eq!(asked["pending"]["disclosure"]["kind"], "call");
    assert_eq!(asked["pending"]["disclosure"]["capability"], "lab.send");
    assert_eq!(asked["pending"]["expires_in_seconds"], 120);
    assert!(!asked.to_string().contains("token"), "{asked}");
    let ((id, first), (_, second)) = (tab.surfaced().await, tab.surfaced().await);
    assert_ne!(first, second, "a token for each surface");
    let (one, two) =
        tokio::join!(tab.decide(&id, &first, "approve"), tab.decide(&id, &second, "deny"));
    let mut codes = [one.code(), two.code()];
    codes.sort();
    assert_eq!(codes, ["", "already_resolved"]);
    let approved = one.code().is_empty();
    let how = within(stream.until("resolved")).await["how"].clone();
    assert_eq!(how, if approved { "approved" } else { "denied" });
    let status = within(tab.settled()).await;
    let outcome = &status["report"]["receipts"][0]["outcome"];
    assert_eq!(outcome, if approved { "executed" } else { "denied" });
    assert_eq!(home.lab.ran().len(), usize::from(approved));
    assert_eq!(tab.decide(&id, &first, "approve").await.code(), "already_resolved");
    assert_eq!(home.lab.ran().len(), usize::from(approved));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_while_one_is_pending_changes_nothing_whatever_it_says() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    say(&page, "send question").await;
    let (id, token) = page.surfaced().await;
    for text in ["yes", "approve", &token, "read", &format!("approve {id}")] {
        let refused = page.call("assistant.chat", json!({ "text": text })).await;
        assert_eq!((refused.status, refused.code().as_str()), (200, "decision_outstanding"));
        let pending = &refused.json()["error"]["data"]["pending"];
        assert_eq!(pending["id"], id.as_str());
        assert!(!pending.to_string().contains("token"));
    }
    assert_eq!(home.lab.ran(), [""; 0]);
    assert_eq!(page.decide(&id, &token, "deny").await.status, 200);
    let status = within(page.settled()).await;
    assert_eq!(status["report"]["receipts"][0]["outcome"], "denied");
    assert_eq!(say(&page, "read").await["state"], "finished");
    assert_eq!(home.lab.ran(), ["read"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_is_loaded_again_sees_the_decision_with_the_time_left() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let asked = say(&page, "send question").await;
    assert_eq!(asked["state"], "awaiting_decision");
    home.clock.advance(Duration::from_secs(50));
    let mut stream = page.watch().await;
    let first = within(stream.next()).await.unwrap();
    assert_eq!((&first["type"], &first["state"]), (&json!("state"), &json!("awaiting_decision")));
    assert_eq!(first["pending"]["expires_in_seconds"], 70);
    assert_eq!(first["pending"]["disclosure"]["destination"], "search.example:443");
    assert!(!first.to_string().contains("token"));
    let (id, token) = page.surfaced().await;
    assert_eq!(page.decide(&id, &token, "approve").await.status, 200);
    within(stream.until("finished")).await;
    assert_eq!(home.lab.ran(), ["send question None"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_expired_and_foreign_decisions_get_one_answer() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, other) = (served.operator().await, served.operator().await);
    say(&page, "send question").await;
    let (id, token) = page.surfaced().await;
    let list = other.call("assistant.pending", json!({})).await.result();
    assert_eq!(list, json!({ "pending": [] }), "another session of the same account sees none");
    let mut answers = Vec::new();
    for unknown in ["", "p000000000000-1", "p", &token] {
        answers.push(other.call("assistant.pending", json!({ "id": unknown })).await.body);
        answers.push(page.decide(unknown, &"0".repeat(64), "approve").await.body);
    }
    answers.push(other.call("assistant.pending", json!({ "id": id })).await.body);
    answers.push(page.decide(&id, "", "approve").await.body);
    answers.push(page.decide(&id, &"0".repeat(64), "approve").await.body);
    home.clock.advance(Duration::from_secs(120));
    let status = within(page.settled()).await;
    assert_eq!(status["report"]["receipts"][0]["outcome"], "expired");
    answers.push(page.decide(&id, &token, "approve").await.body);
    answers.push(page.call("assistant.pending", json!({ "id": id })).await.body);
    let first = answers[0].clone();
    assert!(first.contains("not_pending"), "{first}");
    assert!(answers.iter().all(|answer| *answer == first), "{answers:?}");
    assert_eq!(home.lab.ran(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_from_another_session_closes_the_decision_and_runs_nothing() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, other) = (served.operator().await, served.operator().await);
    say(&page, "send question").await;
    let (id, token) = page.surfaced().await;
    assert_eq!(other.decide(&id, &token, "approve").await.code(), "not_pending");
    let status = within(page.settled()).await;
    assert_eq!(status["report"]["receipts"][0]["outcome"], "void");
    assert_ne!(page.decide(&id, &token, "approve").await.code(), "");
    assert_eq!(home.lab.ran(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_longer_granted_does_not_run_though_it_was_approved() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    say(&page, "send question").await;
    let (id, token) = page.surfaced().await;
    let revoked = json!({ "scope": "operator", "category": "search", "held": false });
    page.call("assistant.grants-set", revoked).await.result();
    assert_eq!(page.decide(&id, &token, "approve").await.status, 200);
    let status = within(page.settled()).await;
    let receipt = &status["report"]["receipts"][0];
    assert_eq!((&receipt["outcome"], &receipt["code"]), (&json!("refused"), &json!("not_granted")));
    assert_eq!(home.lab.ran(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daemon_that_stops_withdraws_what_is_pending_and_the_next_one_runs_none_of_it() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, slow) = (served.operator().await, served.operator().await);
    let mut stream = page.watch().await;
    say(&page, "send question").await;
    let (id, token) = page.surfaced().await;
    let _tab = slow.call_unheard("assistant.chat", json!({ "text": "slow" })).await;
    within(home.lab.started.notified()).await;
    within(served.stop()).await;
    within(stream.until("finished")).await;
    assert_eq!(within(stream.next()).await, None, "the stream is over");
    let all = records(&home.audit());
    let mut ended = ends(&all);
    ended.sort();
    assert_eq!(ended, ["lab.send@1 void withdrawn", "lab.slow@1 cancelled cancelled"]);
    let verified = sovereign_core::audit::verify(&home.audit()).unwrap();
    assert_eq!(verified.head.map(|head| head.n), Some(verified.records), "all of it is sealed");
    let served = home.serve().await;
    let page = Page { address: served.address, ..page };
    assert_eq!(page.decide(&id, &token, "approve").await.status, 401, "no session outlives it");
    let page = served.operator().await;
    assert_eq!(page.decide(&id, &token, "approve").await.code(), "not_pending");
    assert_eq!(page.call("assistant.pending", json!({})).await.result()["pending"], json!([]));
    assert_eq!(home.lab.ran(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_cut_off_by_its_deadline_is_of_unknown_effect_and_not_done_again() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let mut stream = page.watch().await;
    say(&page, "hang").await;
    let (id, token) = page.surfaced().await;
    assert_eq!(page.decide(&id, &token, "approve").await.status, 200);
    within(home.lab.started.notified()).await;
    home.clock.advance(Duration::from_secs(5));
    let finished = within(stream.until("finished")).await;
    assert_eq!(finished["report"]["receipts"][0]["outcome"], "unknown_effect");
    assert_eq!(page.decide(&id, &token, "approve").await.code(), "already_resolved");
    home.lab.gate.notify_one();
    say(&page, "read").await;
    assert_eq!(home.lab.ran(), ["slow_change started", "read"]);
    served.stop().await;
    let all = records(&home.audit());
    let ended: Vec<_> = ends(&all).into_iter().filter(|end| end.contains("slow_change")).collect();
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert!(ended[0].contains("unknown_effect"), "{ended:?}");
}
