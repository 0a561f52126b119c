use super::store::{AskError, Confirmations, MAX_SPENT};
use super::{
    Decision, DisclosedCall, Disclosure, MAX_OPEN, MAX_SURFACINGS, NotOpen, Verdict, WINDOW,
};
use crate::caller::{CallerScope, Category};
use crate::capability::{Network, SideEffect};
use crate::id::IdSource;
use crate::testing::{CountedEntropy, PausedClock};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

pub(super) fn disclosure() -> Disclosure {
    Disclosure::Call(DisclosedCall {
        capability: "lab.send",
        version: 1,
        description: "Sends.",
        category: Category::Search,
        side_effect: SideEffect::ReadOnly,
        network: Network::External,
        arguments: Vec::new(),
        argument_bytes: 2,
        destination: None,
        effect: None,
        warnings: Vec::new(),
    })
}

struct Desk {
    store: Arc<Confirmations>,
    ids: IdSource,
    clock: PausedClock,
}

fn desk() -> Desk {
    let clock = PausedClock::default();
    let entropy = Arc::new(CountedEntropy::default());
    let ids = IdSource::new(&*entropy).unwrap();
    let store = Arc::new(Confirmations::new(Arc::new(clock.clone()), entropy));
    Desk { store, ids, clock }
}

type Opened = (super::ConfirmationRequest, super::Place);

impl Desk {
    fn ask(&self, scope: &CallerScope) -> Result<Opened, AskError> {
        let (id, conversation) = (self.ids.pending(), self.ids.conversation());
        let (call, denied) = (self.ids.invocation(), Arc::default());
        self.store.ask(id, scope, conversation, call, disclosure(), &denied)
    }
}

fn operator(n: usize) -> CallerScope {
    CallerScope::operator("me", n.to_string())
}

#[test]
fn stores_are_bounded() {
    let desk = desk();
    let open: Vec<_> = (0..MAX_OPEN).map(|n| desk.ask(&operator(n)).unwrap()).collect();
    assert_eq!(desk.ask(&operator(MAX_OPEN)).err(), Some(AskError::TooMany));
    for (n, (request, _)) in open.iter().enumerate() {
        for _ in 0..MAX_SURFACINGS {
            desk.store.surface(&operator(n), request.id()).unwrap();
        }
    }
    assert_eq!(desk.store.sizes(), (MAX_OPEN, MAX_OPEN * MAX_SURFACINGS, 0));
    for (request, _) in &open {
        request.decide(Decision::Deny).unwrap();
    }
    assert_eq!(desk.store.sizes(), (0, 0, MAX_OPEN * MAX_SURFACINGS));
    desk.clock.advance(WINDOW);
    let _last = desk.ask(&operator(0)).unwrap();
    assert_eq!(desk.store.sizes(), (1, 0, 0), "spent tokens are forgotten at their deadline");
}

#[test]
fn tokens_of_closed_decisions_are_remembered_up_to_a_limit() {
    let most_at_once = MAX_OPEN * MAX_SURFACINGS;
    assert!((2 * most_at_once..=8 * most_at_once).contains(&MAX_SPENT), "{MAX_SPENT}");
    let desk = desk();
    for _ in 0..=MAX_SPENT / MAX_SURFACINGS {
        let (request, _place) = desk.ask(&operator(1)).unwrap();
        for _ in 0..MAX_SURFACINGS {
            desk.store.surface(&operator(1), request.id()).unwrap();
        }
    }
    assert_eq!(desk.store.sizes(), (0, 0, MAX_SPENT));
}

#[test]
fn a_conversation_has_one_decision_at_most() {
    let desk = desk();
    let conversation = desk.ids.conversation();
    let ask = || {
        let (id, call) = (desk.ids.pending(), desk.ids.invocation());
        desk.store.ask(id, &operator(1), conversation, call, disclosure(), &Arc::default())
    };
    let first = ask().unwrap();
    assert_eq!(ask().err(), Some(AskError::TooMany));
    drop(first);
    assert!(ask().is_ok());
}

/// A waker may do anything, such as asking for what is pending.
#[test]
fn whoever_waits_is_woken_while_nothing_is_locked() {
    struct Wakes(Arc<Confirmations>, AtomicUsize);
    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            assert!(!self.0.is_locked());
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }
    let desk = desk();
    let wakes = Arc::new(Wakes(Arc::clone(&desk.store), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&wakes));
    let waits = || {
        let (request, place) = desk.ask(&operator(1)).unwrap();
        let mut waits = Box::pin(async move { place.verdict().await });
        assert!(waits.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        (request, waits)
    };
    let (request, _decided) = waits();
    request.decide(Decision::Deny).unwrap();
    let _voided = waits();
    assert_eq!(desk.store.void(|_| true), 1);
    let _expires = waits();
    desk.clock.advance_wall(WINDOW);
    desk.ask(&operator(2)).unwrap();
    assert_eq!(wakes.1.load(Ordering::SeqCst), 3);
}

