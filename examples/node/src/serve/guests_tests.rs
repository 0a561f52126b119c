use super::Guests;
use std::sync::Arc;
use std::time::Duration;

/// Ends when the guest is told to leave; no test waits for ever.
async fn leaves(place: &super::Place) {
    let patience = Duration::from_secs(30);
    tokio::time::timeout(patience, place.guest.leaves()).await.expect("it makes room");
}

#[tokio::test]
async fn whoever_waits_for_an_answer_does_not_make_room() {
    let guests = Arc::new(Guests::new(2));
    let (oldest, newer) = (guests.admit().await.unwrap(), guests.admit().await.unwrap());
    let asking = oldest.guest.asks();
    let third = tokio::spawn({
        let guests = Arc::clone(&guests);
        async move { guests.admit().await }
    });
    leaves(&newer).await;
    drop(newer);
    let third = third.await.unwrap().unwrap();
    // once it has its answer it is one of them again, and the last that was heard of
    drop(asking);
    let fourth = tokio::spawn(async move { guests.admit().await });
    leaves(&third).await;
    drop(third);
    drop(fourth.await.unwrap().unwrap());
}
