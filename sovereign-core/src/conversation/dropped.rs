//! A turn that was dropped while a call ran: its outcome still comes into the transcript.
use super::Shared;
use crate::backend::{CallId, Message};
use crate::executor::TurnLedger;
use crate::id::InvocationId;
use crate::schema::RawArguments;
use std::collections::HashSet;
use std::sync::Arc;

/// A proposal that was submitted and has no outcome yet.
pub(super) struct UnderWay {
    pub(super) call: CallId,
    pub(super) arguments: Option<RawArguments>,
    /// Name and version, when it named something.
    pub(super) named: Option<(String, u32)>,
    /// The transcript has its name.
    pub(super) started: bool,
}

/// What is left of it.
pub(super) struct Dropped {
    pub(super) ledger: Arc<TurnLedger>,
    /// The turn's number in the transcript.
    pub(super) place: u64,
    pub(super) under_way: Option<UnderWay>,
    /// Outcomes that the transcript has, or that stand in `after`.
    pub(super) known: HashSet<InvocationId>,
    pub(super) after: Vec<Message>,
}

impl Dropped {
    pub(super) fn is_idle(&self) -> bool {
        self.ledger.is_idle()
    }

    /// The conversation stays busy until the last outcome is there, and takes it up even when nobody
    /// looks at it again.
    pub(super) fn leave_to(self, shared: &Arc<Shared>) {
        let ledger = Arc::clone(&self.ledger);
        let idle = ledger.is_idle();
        shared.state().dropped = Some(self);
        drop(shared.state()); // takes up what has already ended
        shared.save_soon();
        if let (false, Ok(runtime)) = (idle, tokio::runtime::Handle::try_current()) {
            let shared = Arc::clone(shared);
            runtime.spawn(async move {
                ledger.idle().await;
                drop(shared.state());
                shared.save_soon();
            });
        }
    }

    /// What the transcript still lacks, in its order.
    pub(super) fn take_up(self, shared: &Shared, said: &mut Vec<Message>) {
        let Self { ledger, place, under_way, known, after } = self;
        let late = ledger.outcomes().into_iter().find(|o| !known.contains(&o.audit_id));
        if let Some((call, outcome)) = under_way.zip(late) {
            shared.keep(place, &outcome, call.arguments.as_ref(), true);
            said.push(Message::Outcome { call: call.call, outcome });
        }
        said.extend(after);
    }
}
