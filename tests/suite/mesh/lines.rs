//! What a link process may write.
use super::*;
use sovereign_core::testing::Scripted;
use std::time::Duration;

fn unread(code: &str) -> Value {
    json!({"peer": null, "text": "", "code": code})
}

/// The tail of a line that is too long is not the next message.
#[tokio::test]
async fn huge_line_is_refused_whole() {
    let (station, parrot) = Station::parroting(config()).await;
    let mut link = station.link().await;
    let forged = json!({"peer": BOB, "text": "forged"}).to_string();
    let text = "x".repeat((32 << 10) - 20);
    for filler in [text.clone(), "x".repeat(3 << 20), format!("{text}{}", " ".repeat(100_000))] {
        link.bytes(format!("{}\n", [&*filler, &*forged].concat()).as_bytes()).await;
        assert_eq!(link.answer().await, unread("line_too_long"));
    }
    assert!(parrot.seen().is_empty());
    assert_eq!(link.ask(BOB, "mine").await, said(BOB, "mine"));
}

#[tokio::test]
async fn longest_message_fits_however_it_is_escaped() {
    let config = MeshConfig { message_bytes: 4096, reply_bytes: 4096, ..config() };
    let (station, _) = Station::parroting(config).await;
    let mut link = station.link().await;
    let escaped = "\\u0041".repeat(4096);
    link.bytes(format!("{{\"peer\":\"{ALICE}\",\"text\":\"{escaped}\"}}\n").as_bytes()).await;
    assert!(link.answer().await["text"].as_str().unwrap().contains(&"A".repeat(4000)));
}

#[tokio::test]
async fn half_line_is_no_message() {
    let (station, parrot) = Station::parroting(config()).await;
    let mut link = station.link().await;
    link.bytes(json!({"peer": ALICE, "text": "half"}).to_string().as_bytes()).await;
    link.lines.shutdown().await.unwrap();
    assert_eq!(link.next().await, None);
    assert!(parrot.seen().is_empty());
}

#[tokio::test]
async fn message_may_come_in_pieces() {
    let (station, _) = Station::parroting(config()).await;
    let mut link = station.link().await;
    for byte in format!("{}\n", json!({"peer": ALICE, "text": "wörter"})).bytes() {
        link.bytes(&[byte]).await;
    }
    assert_eq!(link.answer().await, said(ALICE, "wörter"));
}

#[tokio::test]
async fn line_that_is_no_message_harms_nobody() {
    let (station, parrot) = Station::parroting(config()).await;
    let mut link = station.link().await;
    for line in [
        &b"{\"peer\":\"!a11ce\",\"text\":\"\xff\xfe\"}"[..],
        b"",
        b"\0\0\0",
        b"{",
        b"[\"!a11ce\",\"hello\"]",
        br#"{"peer":"!a11ce","text":"a","text":"b"}"#,
        br#"{"peer":"!a11ce","text":"a","scope":"operator"}"#,
        "[".repeat(20_000).as_bytes(),
    ] {
        link.bytes(&[line, b"\n"].concat()).await;
        assert_eq!(link.answer().await, unread("invalid_message"));
    }
    assert!(parrot.seen().is_empty());
    assert_eq!(link.ask(ALICE, "hello").await, said(ALICE, "hello"));
}

#[tokio::test]
async fn link_that_closes_its_side_gets_what_it_asked_for() {
    let (station, _) = Station::parroting(config()).await;
    let mut link = station.link().await;
    link.says(ALICE, "hello").await;
    link.lines.shutdown().await.unwrap();
    assert_eq!(link.next().await, Some(said(ALICE, "hello")));
    assert_eq!(link.next().await, None);
}

#[tokio::test]
async fn link_that_goes_away_in_a_turn_leaves_the_peer_able_to_ask() {
    let model = Scripted::new().proposes("lab__slow__v1", "{}").says("lost").says("again");
    let station = Station::of(config(), vec![Arc::new(model)]).await;
    let mut link = station.link().await;
    link.says(ALICE, "slow").await;
    station.state.started.notified().await;
    drop(link);
    let mut link = station.link().await;
    assert_eq!(link.ask(ALICE, "hello?").await["code"], "busy");
    station.state.gate.notify_one();
    // whoever asks while the turn ends is busy; then its place is free
    let answer = loop {
        let answer = link.ask(ALICE, "hello?").await;
        if answer["code"] != "busy" {
            break answer;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(answer, said(ALICE, "again"));
    assert_eq!(station.ends(), [("executed".to_owned(), None)]);
}

#[tokio::test]
async fn link_that_does_not_read_is_closed_and_others_are_served() {
    let (station, _) = Station::parroting(config()).await;
    let deaf = UnixStream::connect(station.path()).await.unwrap();
    let line = format!("{}\n", json!({"peer": EVE, "text": "hello"}));
    let mut is_closed = false;
    // time goes on only while nobody can read or write: nothing waits for a real second
    for _ in 0..1_000_000 {
        match deaf.try_write(line.as_bytes()) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                tokio::task::yield_now().await;
                station.lab.clock.advance(Duration::from_millis(100));
            }
            Err(_) => {
                is_closed = true;
                break;
            }
        }
    }
    assert!(is_closed);
    assert_eq!(station.link().await.ask(ALICE, "hello").await, said(ALICE, "hello"));
}

#[tokio::test]
async fn only_so_many_links_are_served_at_once() {
    let (station, _) = Station::parroting(config()).await;
    let mut links = Vec::new();
    for _ in 0..4 {
        let mut link = station.link().await;
        assert_eq!(link.ask(ALICE, "hello").await, said(ALICE, "hello"));
        links.push(link);
    }
    let mut fifth = station.link().await;
    let line = format!("{}\n", json!({"peer": BOB, "text": "hello"}));
    // the write may meet a closed socket, and nothing is answered either way
    let _ = fifth.lines.write_all(line.as_bytes()).await;
    assert_eq!(fifth.next().await, None);
    assert_eq!(links[0].ask(ALICE, "still here").await, said(ALICE, "still here"));
    links.pop();
    loop {
        let mut link = station.link().await;
        // its write may meet a closed socket while the place is not free yet
        let line = format!("{}\n", json!({"peer": BOB, "text": "hello"}));
        if link.lines.write_all(line.as_bytes()).await.is_ok()
            && let Some(answer) = link.next().await
        {
            assert_eq!(answer, said(BOB, "hello"));
            break;
        }
    }
}