#[test]
fn tokens_differ_and_only_their_hashes_are_kept() {
    let desk = desk();
    let (request, _place) = desk.ask(&operator(1)).unwrap();
    let first = desk.store.surface(&operator(1), request.id()).unwrap();
    let second = desk.store.surface(&operator(1), request.id()).unwrap();
    assert_ne!(first.reveal(), second.reveal());
    assert_eq!(first.reveal().len(), 64, "256 bits in hex");
    assert!(!first.hash().is(&second.hash()));
}

#[test]
fn a_list_shows_only_what_is_still_open_for_that_session() {
    let desk = desk();
    let (request, _place) = desk.ask(&operator(1)).unwrap();
    let listed = |n| desk.store.pending(&operator(n)).iter().map(|p| p.id).collect::<Vec<_>>();
    assert_eq!(listed(1), [request.id()]);
    assert!(listed(2).is_empty());
    desk.clock.advance(WINDOW - Duration::from_millis(1));
    assert_eq!(listed(1).len(), 1);
    desk.clock.advance(Duration::from_millis(1));
    assert!(listed(1).is_empty());
}

/// What a page shows after a reload: the same decision, with the time that is left of it.
#[test]
fn the_time_left_runs_down_by_either_clock_wherever_it_is_shown() {
    let desk = desk();
    let me = operator(1);
    let (request, _place) = desk.ask(&me).unwrap();
    let shown = |seconds: u64| {
        let listed = &desk.store.pending(&me)[0];
        assert_eq!((listed.id, listed.expires_in_seconds), (request.id(), seconds));
        let json = serde_json::to_value(&request).unwrap();
        assert_eq!(json, serde_json::to_value(listed).unwrap());
        assert_eq!(json["expires_in_seconds"], seconds);
    };
    assert_eq!(request.remaining(), WINDOW);
    shown(120);
    desk.clock.advance(Duration::from_millis(500));
    assert_eq!(request.remaining(), WINDOW - Duration::from_millis(500));
    shown(120);
    desk.clock.advance_wall(Duration::from_millis(30_500));
    shown(89);
    desk.clock.advance_monotonic(Duration::from_secs(60));
    shown(60);
    desk.clock.advance(Duration::from_millis(58_999));
    shown(1);
    desk.clock.advance(Duration::from_millis(501));
    assert_eq!(request.remaining(), Duration::ZERO);
    assert!(desk.store.pending(&me).is_empty());
}

#[test]
fn a_decision_that_was_made_has_no_time_left() {
    let desk = desk();
    let (request, _place) = desk.ask(&operator(1)).unwrap();
    request.decide(Decision::Deny).unwrap();
    assert_eq!(request.remaining(), Duration::ZERO);
}

#[tokio::test]
async fn whoever_waits_is_answered_at_the_deadline_and_not_before() {
    for (by_wall, by_timer) in [(true, true), (true, false), (false, true)] {
        let desk = desk();
        let (request, place) = desk.ask(&operator(1)).unwrap();
        let mut waits = Box::pin(place.verdict());
        let mut look = || {
            let mut cx = Context::from_waker(Waker::noop());
            waits.as_mut().poll(&mut cx)
        };
        let pass = |time: Duration| {
            if by_wall {
                desk.clock.advance_wall(time);
            }
            if by_timer {
                desk.clock.advance_monotonic(time);
            }
        };
        assert!(look().is_pending());
        pass(WINDOW - Duration::from_millis(1));
        assert!(look().is_pending() && request.is_open());
        pass(Duration::from_millis(1));
        // a clock on the wall wakes nobody: the next glance sees it
        desk.clock.advance_monotonic(Duration::from_secs(5));
        assert_eq!(look(), std::task::Poll::Ready(Verdict::Expired));
        assert_eq!(request.decide(Decision::Approve), Err(NotOpen::AlreadyResolved));
    }
}

type Passes = fn(&PausedClock, Duration);

