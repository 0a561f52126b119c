use super::ledger::{Full, MAX_ASKED_PER_TURN, TurnLedger};
use super::{Ending, Outcome, code};
use crate::caller::CallerScope;
use crate::clock::Moment;
use crate::id::IdSource;
use crate::testing::CountedEntropy;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

const CALL: (&str, u32) = ("notes.write", 1);

fn ledger() -> TurnLedger {
    let ids = IdSource::new(&CountedEntropy::default()).unwrap();
    TurnLedger::new(CallerScope::operator("me", "1"), ids.conversation(), ids.turn())
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_capability_has_its_cap_and_a_turn_its_decisions() {
    let turn = ledger();
    assert_eq!(turn.reserve(CALL, 1, false), Ok(()));
    assert_eq!(turn.reserve(CALL, 1, false), Err(Full::Capability));
    assert_eq!(turn.reserve(("notes.write", 2), 1, false), Ok(()), "another version has its own");
    for n in 0..u32::from(MAX_ASKED_PER_TURN) - 1 {
        assert_eq!(turn.reserve(("notes.ask", n), 1, true), Ok(()), "{n}");
    }
    assert_eq!(turn.reserve_decision(), Ok(()), "a question about no call is one of them");
    assert_eq!(turn.reserve(("notes.ask", 99), 1, true), Err(Full::Decisions));
    assert_eq!(turn.reserve_decision(), Err(Full::Decisions));
    assert_eq!(turn.reserve(("notes.ask", 99), 1, false), Ok(()), "the refusal used nothing up");
}

#[test]
fn a_denial_is_remembered_for_exactly_what_was_denied() {
    let turn = ledger();
    turn.denied().add([1; 32]);
    assert!(turn.denied().holds(&[1; 32]) && !turn.denied().holds(&[2; 32]));
}

#[test]
fn a_call_ends_with_its_turn_whose_end_moves_by_the_time_it_stood_still() {
    let at = |seconds| Moment(Duration::from_secs(seconds));
    let turn = ledger();
    turn.stood_still(Duration::from_secs(5));
    assert_eq!(turn.within(at(90)), at(90), "a turn without an end bounds nothing");
    turn.end_by(at(60));
    assert_eq!(turn.within(at(90)), at(60));
    assert_eq!(turn.within(at(30)), at(30));
    turn.stood_still(Duration::from_secs(5));
    assert_eq!(turn.within(at(90)), at(65));
}

#[test]
fn a_turn_is_idle_when_each_proposal_has_its_outcome() {
    let (ids, turn) = (IdSource::new(&CountedEntropy::default()).unwrap(), ledger());
    assert!(turn.is_idle());
    turn.opened();
    assert!(!turn.is_idle());
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let (mut idle, mut cx) = (pin!(turn.idle()), Context::from_waker(&waker));
    assert!(idle.as_mut().poll(&mut cx).is_pending());
    let (audit_id, ending) = (ids.invocation(), Ending::Cancelled { code: code::CANCELLED });
    let outcome = Outcome { audit_id, capability: None, version: None, proposed: None, ending };
    turn.settled(outcome.clone());
    assert!(woken.0.load(Ordering::Relaxed) && turn.is_idle());
    assert!(idle.as_mut().poll(&mut cx).is_ready());
    assert_eq!(turn.outcome(audit_id), Some(outcome));
    assert_eq!(turn.outcome(ids.invocation()), None);
    assert_eq!(turn.outcomes().len(), 1);
}
