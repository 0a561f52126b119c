//! The ledger under a scheduler that decides who goes next: the same source, with its locks replaced.

mod sync {
    pub(super) use shuttle::sync::{Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;
}
#[expect(dead_code, unreachable_pub, reason = "a second reading of a file that is used whole")]
mod ledger {
    include!("ledger.rs");
}

use super::Outcome;
use crate::caller::CallerScope;
use crate::id::IdSource;
use crate::testing::CountedEntropy;
use ledger::{Full, MAX_ASKED_PER_TURN, TurnLedger};
use shuttle::scheduler::RandomScheduler;
use std::sync::Arc;

fn ledger() -> Arc<TurnLedger> {
    let ids = IdSource::new(&CountedEntropy::default()).unwrap();
    let scope = CallerScope::operator("me", "1");
    Arc::new(TurnLedger::new(scope, ids.conversation(), ids.turn()))
}

fn in_every_order(of: impl Fn() + Send + Sync + 'static) {
    let schedules = if std::env::var_os("SOVEREIGN_LONG").is_some() { 200_000 } else { 2_000 };
    let scheduler = RandomScheduler::new_from_seed(0x5075_e7e1, schedules);
    shuttle::Runner::new(scheduler, shuttle::Config::default()).run(of);
}

fn race(
    turn: &Arc<TurnLedger>,
    runners: u32,
    cap: u16,
    asks: bool,
    version: impl Fn(u32) -> u32,
) -> Vec<Result<(), Full>> {
    let racers: Vec<_> = (0..runners)
        .map(|n| {
            let (turn, version) = (Arc::clone(turn), version(n));
            shuttle::thread::spawn(move || turn.reserve(("lab.send", version), cap, asks))
        })
        .collect();
    racers.into_iter().map(|racer| racer.join().unwrap()).collect()
}

#[test]
fn in_every_order_a_cap_is_reached_and_never_passed() {
    in_every_order(|| {
        let turn = ledger();
        let got = race(&turn, 5, 2, false, |_| 1);
        assert_eq!(got.iter().filter(|r| r.is_ok()).count(), 2);
        assert_eq!(turn.reserve(("lab.send", 1), 2, false), Err(Full::Capability));
        assert_eq!(turn.reserve(("lab.send", 2), 2, false), Ok(()), "another version has its own");
    });
}

#[test]
fn in_every_order_a_turn_asks_for_no_more_decisions_than_it_may() {
    in_every_order(|| {
        let turn = ledger();
        let runners = u32::from(MAX_ASKED_PER_TURN) + 2;
        let got = race(&turn, runners, 1, true, |n| n);
        let asked = got.iter().filter(|r| r.is_ok()).count();
        assert_eq!(asked, usize::from(MAX_ASKED_PER_TURN));
        assert_eq!(turn.reserve(("lab.send", 99), 1, true), Err(Full::Decisions));
    });
}
