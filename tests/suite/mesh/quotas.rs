//! What peers can cost.
use super::*;
use sovereign_core::testing::Scripted;
use std::time::Duration;

fn others() -> Contacts {
    contacts().admit_others(Categories::NONE)
}

fn waiting(turns: usize) -> Scripted {
    (0..turns).fold(Scripted::new(), |model, _| model.proposes("lab__slow__v1", "{}"))
}

#[tokio::test]
async fn turns_of_an_hour_are_counted_for_each_contact() {
    let config = MeshConfig { turns_per_hour: 2, ..config() };
    let (station, parrot) = Station::parroting(config).await;
    let mut link = station.link().await;
    for text in ["one", "two"] {
        assert_eq!(link.ask(ALICE, text).await, said(ALICE, text));
        station.lab.clock.advance(Duration::from_secs(600));
    }
    let told = refused(ALICE, "rate_limited", "too many questions in an hour");
    assert_eq!(link.ask(ALICE, "three").await, told);
    // airtime is not spent on saying it again
    assert_eq!(link.ask(ALICE, "three").await, refused(ALICE, "rate_limited", ""));
    assert_eq!(link.ask(BOB, "one").await, said(BOB, "one"));
    // another connection is no new hour
    let again = station.link().await.ask(ALICE, "three").await;
    assert_eq!(again, refused(ALICE, "rate_limited", ""));
    station.lab.clock.advance(Duration::from_secs(2399));
    assert_eq!(link.ask(ALICE, "three").await, refused(ALICE, "rate_limited", ""));
    station.lab.clock.advance(Duration::from_secs(1));
    assert_eq!(link.ask(ALICE, "three").await, said(ALICE, "three"));
    assert_eq!(link.ask(ALICE, "four").await, told);
    assert_eq!(parrot.seen().len(), 4);
}

#[tokio::test]
async fn whoever_is_no_contact_shares_one_quota_under_any_name() {
    let config = MeshConfig { turns_per_hour: 2, contacts: others(), ..config() };
    let (station, parrot) = Station::parroting(config).await;
    let mut link = station.link().await;
    for n in 0..50 {
        link.ask(&format!("!{n}"), "hello").await;
    }
    assert_eq!(parrot.seen().len(), 2);
    assert_eq!(link.ask(ALICE, "hello").await, said(ALICE, "hello"));
}

#[tokio::test]
async fn message_over_its_bytes_is_refused_and_counts_nothing() {
    let config = MeshConfig { message_bytes: 8, turns_per_hour: 1, ..config() };
    let (station, parrot) = Station::parroting(config).await;
    let mut link = station.link().await;
    let no = refused(ALICE, "message_too_long", "the message is too long");
    assert_eq!(link.ask(ALICE, "123456789").await, no);
    // bytes, not characters
    assert_eq!(link.ask(ALICE, "日本語").await, refused(ALICE, "message_too_long", ""));
    assert_eq!(link.ask(ALICE, "12345678").await, said(ALICE, "12345678"));
    assert_eq!(parrot.seen().len(), 1);
}

#[tokio::test]
async fn second_message_of_a_peer_is_busy_and_leaves_the_first_alone() {
    let station = Station::of(config(), vec![Arc::new(waiting(1).says("done"))]).await;
    let mut link = station.link().await;
    link.says(ALICE, "slow").await;
    station.state.started.notified().await;
    let told = refused(ALICE, "busy", "your last question is still being answered");
    assert_eq!(link.ask(ALICE, "and?").await, told);
    // also through another link process
    let other = station.link().await.ask(ALICE, "and?").await;
    assert_eq!(other, refused(ALICE, "busy", ""));
    station.state.gate.notify_one();
    assert_eq!(link.answer().await, json!({"peer": ALICE, "text": "[ran lab.slow] done"}));
}

/// B32.
#[tokio::test]
async fn slow_turn_holds_up_neither_the_listener_nor_other_peers() {
    let model = waiting(1).says("quick").says("done");
    let station = Station::of(config(), vec![Arc::new(model)]).await;
    let mut link = station.link().await;
    link.says(ALICE, "slow").await;
    station.state.started.notified().await;
    assert_eq!(link.ask(BOB, "quick?").await, said(BOB, "quick"));
    let mut other = station.link().await;
    assert_eq!(other.ask(EVE, "hello").await, refused(EVE, "not_admitted", ""));
    station.state.gate.notify_one();
    assert_eq!(link.answer().await["peer"], ALICE);
}

#[tokio::test]
async fn turns_at_once_are_limited_and_so_is_the_queue() {
    let contacts = (0..9).fold(Contacts::default(), |contacts, n| {
        contacts.allow(peer(&format!("!{n}")), [Category::System].into())
    });
    let model = waiting(1).says("0").says("1").says("2");
    let config = MeshConfig { contacts, concurrent: 1, queued: 2, ..config() };
    let station = Station::of(config, vec![Arc::new(model.clone())]).await;
    let mut link = station.link().await;
    link.says("!0", "slow").await;
    station.state.started.notified().await;
    link.says("!1", "next").await;
    link.says("!2", "next").await;
    let told = "too many are asking: try again later";
    assert_eq!(link.ask("!3", "next").await, refused("!3", "overloaded", told));
    assert_eq!(model.seen().len(), 1, "the queue waits");
    station.state.gate.notify_one();
    assert_eq!(link.answer().await["peer"], "!0");
    assert_eq!([link.answer().await, link.answer().await], [said("!1", "1"), said("!2", "2")]);
}

#[tokio::test]
async fn flood_costs_the_quota_and_no_more() {
    let config = MeshConfig { turns_per_hour: 3, contacts: others(), ..config() };
    let (station, parrot) = Station::parroting(config).await;
    let link = station.link().await;
    let Link { mut answers, mut lines } = link;
    let flood = tokio::spawn(async move {
        for n in 0..3000 {
            let peer = [ALICE, BOB, EVE][n % 3];
            let line = format!("{}\n", json!({"peer": peer, "text": format!("flood {n}")}));
            lines.write_all(line.as_bytes()).await.unwrap();
        }
        lines
    });
    let (mut count, mut on_air) = (0, 0);
    while count < 3000 {
        let line = answers.next_line().await.unwrap().expect("an answer to each line");
        let answer: Value = serde_json::from_str(&line).unwrap();
        on_air += usize::from(!answer["text"].as_str().unwrap().is_empty());
        count += 1;
    }
    drop(flood.await.unwrap());
    // up to three each: two contacts, and everybody else; more while one is answered is busy
    let turns = parrot.seen().len();
    assert!((3..=9).contains(&turns), "{turns} turns");
    // each turn, and at most two reasons in between
    assert!(on_air <= 9 * 3, "{on_air} answers on the air");
}
