//! The books must balance after each crash, on each disk that may come up, for each kind of node.
use super::node::{Books, WAYS, Way};
use super::*;
use crate::routstr::purse::lossy::{Lossy, purse_on, texts};

const SATS: u64 = 10;

/// Sats that the owner has or can still fetch, by the node's books.
fn fortune(purse: &Purse, books: &Books) -> u64 {
    let held = texts(purse);
    let worth = |text: &str| match (CashuToken::parse(text), books.redemption(text)) {
        (Ok(token), None) => token.amount_msat() / 1000,
        _ => 0,
    };
    let own: u64 = held.iter().map(|text| worth(text)).sum();
    let owed = held.iter().filter_map(|text| books.redemption(text)?.change.clone());
    let owed: u64 = owed.filter(|change| !held.contains(change)).map(|change| worth(&change)).sum();
    own + owed
}

fn kept(books: &Books) -> u64 {
    books.redeemed.iter().map(|redeemed| redeemed.kept_sats).sum()
}

fn balances(purse: &Purse, books: &Books, when: &str) {
    assert_eq!(fortune(purse, books) + kept(books), SATS, "{when}: {purse:?} {books:?}");
    assert_eq!(books.double_spends, 0, "{when}: sent twice");
}

#[tokio::test]
async fn money_is_never_lost_or_sent_twice_wherever_power_goes() {
    let mut crashes = 0;
    for way in WAYS {
        for stop in 0.. {
            let node = Node::start(way).await;
            let storage = Arc::<Lossy>::default();
            let purse = purse_on(Arc::clone(&storage));
            purse.add(cash(SATS, 1)).unwrap();
            storage.stop_after(stop);
            // answered or not: what counts is what is on the disk
            drop(ask(&leg(&node, &purse)).await);
            let when = format!("{way:?}, power gone at {stop}");
            balances(&purse, &node.books(), &when);
            for device in storage.after_power_loss() {
                let before = node.books().clone();
                let purse = purse_on(device);
                balances(&purse, &node.books(), &format!("{when}, then started"));
                node.books().way = Way::Honest;
                let after = leg(&node, &purse);
                after.recover().await.unwrap();
                balances(&purse, &node.books(), &format!("{when}, then recovered"));
                drop(ask(&after).await);
                balances(&purse, &node.books(), &format!("{when}, then asked again"));
                *node.books() = before;
            }
            if !storage.stopped() {
                break;
            }
            crashes += 1;
        }
    }
    assert!(crashes > WAYS.len() * 5, "each operation was the last one once: {crashes}");
}

#[tokio::test]
async fn nothing_is_sent_when_the_token_cannot_be_marked() {
    for stop in 0..5 {
        let node = Node::start(Way::Honest).await;
        let storage = Arc::<Lossy>::default();
        let purse = purse_on(Arc::clone(&storage));
        purse.add(cash(SATS, 1)).unwrap();
        storage.stop_after(stop);
        let error = ask(&leg(&node, &purse)).await.unwrap_err().to_string();
        assert_eq!(error, "no token is sent that cannot be marked: cannot use `model`");
        assert_eq!(node.books().presented.len(), 0, "stop {stop}");
    }
}

/// The issue's own words: the unspent token is found after a restart and offered.
#[tokio::test]
async fn a_token_that_was_marked_and_never_sent_is_offered_to_its_owner() {
    let node = Node::start(Way::CutsBefore).await;
    let storage = Arc::<Lossy>::default();
    let purse = purse_on(Arc::clone(&storage));
    let id = purse.add(cash(SATS, 1)).unwrap();
    ask(&leg(&node, &purse)).await.unwrap_err();
    let device = storage.after_power_loss().remove(0);
    let purse = purse_on(device);
    node.books().way = Way::Honest;
    let after = leg(&node, &purse);
    assert_eq!(after.recover().await.unwrap().unclaimed, 1);
    let error = ask(&after).await.unwrap_err().to_string();
    assert_eq!(error, "the purse holds no unspent token", "not before its owner says so");
    assert_eq!(node.books().presented.len(), 1);
    purse.release(id).unwrap();
    assert_eq!(ask(&after).await.unwrap().text, "Hello.");
}
