//! The store under a scheduler that decides who goes next: the same source, with its locks replaced.

mod sync {
    pub(super) use shuttle::sync::{Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;
}
#[expect(dead_code, unreachable_pub, reason = "a second reading of a file that is used whole")]
mod request {
    include!("request.rs");
}
#[expect(dead_code, unreachable_pub, reason = "a second reading of a file that is used whole")]
mod store {
    include!("store.rs");
}
mod denied {
    include!("denied.rs");
}
mod verdict {
    include!("verdict.rs");
}

use super::{ConfirmationToken, Decision, Disclosure, NotOpen, token};
use crate::caller::CallerScope;
use crate::id::{ConversationId, IdSource};
use crate::testing::{CountedEntropy, PausedClock};
use denied::Denied;
use request::{ConfirmationRequest, Place};
use shuttle::scheduler::RandomScheduler;
use std::sync::Arc;
use store::{AskError, Confirmations, WINDOW};
use verdict::Verdict;

/// How many schedules; each is drawn from one fixed seed.
fn in_every_order(of: impl Fn() + Send + Sync + 'static) {
    let schedules = if std::env::var_os("SOVEREIGN_LONG").is_some() { 200_000 } else { 3_000 };
    let scheduler = RandomScheduler::new_from_seed(0x5075_e7e1, schedules);
    shuttle::Runner::new(scheduler, shuttle::Config::default()).run(of);
}

struct Desk {
    store: Arc<Confirmations>,
    clock: PausedClock,
    scope: CallerScope,
    ids: IdSource,
    conversation: ConversationId,
    denied: Arc<Denied>,
}

fn desk() -> (Desk, ConfirmationRequest, Place) {
    let clock = PausedClock::default();
    let entropy = Arc::new(CountedEntropy::default());
    let ids = IdSource::new(&*entropy).unwrap();
    let store = Arc::new(Confirmations::new(Arc::new(clock.clone()), entropy));
    let scope = CallerScope::operator("me", "1");
    let (id, conversation, call) = (ids.pending(), ids.conversation(), ids.invocation());
    let denied = Arc::<Denied>::default();
    let opened = store.ask(id, &scope, conversation, call, super::tests::disclosure(), &denied);
    let (request, place) = opened.unwrap_or_else(|_| panic!("there is room"));
    (Desk { store, clock, scope, ids, conversation, denied }, request, place)
}

fn present(
    desk: &Desk,
    request: &ConfirmationRequest,
    token: ConfirmationToken,
    decision: Decision,
) -> shuttle::thread::JoinHandle<bool> {
    let (store, scope, id) = (Arc::clone(&desk.store), desk.scope.clone(), request.id());
    shuttle::thread::spawn(move || store.take(&scope, id, &token, decision).is_ok())
}

#[test]
fn in_every_order_one_presentation_or_withdrawal_decides() {
    in_every_order(|| {
        let (desk, request, place) = desk();
        let surface = || desk.store.surface(&desk.scope, request.id()).ok().unwrap();
        let (left, right) = (surface(), surface());
        let left = present(&desk, &request, left, Decision::Approve);
        let right = present(&desk, &request, right, Decision::Deny);
        let store = Arc::clone(&desk.store);
        let voids = shuttle::thread::spawn(move || store.void(|_| true));
        let verdict = shuttle::future::block_on(place.verdict());
        let won = (left.join().unwrap(), right.join().unwrap(), voids.join().unwrap());
        let expected = match verdict {
            Verdict::Approved => (true, false, 0),
            Verdict::Denied => (false, true, 0),
            Verdict::Withdrawn => (false, false, 1),
            other => panic!("{other:?}"),
        };
        assert_eq!(won, expected, "{verdict:?}");
    });
}

#[test]
fn in_every_order_an_approval_stands_only_when_its_presenter_was_told_so() {
    in_every_order(|| {
        let (desk, request, place) = desk();
        let token = desk.store.surface(&desk.scope, request.id()).ok().unwrap();
        let presented = present(&desk, &request, token, Decision::Approve);
        let clock = desk.clock;
        let late = shuttle::thread::spawn(move || clock.advance(WINDOW));
        let verdict = shuttle::future::block_on(place.verdict());
        let told = presented.join().unwrap();
        late.join().unwrap();
        assert!(matches!(verdict, Verdict::Approved | Verdict::Expired), "{verdict:?}");
        assert!(told || verdict == Verdict::Expired, "approved, and nobody was told");
    });
}

#[test]
fn in_every_order_a_waiter_that_leaves_takes_its_decision_with_it() {
    in_every_order(|| {
        let (desk, request, place) = desk();
        let token = desk.store.surface(&desk.scope, request.id()).ok().unwrap();
        let presented = present(&desk, &request, token, Decision::Approve);
        let left_first = place.close();
        drop(place);
        assert_ne!(presented.join().unwrap(), left_first, "both ended it, or neither");
        assert!(!request.is_open());
    });
}

#[test]
fn in_every_order_what_is_denied_is_not_asked_again_in_its_turn() {
    in_every_order(|| {
        let (desk, request, _place) = desk();
        let token = desk.store.surface(&desk.scope, request.id()).ok().unwrap();
        let denies = present(&desk, &request, token, Decision::Deny);
        let (id, call) = (desk.ids.pending(), desk.ids.invocation());
        let question = super::tests::disclosure();
        let again =
            desk.store.ask(id, &desk.scope, desk.conversation, call, question, &desk.denied);
        let no = again.err();
        assert!(matches!(no, Some(AskError::TooMany | AskError::AlreadyDenied)), "asked again");
        assert!(denies.join().unwrap());
    });
}
