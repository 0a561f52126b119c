//! What happens between two steps of one call: a denial before its waiter hears of it, a grant that goes
//! while a record is written, a sink that panics.
use sovereign_core::BoxFuture;
use sovereign_core::audit::{Audit, AuditError, Mark, OutcomeKind, Record};
use sovereign_core::caller::{CallerScope, Categories, Category};
use sovereign_core::capability::Reach;
use sovereign_core::confirmation::Decision;
use sovereign_core::executor::{Executor, Outcome, Proposal, Submitted};
use sovereign_core::policy::Policy;
use sovereign_core::registry::Registry;
use sovereign_core::testing::{MemoryAudit, Replies};
use sovereign_tests::{LAB, Lab, lab};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

/// The one who waits may be somewhere else when the person says no.
#[tokio::test]
async fn a_denial_counts_from_the_moment_it_is_given() {
    let (lab, _) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let submit = || lab.executor.submit(&turn, Proposal::new("lab.send", 1, br#"{"query":"a"}"#));
    let Submitted::Awaiting(request, suspended) = submit().await else { panic!("it has to ask") };
    request.decide(Decision::Deny).unwrap();
    let Submitted::Settled(again) = submit().await else { panic!("asked again") };
    assert_eq!(again.code(), Some("already_denied"));
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Denied);
}

/// Another role: every session of that account, and nobody else's.
#[tokio::test]
async fn a_role_change_withdraws_what_every_session_of_the_account_was_asked() {
    let (lab, state) = lab();
    let mut asked = Vec::new();
    for (principal, session) in [("ada", "1"), ("ada", "2"), ("bob", "1")] {
        let scope = CallerScope::operator(principal, session);
        let proposal = Proposal::new("lab.change", 1, br#"{"text":"a"}"#);
        match lab.executor.invoke(scope, proposal).await {
            Submitted::Awaiting(request, suspended) => asked.push((request, suspended)),
            Submitted::Settled(outcome) => panic!("it did not ask: {outcome:?}"),
        }
    }
    let of_ada = |scope: &CallerScope| matches!(scope, CallerScope::LocalOperator { principal, .. } if principal == "ada");
    assert_eq!(lab.executor.void_if(of_ada), 2);
    let mut ends = Vec::new();
    for (request, suspended) in asked {
        // too late for the first two
        let _late = request.decide(Decision::Approve);
        ends.push(suspended.outcome().await.kind());
    }
    assert_eq!(ends, [OutcomeKind::Void, OutcomeKind::Void, OutcomeKind::Executed]);
    assert_eq!(state.ran().len(), 1);
}

/// Beside a stream of events, whoever waits for the end of a turn is polled at each of them.
#[tokio::test]
async fn one_waiter_is_woken_once_however_often_it_was_polled() {
    struct Wakes(AtomicUsize);
    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (lab, _) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let proposal = Proposal::new("lab.send", 1, br#"{"query":"a"}"#);
    let submitted = lab.executor.submit(&turn, proposal).await;
    let Submitted::Awaiting(request, suspended) = submitted else { panic!("it has to ask") };
    let wakes = Arc::new(Wakes(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&wakes));
    for _ in 0..100 {
        let mut idle = pin!(turn.idle());
        assert!(idle.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    request.decide(Decision::Deny).unwrap();
    suspended.outcome().await;
    assert!(turn.is_idle());
    assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
}

/// A sink that does something at a record, and a grant that can go.
struct Sink {
    log: MemoryAudit,
    granted: AtomicBool,
    /// Goes away while the disk is waited for.
    slow: bool,
    /// Panics at a record of that kind.
    panics: fn(&Mark) -> bool,
}

impl Audit for Sink {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        if let Record::Call(call) = &record {
            assert!(!(self.panics)(&call.mark), "the sink's own mistake");
        }
        self.log.append(record)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        if self.slow {
            self.granted.store(false, Ordering::SeqCst);
        }
        self.log.durable()
    }
}

/// One approved change through such a sink.
async fn changed(slow: bool, panics: fn(&Mark) -> bool) -> (Outcome, Arc<Sink>, Arc<Lab>) {
    let sink = Sink { log: MemoryAudit::default(), granted: AtomicBool::new(true), slow, panics };
    let (state, sink) = (Arc::new(Lab::default()), Arc::new(sink));
    let out = Arc::new(Replies::reaching(Reach::public()));
    let registry = Registry::builder().install_reaching(&LAB, Arc::clone(&state), out);
    let seen = Arc::clone(&sink);
    let policy = Policy::granting(move |_| {
        let held = seen.granted.load(Ordering::SeqCst);
        if held { [Category::Notes].into() } else { Categories::NONE }
    });
    let policy = policy.enabled("lab.change");
    let executor = Executor::builder(registry.build().unwrap(), policy, Arc::<Sink>::clone(&sink));
    let executor = executor.build().unwrap();
    let turn = executor.open_turn(CallerScope::operator("me", "1"), executor.open_conversation());
    let proposal = Proposal::new("lab.change", 1, br#"{"text":"a"}"#);
    let outcome = match executor.submit(&turn, proposal).await {
        Submitted::Settled(outcome) => outcome,
        Submitted::Awaiting(request, suspended) => {
            request.decide(Decision::Approve).unwrap();
            suspended.outcome().await
        }
    };
    assert!(turn.is_idle(), "a call without an end");
    assert_eq!(turn.outcomes().len(), 1);
    (outcome, sink, state)
}

/// The disk may take long over the begin record: what is revoked meanwhile does not run.
#[tokio::test]
async fn a_grant_taken_away_while_the_begin_record_is_written_is_noticed() {
    let (outcome, sink, state) = changed(true, |_| false).await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Refused, Some("not_granted")));
    assert!(state.ran().is_empty());
    let marks: Vec<_> = sink.log.calls().iter().map(|record| record.mark).collect();
    let end = Mark::End(OutcomeKind::Refused);
    assert_eq!(marks, [Mark::AwaitingConfirmation, Mark::Begin, end]);
}

#[tokio::test]
async fn a_sink_that_panics_has_not_taken_the_record_and_the_call_ends() {
    let (outcome, _, state) = changed(false, |mark| *mark == Mark::AwaitingConfirmation).await;
    assert_eq!(outcome.code(), Some("audit_unavailable"));
    assert!(state.ran().is_empty());
    let (outcome, _, state) = changed(false, |mark| *mark == Mark::Begin).await;
    assert_eq!(outcome.code(), Some("audit_unavailable"));
    assert!(state.ran().is_empty());
    let (outcome, _, state) = changed(false, |mark| matches!(mark, Mark::End(_))).await;
    assert_eq!(
        (outcome.kind(), outcome.code()),
        (OutcomeKind::Executed, Some("audit_unavailable"))
    );
    assert_eq!((outcome.result().is_none(), state.ran().len()), (true, 1));
}
