//! What a stop waits for.
use serde_json::{Value, json};
use sovereign_tests::served::{Gated, Home, Obedient, PASSWORD, events, within};
use std::sync::Arc;
use std::time::Duration;

/// Begins this, stops the daemon while its record is on its way to the disk, and gives the events.
async fn met_by_a_stop(method: &str, params: Value) -> Vec<String> {
    let home = Home::new().with_accounts();
    let mut parts = home.parts(Arc::new(Obedient), Arc::new(home.clock.clone()));
    let log = Gated::new(Arc::clone(&parts.audit));
    parts.audit = Arc::clone(&log) as _;
    let served = home.serve_parts(parts).await;
    let page = served.operator().await;
    log.shut();
    let tab = page.call_unheard(method, params).await;
    within(log.waits.notified()).await;
    drop(tab);
    let mut stopping = tokio::spawn(served.stop());
    // long enough for one that does not wait; one that does is not hurried by it
    let early = tokio::time::timeout(Duration::from_millis(300), &mut stopping).await;
    assert!(early.is_err(), "it did not wait");
    log.open();
    within(stopping).await.unwrap();
    events(&home.audit())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_being_ended_is_over_before_the_program() {
    let events = met_by_a_stop("auth.logout", json!({})).await;
    assert_eq!(events.last().map(String::as_str), Some("logout"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_accounts_that_a_stop_meets_is_carried_through() {
    let add = json!({
        "action": "add", "user": "carol", "role": "viewer", "password": PASSWORD,
        "own_password": PASSWORD,
    });
    let events = met_by_a_stop("auth.users", add).await;
    assert_eq!(events.last().map(String::as_str), Some("accounts_changed"));
}
