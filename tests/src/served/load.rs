#![expect(clippy::disallowed_methods, reason = "it measures time")]
use super::{Home, PASSWORD, Page, Served, records};
use serde_json::{Value, json};
use sovereign_core::audit::{StoredCall, StoredEntry};
use sovereign_core::clock::SystemClock;
use sovereign_node::serve::Role;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many sessions one account may have.
const PER_ACCOUNT: usize = 16;
/// One chat in so many needs a decision, which two tabs race for.
const DECIDES: usize = 4;

/// What a load came to; that nothing was lost or doubled was checked before it was made.
#[derive(Debug)]
pub struct Figures {
    pub chats: usize,
    pub decisions: usize,
    /// Decisions that were approved, and ran.
    pub approved: usize,
    /// From the first message to the last answer.
    pub took: Duration,
    /// How long one chat took, decision included: half of them less, and the longest.
    pub median: Duration,
    pub longest: Duration,
    /// Records in the audit log.
    pub records: usize,
}

/// So many chats at once, each in a session of its own, over loopback.
///
/// # Panics
/// When an answer is an error, an effect is lost or doubled, or the audit log is not complete.
pub async fn load(chats: usize) -> Figures {
    let home = Home::new();
    let accounts = home.accounts();
    for n in 0..chats.div_ceil(PER_ACCOUNT) {
        accounts.add(&format!("user{n}"), Role::Operator, PASSWORD).expect("an account");
    }
    let clock = Arc::new(SystemClock::default());
    let served = home.serve_with(Arc::new(super::Obedient), clock).await;
    let pages = pages(&served, chats).await;
    let before = Instant::now();
    let mut running = Vec::new();
    for (n, page) in pages.into_iter().enumerate() {
        running.push(tokio::spawn(async move {
            let begun = Instant::now();
            let outcome = chat(&page, n).await;
            (n, outcome, begun.elapsed())
        }));
    }
    let (mut outcomes, mut times) = (BTreeMap::new(), Vec::new());
    for chat in running {
        let (n, outcome, time) = chat.await.expect("a chat without an error");
        outcomes.insert(n, outcome);
        times.push(time);
    }
    let took = before.elapsed();
    served.stop().await;
    times.sort();
    let approved = check(&home, &outcomes);
    Figures {
        chats,
        decisions: (0..chats).filter(|n| decides(*n)).count(),
        approved,
        took,
        median: times.get(times.len() / 2).copied().unwrap_or_default(),
        longest: times.last().copied().unwrap_or_default(),
        records: records(&home.audit()).len(),
    }
}

fn decides(n: usize) -> bool {
    n.is_multiple_of(DECIDES)
}

async fn pages(served: &Served, chats: usize) -> Vec<Page> {
    let mut pages = Vec::new();
    for n in 0..chats {
        pages.push(served.login(&format!("user{}", n / PER_ACCOUNT)).await);
    }
    pages
}

/// The outcome of the one proposal that a chat makes; nothing when it makes none.
async fn chat(page: &Page, n: usize) -> Option<String> {
    let text = match n % DECIDES {
        0 => format!("send q{n}"),
        1 => "read".to_owned(),
        2 => "disk".to_owned(),
        _ => format!("words {n}"),
    };
    let answer = page.call("assistant.chat", json!({ "text": text })).await.result();
    let report = if decides(n) {
        assert_eq!(answer["state"], "awaiting_decision", "{answer}");
        decided(page, n).await
    } else {
        assert_eq!(answer["state"], "finished", "{answer}");
        answer["report"].clone()
    };
    assert!(report["error"].is_null(), "{report}");
    report["receipts"][0]["outcome"].as_str().map(str::to_owned)
}

/// Two tabs answer at once: one approves, and the other approves or denies.
async fn decided(page: &Page, n: usize) -> Value {
    let ((id, one), (_, two)) = tokio::join!(page.surfaced(), page.surfaced());
    let other = if n.is_multiple_of(2 * DECIDES) { "approve" } else { "deny" };
    let (first, second) =
        tokio::join!(page.decide(&id, &one, "approve"), page.decide(&id, &two, other));
    let mut codes = [first.code(), second.code()];
    codes.sort();
    assert_eq!(codes, ["", "already_resolved"], "one of them decides");
    page.settled().await["report"].clone()
}

/// That the log has exactly one end for each proposal, as its chat was told, and that what was approved
/// ran once and nothing else did.
fn check(home: &Home, outcomes: &BTreeMap<usize, Option<String>>) -> usize {
    let verified = sovereign_core::audit::verify(&home.audit()).expect("a whole log");
    assert_eq!(verified.head.map(|head| head.n), Some(verified.records), "all of it is sealed");
    let mut ends: BTreeMap<String, Vec<StoredCall>> = BTreeMap::new();
    let mut asked = 0;
    for record in records(&home.audit()) {
        let StoredEntry::Call(call) = record.entry else { continue };
        asked += usize::from(call.mark == "awaiting_confirmation");
        if call.outcome.is_some() {
            ends.entry(call.id.clone()).or_default().push(call);
        }
    }
    assert!(ends.values().all(|ends| ends.len() == 1), "a proposal has two ends");
    assert_eq!(ends.len(), outcomes.values().flatten().count(), "a proposal has no end");
    let deciding = outcomes.keys().filter(|n| decides(**n)).count();
    assert_eq!(asked, deciding);
    let mut told: Vec<&str> = outcomes.values().flatten().map(String::as_str).collect();
    let mut written: Vec<&str> =
        ends.values().flatten().filter_map(|end| end.outcome.as_deref()).collect();
    told.sort_unstable();
    written.sort_unstable();
    assert_eq!(told, written);
    let ran = home.lab.ran();
    let mut approved = 0;
    for (n, outcome) in outcomes.iter().filter(|(n, _)| decides(**n)) {
        let times = ran.iter().filter(|line| **line == format!("send q{n} None")).count();
        let executed = outcome.as_deref() == Some("executed");
        assert!(executed || outcome.as_deref() == Some("denied"), "{outcome:?}");
        assert_eq!(times, usize::from(executed), "chat {n}");
        approved += times;
    }
    let reads = outcomes.keys().filter(|n| **n % DECIDES == 1).count();
    assert_eq!(ran.len(), approved + reads, "nothing else ran");
    approved
}
