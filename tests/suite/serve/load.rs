//! Many at once; `serve_load` does the same with more.
use sovereign_tests::served::{load, within};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chats_at_once_with_decisions_racing_lose_and_double_nothing() {
    let figures = within(load(32)).await;
    assert_eq!((figures.chats, figures.decisions), (32, 8));
    assert!(figures.approved >= 4, "those that both tabs approve run: {figures:?}");
}
