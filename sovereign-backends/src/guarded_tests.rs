use super::{Guarded, LegState, PAUSE};
use async_trait::async_trait;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Locality,
    Request, Window,
};
use sovereign_core::catalog::CatalogSnapshot;
use sovereign_core::testing::{PausedClock, Scripted};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn catalog() -> CatalogSnapshot {
    use sovereign_core::caller::{CallerScope, Categories};
    use sovereign_core::executor::Executor;
    use sovereign_core::policy::Policy;
    use sovereign_core::registry::Registry;
    use sovereign_core::testing::MemoryAudit;
    let registry = Registry::builder().build().unwrap();
    let policy = Policy::granting(|_| Categories::NONE);
    let audit = Arc::new(MemoryAudit::default());
    let executor = Executor::builder(registry, policy, audit).build().unwrap();
    executor.catalog(&CallerScope::operator("a", "b"))
}

async fn send(leg: &Guarded) -> Result<BackendTurn, BackendError> {
    let catalog = catalog();
    leg.send(Request::new("", &[], &catalog, SECOND), &mut String::new()).await
}

fn guarded(script: &Scripted) -> (Guarded, PausedClock) {
    let clock = PausedClock::default();
    (Guarded::new(Arc::new(script.clone()), Arc::new(clock.clone())), clock)
}

fn silent(times: usize) -> Scripted {
    (0..times).fold(Scripted::new(), |s, _| s.fails(FailureClass::Timeout, "no reply"))
}

#[tokio::test]
async fn a_leg_that_is_silent_three_times_is_left_alone_for_a_minute() {
    let script = silent(3).says("back");
    let (leg, clock) = guarded(&script);
    for failures in 0..3 {
        assert_eq!(leg.state(), LegState::Closed { failures });
        assert_eq!(send(&leg).await.unwrap_err().class(), FailureClass::Timeout);
    }
    clock.advance(PAUSE - SECOND);
    let why = "no reply".to_owned();
    assert_eq!(leg.state(), LegState::Open { left: SECOND, why: why.clone() });
    let error = send(&leg).await.unwrap_err();
    assert_eq!(error.to_string(), "it is not asked for another 1 s: no reply");
    assert_eq!(leg.ready().await.unwrap_err().class(), FailureClass::Unreachable);
    assert_eq!((script.seen().len(), script.ready_asked()), (3, 0), "it was not asked");
    clock.advance(SECOND);
    assert_eq!(leg.state(), LegState::HalfOpen { why });
    leg.ready().await.unwrap();
    assert_eq!(send(&leg).await.unwrap().text, "back");
    assert_eq!(leg.state(), LegState::Closed { failures: 0 });
}

#[tokio::test]
async fn one_failure_after_the_pause_opens_it_again() {
    let (leg, clock) = guarded(&silent(4));
    for _ in 0..3 {
        send(&leg).await.unwrap_err();
    }
    clock.advance(PAUSE);
    send(&leg).await.unwrap_err();
    assert_eq!(leg.state(), LegState::Open { left: PAUSE, why: "no reply".to_owned() });
}

#[tokio::test]
async fn a_server_that_says_no_has_answered() {
    let answers = [
        FailureClass::Refused,
        FailureClass::Protocol,
        FailureClass::TooLong,
        FailureClass::Unauthorised,
        FailureClass::Rejected,
    ];
    for class in answers {
        let silent = || [FailureClass::Timeout, FailureClass::Unreachable];
        let script = silent().into_iter().chain([class]).chain(silent());
        let script = script.fold(Scripted::new(), |s, class| s.fails(class, "no"));
        let (leg, _) = guarded(&script);
        for _ in 0..5 {
            send(&leg).await.unwrap_err();
        }
        assert_eq!(leg.state(), LegState::Closed { failures: 2 }, "{class:?}");
    }
}

#[tokio::test]
async fn a_probe_that_answers_while_replies_hang_does_not_close_it() {
    let mut script = Scripted::new();
    for class in [FailureClass::Timeout, FailureClass::Interrupted, FailureClass::Unreachable] {
        script = script.fails(class, "no reply");
    }
    let (leg, _) = guarded(&script);
    for _ in 0..3 {
        leg.ready().await.unwrap();
        send(&leg).await.unwrap_err();
    }
    assert!(matches!(leg.state(), LegState::Open { .. }), "{leg:?}");
}

#[tokio::test]
async fn a_leg_that_is_never_ready_is_left_alone_too() {
    let no = FailureClass::Unreachable;
    let script = Scripted::new().not_ready(no, "gone").not_ready(no, "gone").not_ready(no, "gone");
    let (leg, _) = guarded(&script);
    for _ in 0..5 {
        leg.ready().await.unwrap_err();
    }
    assert_eq!(script.ready_asked(), 3);
    assert_eq!(leg.state().to_string(), "not asked for another 60 s: gone");
}

/// Hangs from the fourth call on.
#[derive(Default)]
struct Hangs(AtomicUsize);

#[async_trait]
impl Backend for Hangs {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::remote("hangs", None, "https://hangs.example")
    }
    fn is_paid(&self) -> bool {
        false
    }
    fn window(&self) -> Option<Window> {
        Some(Window { tokens: 4_096, reply: 512 })
    }
    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }
    async fn send(
        &self,
        _: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        if self.0.fetch_add(1, Ordering::SeqCst) < 3 {
            return Err(BackendError::new(FailureClass::Unreachable, "gone"));
        }
        std::future::pending().await
    }
}

#[tokio::test]
async fn after_the_pause_one_call_goes_through_and_a_cancelled_one_gives_its_place_back() {
    let clock = PausedClock::default();
    let leg = Guarded::new(Arc::new(Hangs::default()), Arc::new(clock.clone()));
    for _ in 0..3 {
        send(&leg).await.unwrap_err();
    }
    clock.advance(PAUSE);
    for _ in 0..2 {
        let mut probe = Box::pin(send(&leg));
        let hangs =
            std::future::poll_fn(|cx| std::task::Poll::Ready(probe.as_mut().poll(cx).is_pending()));
        assert!(hangs.await);
        let other = send(&leg).await.unwrap_err();
        assert_eq!(other.to_string(), "it is being tried by another turn: gone");
        drop(probe);
    }
    assert_eq!(leg.state(), LegState::HalfOpen { why: "gone".to_owned() });
}

#[test]
fn a_guarded_leg_is_what_it_guards() {
    let leg = Guarded::new(Arc::new(Hangs::default()), Arc::new(PausedClock::default()));
    assert_eq!(leg.identity().locality, Locality::Remote);
    assert_eq!((leg.is_paid(), leg.window()), (false, Some(Window { tokens: 4_096, reply: 512 })));
    let paid = BackendIdentity::remote("paid", None, "https://paid.example");
    assert!(guarded(&Scripted::as_backend(paid)).0.is_paid());
}

#[tokio::test]
async fn limits_can_be_set_and_a_pass_is_always_given_first() {
    let (leg, clock) = guarded(&silent(2));
    let leg = leg.pausing(0, SECOND);
    send(&leg).await.unwrap_err();
    assert_eq!(leg.state().to_string(), "not asked for another 1 s: no reply");
    clock.advance(SECOND);
    assert_eq!(leg.state().to_string(), "asked again with the next turn: no reply");
}
