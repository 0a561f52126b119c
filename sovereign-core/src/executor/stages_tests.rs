use super::Suspended;
use crate::audit::{Mark, OutcomeKind, Point, Record, Stage};
use crate::caller::{CallerScope, Categories, Category};
use crate::confirmation::{ConfirmationRequest, Decision};
use crate::executor::slip::Slip;
use crate::executor::{Ending, Executor, Proposal, Submitted, code};
use crate::policy::Policy;
use crate::prelude::*;
use crate::registry::Registry;
use crate::testing::MemoryAudit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Changes a note.
#[capability(name = "notes.write", side_effect = mutating, network = local, category = notes)]
struct Write {
    /// The text.
    text: String,
}

impl Run for Write {
    type State = AtomicUsize;
    type Output = Changed<()>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<()>, Failure> {
        drop(self.text);
        call.state().fetch_add(1, Ordering::SeqCst);
        Ok(Changed::yes(()))
    }
}

static NOTES: Plugin<AtomicUsize> = Plugin::new("notes", &[Write::ENTRY]);

struct Lab {
    executor: Executor,
    audit: Arc<MemoryAudit>,
    ran: Arc<AtomicUsize>,
    me: CallerScope,
}

fn lab() -> Lab {
    let (ran, audit) = (Arc::new(AtomicUsize::new(0)), Arc::new(MemoryAudit::default()));
    let registry = Registry::builder().install(&NOTES, Arc::clone(&ran)).build().unwrap();
    let policy =
        Policy::granting(|_| Categories::NONE.with(Category::Notes)).enabled("notes.write");
    let executor = Executor::builder(registry, policy, Arc::clone(&audit) as _).build().unwrap();
    Lab { executor, audit, ran, me: CallerScope::operator("me", "1") }
}

impl Lab {
    async fn asked(&self, arguments: &[u8]) -> (ConfirmationRequest, Suspended) {
        let proposal = Proposal::new("notes.write", 1, arguments);
        match self.executor.invoke(self.me.clone(), proposal).await {
            Submitted::Awaiting(request, suspended) => (request, suspended),
            settled @ Submitted::Settled(_) => panic!("{settled:?}"),
        }
    }
}

#[tokio::test]
async fn a_call_that_is_not_the_one_that_was_approved_is_void_and_never_runs() {
    let lab = lab();
    let (request, mut approved) = lab.asked(br#"{"text":"a"}"#).await;
    let (_, mut other) = lab.asked(br#"{"text":"b"}"#).await;
    std::mem::swap(&mut approved.call, &mut other.call);
    request.decide(Decision::Approve).unwrap();
    let outcome = approved.outcome().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Void, Some(code::WRONG_CONTEXT)));
    assert_eq!(lab.ran.load(Ordering::SeqCst), 0);
    assert!(lab.audit.calls().iter().all(|call| !matches!(call.mark, Mark::Begin)));
}

#[tokio::test]
async fn what_was_withdrawn_is_an_event_and_nothing_withdrawn_is_none() {
    let lab = lab();
    let events = || {
        let administrative = |r: &Record| matches!(r, Record::Administrative(_));
        lab.audit.records().iter().filter(|r| administrative(r)).count()
    };
    assert_eq!((lab.executor.void(&lab.me), events()), (0, 0));
    let (_, suspended) = lab.asked(br#"{"text":"a"}"#).await;
    assert_eq!((lab.executor.void(&lab.me), events()), (1, 1));
    assert_eq!(suspended.outcome().await.code(), Some(code::WITHDRAWN));
    let waiting = (lab.asked(br#"{"text":"a"}"#).await, lab.asked(br#"{"text":"b"}"#).await);
    assert_eq!((lab.executor.void_all(), events()), (2, 2));
    drop(waiting);
}

#[tokio::test]
async fn what_the_disk_does_not_take_is_not_called_durable() {
    let lab = lab();
    lab.executor.durable().await.unwrap();
    lab.audit.fail_durable();
    lab.executor.durable().await.unwrap_err();
}

#[test]
fn a_call_that_is_cut_off_ends_as_what_its_point_and_class_make_of_it() {
    let lab = lab();
    let core = &lab.executor.core;
    let turn = lab.executor.open_turn(lab.me.clone(), lab.executor.open_conversation());
    let mut slip = Slip::open(core, &turn, &Proposal::new("notes.write", 1, b"{}"));
    slip.descriptor = Some(Write::ENTRY.descriptor);
    let (cancelled, timeout) = (code::CANCELLED, code::TIMEOUT);
    slip.point = Point::At(Stage::Validate);
    assert_eq!(slip.cut_off(timeout), Ending::NotAttempted);
    slip.point = Point::At(Stage::Confirm);
    assert_eq!(slip.cut_off(timeout), Ending::Void { code: code::TURN_GONE });
    slip.point = Point::At(Stage::Execute);
    assert_eq!(slip.cut_off(timeout), Ending::Cancelled { code: timeout }, "its body never began");
    slip.begun = true;
    assert_eq!(slip.cut_off(cancelled), Ending::UnknownEffect { code: cancelled });
    assert_eq!(slip.cut_off(timeout), Ending::UnknownEffect { code: timeout });
}
