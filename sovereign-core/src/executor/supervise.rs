//! Runs what was cleared: begin record, deadline, panic guard, cancellation, the one ending.

use super::outcome::Json;
use super::slip::Slip;
use super::stages::permitted;
use super::{Core, Ending, Outcome, Refusal, TurnLedger, code};
use crate::BoxFuture;
use crate::audit::{CallRecord, Mark, Record, Stage};
use crate::capability::{
    CallContext, Clearance, Confinement, Confirmation, Descriptor, Failure, Fault, Late, Outliving,
    Prepared, Produced, SideEffect,
};
use crate::clock::Moment;
use crate::id::InvocationId;
use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How long work on confined threads has, after its deadline, to go away.
const GRACE: Duration = Duration::from_secs(1);

/// Set when whoever waited goes away.
#[derive(Default)]
struct Cancel {
    set: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Cancel {
    fn poll(&self, cx: &Context<'_>) -> bool {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        self.is_set()
    }

    fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    fn signal(&self) {
        self.set.store(true, Ordering::Release);
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// A started call: await it, or drop it and it is ended.
///
/// The first poll happens in place. Work that has to wait gets a task of its own, so that its deadline
/// and its record do not depend on anyone polling the turn; a task for every call would cost more than
/// the whole pipeline.
pub(crate) struct Running {
    state: State,
    cancel: Arc<Cancel>,
    turn: Arc<TurnLedger>,
    id: InvocationId,
}

enum State {
    Here(BoxFuture<'static, Outcome>),
    Task(tokio::task::JoinHandle<Outcome>),
}

impl Future for Running {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let (id, turn) = (self.id, Arc::clone(&self.turn));
        if let State::Here(work) = &mut self.state {
            // the call itself is guarded below; this is for what its values do when they are dropped
            match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
                Ok(Poll::Ready(outcome)) => return Poll::Ready(outcome),
                Ok(Poll::Pending) => {}
                Err(_) => return turn.outcome(id).map_or(Poll::Pending, Poll::Ready),
            }
            let work = std::mem::replace(work, Box::pin(pending()));
            self.state = State::Task(tokio::spawn(work));
        }
        match &mut self.state {
            State::Task(task) => match Pin::new(task).poll(cx) {
                Poll::Ready(Ok(outcome)) => Poll::Ready(outcome),
                // the task died, its slip did not: the ending is in the ledger
                Poll::Ready(Err(_)) => turn.outcome(id).map_or(Poll::Pending, Poll::Ready),
                Poll::Pending => Poll::Pending,
            },
            State::Here(_) => Poll::Pending,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.signal();
    }
}

pub(super) fn supervise(
    slip: Slip,
    descriptor: &'static Descriptor,
    prepared: Box<dyn Prepared>,
    clearance: Clearance,
) -> Running {
    let cancel = Arc::<Cancel>::default();
    let (turn, id) = (Arc::clone(&slip.turn), slip.id);
    let work = work(slip, descriptor, prepared, clearance, Arc::clone(&cancel));
    Running { state: State::Here(Box::pin(work)), cancel, turn, id }
}

async fn work(
    mut slip: Slip,
    d: &'static Descriptor,
    prepared: Box<dyn Prepared>,
    clearance: Clearance,
    cancel: Arc<Cancel>,
) -> Outcome {
    if !recorded(&slip, d).await {
        let (stage, code) = (Stage::Audit, code::AUDIT_UNAVAILABLE);
        return slip.close(Ending::Refused(Refusal { stage, code, violations: Vec::new() }));
    }
    if cancel.is_set() {
        return slip.close(Ending::Cancelled { code: code::CANCELLED }); // nothing has started
    }
    // the disk may have taken its time, and nothing that was revoked meanwhile may run
    if matches!(d.confirmation(), Confirmation::Required)
        && let Err(code) = permitted(&slip, d, &*prepared)
    {
        slip.at(Stage::Policy);
        let (stage, violations) = (Stage::Policy, Vec::new());
        return slip.close(Ending::Refused(Refusal { stage, code, violations }));
    }
    let bounds = d.declaration.bounds;
    let deadline = slip.turn.within(slip.core.clock.now().after(bounds.timeout));
    let outliving = Arc::new(Outliving::new(ComesBack::of(&slip)));
    let context = CallContext {
        deadline,
        outliving: Arc::clone(&outliving),
        max_result: bounds.max_result,
        clock: Arc::clone(&slip.core.clock),
        blocking: Arc::clone(&slip.core.blocking),
        confined: slip.core.confines(d).map(Confinement::of_call),
        _clearance: clearance,
    };
    slip.begun = true;
    let ran = if context.confined.is_some() {
        elsewhere(prepared, context, &slip, &cancel).await
    } else {
        bounded(prepared.run(&context), &slip, deadline, &cancel).await
    };
    outliving.end(|still_running| {
        let ending = ending(&slip, d, ran, still_running);
        slip.close(ending)
    })
}

/// The same on confined threads. What does not go away there soon after its end counts as running.
async fn elsewhere(
    prepared: Box<dyn Prepared>,
    context: CallContext,
    slip: &Slip,
    cancel: &Cancel,
) -> Ran<Result<Produced, Fault>> {
    let not_confined = || Err(Fault::Own(Failure::new(code::NOT_CONFINED)));
    let (deadline, context) = (context.deadline, Arc::new(context));
    let (piece, inside) = (context.outliving.starts(), Arc::clone(&context));
    let work = async move {
        let _piece = piece;
        prepared.run(&inside).await
    };
    let task = context.confined.as_ref().and_then(|confined| confined.spawn(Box::pin(work)));
    let Some(mut task) = task else { return Ran::Finished(not_confined()) };
    let outcome = async { task.outcome().await.unwrap_or_else(not_confined) };
    let ran = bounded(outcome, slip, deadline, cancel).await;
    if !matches!(ran, Ran::TimedOut | Ran::Cancelled) {
        return ran;
    }
    let patience = slip.core.clock.sleep_until(slip.core.clock.now().after(GRACE));
    tokio::select! {
        quietly = task.put_away() => if quietly { ran } else { Ran::Panicked },
        () = patience => ran,
    }
}

/// What the log is told when work comes back that outlived its call.
struct ComesBack {
    record: CallRecord,
    core: Arc<Core>,
    started: Moment,
}

impl ComesBack {
    fn of(slip: &Slip) -> Self {
        let core = Arc::clone(&slip.core);
        let started = core.clock.now();
        Self { record: slip.record(Mark::LateCompletion), core, started }
    }
}

impl Late for ComesBack {
    fn came_back(&self) {
        let mut record = self.record.clone();
        record.at = self.core.clock.wall();
        record.took = record.took.saturating_add(self.core.clock.now().since(self.started));
        if let Err(error) = self.core.append(Record::Call(record)) {
            let invocation = self.record.id;
            tracing::error!(%invocation, %error, "a late completion could not be recorded");
        }
    }
}

/// No audit, no execution: what needed a decision is on the disk before its effect, the rest is
/// refused when the log takes nothing any more.
async fn recorded(slip: &Slip, d: &Descriptor) -> bool {
    match d.confirmation() {
        Confirmation::Automatic => slip.core.audit.ready().is_ok(),
        Confirmation::Required => {
            slip.core.append(Record::Call(slip.record(Mark::Begin))).is_ok()
                && slip.core.audit.durable().await.is_ok()
        }
    }
}

fn ending(
    slip: &Slip,
    d: &Descriptor,
    ran: Ran<Result<Produced, Fault>>,
    still_running: bool,
) -> Ending {
    let mutating = matches!(d.side_effect, SideEffect::Mutating);
    match ran {
        Ran::Finished(Ok(Produced { json, changed, citations })) => match Json::checked(json) {
            Some(result) => {
                Ending::Executed { result: Some(result), code: None, changed, citations }
            }
            None => withheld(code::RESULT_INVALID, changed, mutating),
        },
        Ran::Finished(Err(Fault::Withheld { code, changed })) => withheld(code, changed, mutating),
        Ran::Finished(Err(Fault::Own(failure))) => {
            if let Some(detail) = &failure.detail {
                tracing::debug!(invocation = %slip.id, code = failure.code, %detail, "failed");
            }
            if mutating && !failure.before_effect {
                Ending::UnknownEffect { code: failure.code }
            } else {
                Ending::Failed { code: failure.code, message: failure.message }
            }
        }
        Ran::Panicked => slip.cut_off(code::PANICKED),
        Ran::TimedOut if still_running => slip.cut_off(code::STILL_RUNNING),
        Ran::TimedOut => slip.cut_off(code::TIMEOUT),
        Ran::Cancelled => slip.cut_off(code::CANCELLED),
    }
}

/// It ran, but what it said is too large or outside its schema.
fn withheld(code: &'static str, changed: Option<bool>, mutating: bool) -> Ending {
    if mutating {
        Ending::Executed { result: None, code: Some(code), changed, citations: Vec::new() }
    } else {
        Ending::Failed { code, message: "" }
    }
}

enum Ran<T> {
    Finished(T),
    Panicked,
    TimedOut,
    Cancelled,
}

/// Deadline, cancellation and panic guard around one future. The timer exists only once the work has
/// to wait.
async fn bounded<T>(
    work: impl Future<Output = T>,
    slip: &Slip,
    deadline: Moment,
    cancel: &Cancel,
) -> Ran<T> {
    let mut work = pin!(work);
    let mut alarm = None;
    poll_fn(move |cx| {
        match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(Poll::Ready(done)) => return Poll::Ready(Ran::Finished(done)),
            Ok(Poll::Pending) => {}
            Err(_) => return Poll::Ready(Ran::Panicked),
        }
        if cancel.poll(cx) {
            return Poll::Ready(Ran::Cancelled);
        }
        let alarm = alarm.get_or_insert_with(|| slip.core.clock.sleep_until(deadline));
        alarm.as_mut().poll(cx).map(|()| Ran::TimedOut)
    })
    .await
}
