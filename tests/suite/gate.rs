//! Bounded execution and the edges of a decision: what outlives a call, what it leaves behind, and
//! what a clock that jumps does.
use crate::ground::{GROUNDS, Ground};
use sovereign_core::audit::{
    Audit, AuditError, CallRecord, Mark, OutcomeKind, Point, Record, Stage,
};
use sovereign_core::caller::{CallerScope, Category};
use sovereign_core::capability::Reach;
use sovereign_core::confirmation::{Decision, MAX_OPEN_PER_SESSION, NotOpen, WINDOW};
use sovereign_core::executor::{Executor, MAX_ASKED_PER_TURN, Outcome, Proposal, Submitted};
use sovereign_core::policy::Policy;
use sovereign_core::prelude::*;
use sovereign_core::registry::Registry;
use sovereign_core::testing::{Harness, MemoryAudit, Replies};
use sovereign_tests::{LAB, Lab, lab};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::sync::Notify;

/// Opens work that blocks a thread.
struct Yard {
    gate: Mutex<mpsc::Receiver<()>>,
    open: mpsc::Sender<()>,
    started: Arc<Notify>,
}

impl Default for Yard {
    fn default() -> Self {
        let (open, gate) = mpsc::channel();
        Self { gate: Mutex::new(gate), open, started: Arc::default() }
    }
}

impl Yard {
    fn wait(&self) {
        self.started.notify_one();
        self.gate.lock().unwrap().recv().unwrap();
    }
}

/// Reads on a thread that waits.
#[capability(name = "yard.read", side_effect = read_only, network = local, category = system, timeout = "5s")]
struct ReadBlocking {}

impl Run for ReadBlocking {
    type State = Yard;
    type Output = bool;
    async fn run(self, call: Call<'_, Self>) -> Result<bool, Failure> {
        call.blocking(Yard::wait).await?;
        Ok(true)
    }
}

/// Changes on a thread that waits.
#[capability(name = "yard.change", side_effect = mutating, network = local, category = notes, timeout = "5s")]
struct ChangeBlocking {}

impl Run for ChangeBlocking {
    type State = Yard;
    type Output = Changed<bool>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<bool>, Failure> {
        call.blocking(Yard::wait).await?;
        Ok(Changed::yes(true))
    }
}

/// Panics on a thread of the pool.
#[capability(name = "yard.panic", side_effect = mutating, network = local, category = notes)]
struct PanicBlocking {}

impl Run for PanicBlocking {
    type State = Yard;
    type Output = Changed<bool>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<bool>, Failure> {
        call.blocking(|_| panic!("on the pool")).await?;
        Ok(Changed::yes(true))
    }
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "a panic in a drop");
    }
}

/// Panics when its work is put away.
#[capability(name = "yard.drop", side_effect = mutating, network = local, category = notes, timeout = "5s")]
struct DropPanics {
    /// Whether it waits first.
    waits: bool,
}

impl Run for DropPanics {
    type State = Yard;
    type Output = Changed<bool>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<bool>, Failure> {
        let _panics = PanicsWhenDropped;
        if self.waits {
            call.state().started.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(Changed::yes(true))
    }
}

static YARD: Plugin<Yard> = Plugin::new(
    "yard",
    &[ReadBlocking::ENTRY, ChangeBlocking::ENTRY, PanicBlocking::ENTRY, DropPanics::ENTRY],
);

fn yard(ground: Ground) -> (Harness, Arc<Yard>) {
    let yard = Arc::new(Yard::default());
    (Harness::install(&YARD, Arc::clone(&yard)).build_with(ground), yard)
}

fn propose(name: &str, arguments: &str) -> Proposal {
    Proposal::new(name, 1, arguments.as_bytes())
}

/// Lets the clock pass the deadline once the call has started and sleeps on it.
pub(crate) async fn pass_deadline(lab: &Harness, started: &Notify) {
    started.notified().await;
    while lab.clock.sleepers() == 0 {
        tokio::task::yield_now().await;
    }
    lab.clock.advance(Duration::from_secs(5));
}

pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.expect(what);
}