/// To the millisecond: awake, across a suspend, and with the wall clock set back a day in between.
#[test]
fn a_decision_is_open_right_before_its_deadline_and_never_from_then_on() {
    let (day, tick) = (Duration::from_secs(86_400), Duration::from_millis(1));
    let passes: [(&str, Passes); 3] = [
        ("awake", |clock, time| clock.advance(time)),
        ("suspended", |clock, time| clock.advance_wall(time)),
        ("set back", |clock, time| clock.advance_monotonic(time)),
    ];
    for (how, pass) in passes {
        for (after, open) in [(WINDOW - tick, true), (WINDOW, false), (WINDOW + tick, false)] {
            for backwards in [false, true] {
                let desk = desk();
                let me = operator(1);
                let (request, _place) = desk.ask(&me).unwrap();
                let token = desk.store.surface(&me, request.id()).unwrap();
                pass(&desk.clock, after / 2);
                // what the wall said before counts no more, unless it is what passes
                if backwards && how != "suspended" {
                    desk.clock.set_wall_back(day);
                }
                pass(&desk.clock, after - after / 2);
                assert_eq!(request.is_open(), open, "{how} {after:?}");
                assert_eq!(request.remaining().is_zero(), !open, "{how} {after:?}");
                assert_eq!(desk.store.pending(&me).len(), usize::from(open), "{how} {after:?}");
                assert_eq!(desk.store.surface(&me, request.id()).is_ok(), open, "{how} {after:?}");
                let taken = desk.store.take(&me, request.id(), &token, Decision::Approve);
                assert_eq!(taken.is_ok(), open, "{how} {after:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_approval_counts_until_its_deadline_and_a_denial_for_ever() {
    let cases = [
        (Decision::Approve, 119_999, Verdict::Approved),
        (Decision::Approve, 120_000, Verdict::Expired),
        (Decision::Deny, 120_000, Verdict::Denied),
    ];
    for (decision, picked_up, verdict) in cases {
        let desk = desk();
        let (request, place) = desk.ask(&operator(1)).unwrap();
        request.decide(decision).unwrap();
        desk.clock.advance(Duration::from_millis(picked_up));
        assert_eq!(place.verdict().await, verdict, "{decision:?} after {picked_up} ms");
    }
}

#[test]
fn a_token_is_made_for_the_session_that_was_asked_and_at_most_eight_times() {
    let desk = desk();
    let (me, other) = (operator(1), operator(2));
    let (request, _place) = desk.ask(&me).unwrap();
    let id = request.id();
    assert_eq!(desk.store.surface(&other, id).err(), Some(NotOpen::NotPending));
    assert_eq!(desk.store.surface(&me, desk.ids.pending()).err(), Some(NotOpen::NotPending));
    for _ in 0..MAX_SURFACINGS {
        desk.store.surface(&me, id).unwrap();
    }
    assert_eq!(desk.store.surface(&me, id).err(), Some(NotOpen::NotPending));
    assert_eq!(desk.store.sizes(), (1, MAX_SURFACINGS, 0));
    desk.clock.advance(WINDOW);
    assert_eq!(desk.store.surface(&me, id).err(), Some(NotOpen::NotPending));
}

#[tokio::test]
async fn a_token_decides_in_its_session_under_its_id_and_is_used_up_everywhere_else() {
    for (own_session, own_id) in [(true, true), (false, true), (true, false), (false, false)] {
        let desk = desk();
        let (me, other) = (operator(1), operator(2));
        let (request, place) = desk.ask(&me).unwrap();
        let token = desk.store.surface(&me, request.id()).unwrap();
        let scope = if own_session { &me } else { &other };
        let id = if own_id { request.id() } else { desk.ids.pending() };
        let told = desk.store.take(scope, id, &token, Decision::Approve);
        let (verdict, right) = if own_session && own_id {
            (Verdict::Approved, true)
        } else {
            (Verdict::WrongContext, false)
        };
        assert_eq!(told.is_ok(), right, "{own_session} {own_id}");
        assert_eq!(place.verdict().await, verdict, "{own_session} {own_id}");
        let again = |scope| desk.store.take(scope, request.id(), &token, Decision::Approve);
        assert_eq!(again(&me), Err(NotOpen::AlreadyResolved));
        assert_eq!(again(&other), Err(NotOpen::NotPending));
        desk.clock.advance(WINDOW);
        assert_eq!(again(&me), Err(NotOpen::NotPending), "forgotten with its deadline");
    }
}

#[test]
fn what_is_withdrawn_is_what_was_named_and_its_waiters_learn_it() {
    let desk = desk();
    let (me, other) = (operator(1), operator(2));
    let (mine, my_place) = desk.ask(&me).unwrap();
    let (theirs, _their_place) = desk.ask(&other).unwrap();
    assert_eq!(desk.store.void(|scope| *scope == me), 1);
    assert!(!mine.is_open() && theirs.is_open());
    let mut waits = Box::pin(my_place.verdict());
    let mut cx = Context::from_waker(Waker::noop());
    assert_eq!(waits.as_mut().poll(&mut cx), std::task::Poll::Ready(Verdict::Withdrawn));
    assert_eq!((desk.store.void(|_| true), desk.store.void(|_| true)), (1, 0));
}
