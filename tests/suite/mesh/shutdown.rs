//! How it ends.
use super::*;
use sovereign_core::testing::Scripted;

#[tokio::test]
async fn shutdown_stops_turns_and_leaves_no_call_open() {
    let model = Scripted::new().proposes("lab__slow__v1", "{}").says("too late");
    let config = MeshConfig { concurrent: 1, ..config() };
    let station = Station::of(config, vec![Arc::new(model)]).await;
    let mut link = station.link().await;
    link.says(ALICE, "slow").await;
    station.state.started.notified().await;
    link.says(BOB, "waits").await;
    // it is in the queue: the answer to what came after it says so
    link.says(EVE, "hello").await;
    assert_eq!(link.answer().await["peer"], EVE);
    let path = station.path();
    let station = station.stop().await;
    assert_eq!(station.ends(), [("cancelled".to_owned(), station.ends()[0].1)]);
    assert!(station.state.ran().is_empty());
    let mut ended = [link.answer().await, link.answer().await];
    ended.sort_by_key(|answer| answer["peer"].to_string());
    let over = |peer| refused(peer, "shutting_down", "");
    assert_eq!(ended, [over(ALICE), over(BOB)]);
    assert_eq!(link.next().await, None);
    assert!(!path.exists());
}

#[tokio::test]
async fn shutdown_closes_idle_links() {
    let (station, _) = Station::parroting(config()).await;
    let mut link = station.link().await;
    assert_eq!(link.ask(ALICE, "hello").await, said(ALICE, "hello"));
    let _station = station.stop().await;
    assert_eq!(link.next().await, None);
}

#[tokio::test]
async fn server_that_is_dropped_drops_its_turns() {
    let model = Scripted::new().proposes("lab__slow__v1", "{}");
    let station = Station::of(config(), vec![Arc::new(model)]).await;
    let mut link = station.link().await;
    link.says(ALICE, "slow").await;
    station.state.started.notified().await;
    station.served.abort();
    assert_eq!(link.next().await, None);
}