#[tokio::test]
async fn blocking_work_that_outlives_its_deadline_is_reported_and_its_return_recorded() {
    for ground in GROUNDS {
        for (name, kind) in
            [("yard.read", OutcomeKind::Failed), ("yard.change", OutcomeKind::UnknownEffect)]
        {
            let (lab, yard) = yard(ground);
            let (outcome, ()) = tokio::join!(
                lab.propose(propose(name, "{}")).approved().into_future(),
                pass_deadline(&lab, &yard.started),
            );
            assert_eq!((outcome.kind(), outcome.code()), (kind, Some("still_running")));
            let late = |r: &CallRecord| r.mark == Mark::LateCompletion;
            assert!(!lab.audit.calls().iter().any(late), "it has not come back yet");
            yard.open.send(()).unwrap();
            until("the late completion", || lab.audit.calls().iter().any(late)).await;
            let calls = lab.audit.calls();
            let [.., end, last] = &calls[..] else { panic!("{calls:?}") };
            assert_eq!((end.mark, last.mark), (Mark::End(kind), Mark::LateCompletion));
            assert_eq!((end.id, last.id), (outcome.audit_id, outcome.audit_id));
            assert_eq!(lab.audit.ends(), [kind], "one ending, and the late return is none");
        }
    }
}

#[tokio::test]
async fn blocking_work_in_time_leaves_no_late_record() {
    for ground in GROUNDS {
        let (lab, yard) = yard(ground);
        yard.open.send(()).unwrap();
        let outcome = lab.propose(propose("yard.change", "{}")).approved().await;
        assert_eq!(outcome.kind(), OutcomeKind::Executed);
        assert!(lab.audit.calls().iter().all(|r| r.mark != Mark::LateCompletion));
    }
}

#[tokio::test]
async fn a_panic_on_the_pool_is_caught_and_of_unknown_effect() {
    for ground in GROUNDS {
        let (lab, _) = yard(ground);
        let outcome = lab.propose(propose("yard.panic", "{}")).approved().await;
        assert_eq!(
            (outcome.kind(), outcome.code()),
            (OutcomeKind::UnknownEffect, Some("panicked"))
        );
    }
}

#[tokio::test]
async fn a_panic_while_work_is_put_away_ends_the_call_and_nothing_else() {
    for ground in GROUNDS {
        let (lab, _) = yard(ground);
        let outcome = lab.propose(propose("yard.drop", r#"{"waits":false}"#)).approved().await;
        assert_eq!(
            (outcome.kind(), outcome.code()),
            (OutcomeKind::UnknownEffect, Some("panicked"))
        );
        let (lab, yard) = yard(ground);
        let (outcome, ()) = tokio::join!(
            lab.propose(propose("yard.drop", r#"{"waits":true}"#)).approved().into_future(),
            pass_deadline(&lab, &yard.started),
        );
        assert_eq!(
            (outcome.kind(), outcome.code()),
            (OutcomeKind::UnknownEffect, Some("panicked"))
        );
        assert_eq!(lab.audit.ends(), [OutcomeKind::UnknownEffect]);
    }
}

/// A log whose disk is slow until it is told otherwise.
#[derive(Default)]
struct SlowDisk {
    log: MemoryAudit,
    fast: AtomicBool,
}

impl Audit for SlowDisk {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.log.append(record)
    }

    fn ready(&self) -> Result<(), AuditError> {
        self.log.ready()
    }

    fn durable(&self) -> sovereign_core::BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async {
            while !self.fast.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_call_cancelled_before_it_began_changed_nothing() {
    let (state, audit) = (Arc::new(Lab::default()), Arc::new(SlowDisk::default()));
    let out = Arc::new(Replies::reaching(Reach::public()));
    let registry = Registry::builder().install_reaching(&LAB, Arc::clone(&state), out);
    let policy = Policy::granting(|_| [Category::Notes].into()).enabled("lab.change");
    let registry = registry.build().unwrap();
    let executor = Executor::builder(registry, policy, Arc::<SlowDisk>::clone(&audit));
    let executor = executor.build().unwrap();
    let scope = CallerScope::operator("me", "1");
    let submitted = executor.invoke(scope, propose("lab.change", r#"{"text":"a"}"#)).await;
    let Submitted::Awaiting(request, suspended) = submitted else { panic!("it has to ask") };
    request.decide(Decision::Approve).unwrap();
    let mut running = Box::pin(suspended.outcome());
    let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(running.as_mut().poll(cx)));
    assert!(polled.await.is_pending(), "its begin record is not on the disk yet");
    drop(running);
    audit.fast.store(true, Ordering::SeqCst);
    until("its ending", || !audit.log.ends().is_empty()).await;
    assert_eq!(audit.log.ends(), [OutcomeKind::Cancelled]);
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn a_waiting_call_ends_by_itself_when_only_the_wall_clock_passes_its_deadline() {
    let (lab, _) = lab();
    let Submitted::Awaiting(request, suspended) =
        lab.executor.invoke(lab.scope.clone(), propose("lab.change", r#"{"text":"a"}"#)).await
    else {
        panic!("it has to ask")
    };
    let waits = tokio::spawn(suspended.outcome());
    until("it sleeps", || lab.clock.sleepers() > 0).await;
    // the machine slept: the wall went on, the timers did not
    lab.clock.advance_wall(WINDOW * 30);
    lab.clock.advance_monotonic(Duration::from_secs(5));
    let outcome = tokio::time::timeout(Duration::from_secs(30), waits).await.unwrap().unwrap();
    assert_eq!(outcome.kind(), OutcomeKind::Expired);
    assert!(!request.is_open());
}

#[tokio::test]
async fn an_approval_that_is_picked_up_after_its_deadline_does_not_run() {
    let (lab, state) = lab();
    let Submitted::Awaiting(request, suspended) =
        lab.executor.invoke(lab.scope.clone(), propose("lab.change", r#"{"text":"a"}"#)).await
    else {
        panic!("it has to ask")
    };
    lab.clock.advance(WINDOW - Duration::from_millis(1));
    request.decide(Decision::Approve).unwrap();
    lab.clock.advance(Duration::from_millis(1));
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Expired);
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn what_is_over_takes_no_place_of_another_even_if_nobody_waits_for_it() {
    let (lab, _) = lab();
    let ask = || lab.executor.invoke(lab.scope.clone(), propose("lab.change", r#"{"text":"a"}"#));
    let mut parked = Vec::new();
    for _ in 0..MAX_OPEN_PER_SESSION {
        parked.push(ask().await);
    }
    assert!(matches!(ask().await, Submitted::Settled(_)));
    lab.clock.advance(WINDOW);
    assert!(matches!(ask().await, Submitted::Awaiting(..)));
    for waits in parked {
        let Submitted::Awaiting(request, suspended) = waits else { panic!("it asked") };
        assert_eq!(request.decide(Decision::Approve), Err(NotOpen::AlreadyResolved));
        assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Expired);
    }
}

#[tokio::test]
async fn refusals_at_confirm_do_not_use_up_the_cap() {
    let (lab, state) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(39_000));
    let shown = lab.executor.submit(&turn, propose("lab.change", &long)).await;
    let Submitted::Settled(refused) = shown else { panic!("it cannot be shown") };
    assert_eq!(refused.code(), Some("cannot_be_shown"));
    let open = lab.executor.submit(&turn, propose("lab.send", r#"{"query":"a"}"#)).await;
    let crowded = lab.executor.submit(&turn, propose("lab.change", r#"{"text":"a"}"#)).await;
    let Submitted::Settled(refused) = crowded else { panic!("one is open") };
    assert_eq!(refused.code(), Some("too_many_decisions"));
    drop(open);
    let asked = lab.executor.submit(&turn, propose("lab.change", r#"{"text":"a"}"#)).await;
    let Submitted::Awaiting(request, suspended) = asked else { panic!("the cap of one is unused") };
    request.decide(Decision::Approve).unwrap();
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Executed);
    assert_eq!(state.ran(), ["change a"]);
}

#[tokio::test]
async fn a_proposal_refused_for_room_leaves_no_open_decision_and_no_awaiting_record() {
    let (lab, _) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let first = lab.executor.submit(&turn, propose("lab.change", r#"{"text":"a"}"#)).await;
    drop(first);
    let second = lab.executor.submit(&turn, propose("lab.change", r#"{"text":"b"}"#)).await;
    let Submitted::Settled(outcome) = second else { panic!("its cap is one") };
    assert_eq!(outcome.code(), Some("capability_budget"));
    assert!(lab.executor.pending(&lab.scope).is_empty());
    let of_second = |r: &&CallRecord| r.id == outcome.audit_id;
    assert_eq!(lab.audit.calls().iter().filter(of_second).count(), 1);
}

#[tokio::test]
async fn other_spacing_of_a_denied_proposal_is_not_asked_again() {
    let (lab, _) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let submit =
        |arguments: &'static str| lab.executor.submit(&turn, propose("lab.send", arguments));
    let Submitted::Awaiting(request, suspended) = submit(r#"{"query":"a","times":2}"#).await else {
        panic!("it has to ask")
    };
    request.decide(Decision::Deny).unwrap();
    suspended.outcome().await;
    for same in [r#"{ "times" : 2.0, "query" : "\u0061" }"#, r#"{"query":"a","times":2}"#] {
        let Submitted::Settled(again) = submit(same).await else { panic!("asked again: {same}") };
        assert_eq!(again.code(), Some("already_denied"), "{same}");
    }
}

#[tokio::test]
async fn a_turn_cannot_ask_a_person_without_end() {
    let (lab, _) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let names = [
        ("lab.send", r#"{"query":"a"}"#, 4),
        ("lab.change", r#"{"text":"a"}"#, 1),
        ("lab.odd_change", "{}", 1),
        ("lab.fails_before", "{}", 1),
        ("lab.fails_changing", "{}", 1),
        ("lab.panics_changing", "{}", 1),
    ];
    let mut asked = 0;
    let mut last = None;
    for (name, arguments, times) in names {
        for _ in 0..times {
            match lab.executor.submit(&turn, propose(name, arguments)).await {
                Submitted::Awaiting(..) => asked += 1,
                Submitted::Settled(outcome) => last = outcome.code(),
            }
        }
    }
    assert_eq!((asked, last), (MAX_ASKED_PER_TURN, Some("too_many_decisions")));
}

#[tokio::test]
async fn two_calls_that_differ_in_content_alone_leave_the_same_records() {
    let mut left = Vec::new();
    for text in ["meet at ten", "pay in cash", "call mother"] {
        let (lab, _) = lab();
        let arguments = format!(r#"{{"text":"{text}"}}"#);
        lab.propose(propose("lab.change", &arguments)).approved().await;
        lab.propose(propose("lab.change", &arguments.replace("text", "txet"))).await;
        lab.propose(propose(&text.replace(' ', "_"), "{}")).await;
        left.push(lab.audit.records());
    }
    assert_eq!(left[0], left[1]);
    assert_eq!(left[0], left[2]);
}

/// One of the hundred decisions: who was asked, which, with which token, and the call that waits.
type Asked = (CallerScope, sovereign_core::id::PendingId, String, tokio::task::JoinHandle<Outcome>);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_presentations_of_a_hundred_decisions_run_each_effect_once() {
    let (lab, state) = lab();
    let mut won = 0;
    for wave in 0..2 {
        let mut asked: Vec<Asked> = Vec::new();
        for n in 0..50 {
            let scope = CallerScope::operator("tester", format!("session-{}", n / 8));
            let arguments = format!(r#"{{"text":"{wave}-{n}"}}"#);
            let submitted = lab.executor.invoke(scope.clone(), propose("lab.change", &arguments));
            let Submitted::Awaiting(request, suspended) = submitted.await else { panic!("asks") };
            let token = lab.executor.surface(&scope, request.id()).unwrap().reveal().to_owned();
            asked.push((scope, request.id(), token, tokio::spawn(suspended.outcome())));
        }
        let mut racers = tokio::task::JoinSet::new();
        for _ in 0..10 {
            for (scope, id, token, _) in &asked {
                let (executor, scope, id, token) =
                    (lab.executor.clone(), scope.clone(), *id, token.clone());
                racers.spawn(async move {
                    let token = sovereign_core::confirmation::ConfirmationToken::presented(token);
                    executor.decide(&scope, id, &token, Decision::Approve).is_ok()
                });
            }
        }
        won += racers.join_all().await.into_iter().filter(|won| *won).count();
        for (.., waits) in asked {
            assert_eq!(waits.await.unwrap().kind(), OutcomeKind::Executed);
        }
    }
    let mut ran = state.ran();
    ran.sort();
    ran.dedup();
    assert_eq!((won, ran.len(), state.ran().len()), (100, 100, 100));
    assert_eq!(lab.audit.ends(), [OutcomeKind::Executed; 100]);
    let at_execute = |r: &CallRecord| r.point == Point::At(Stage::Execute);
    assert_eq!(lab.audit.calls().iter().filter(|r| at_execute(r)).count(), 200);
}
