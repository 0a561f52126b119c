//! What leaves the device for a model elsewhere: asked about in the same store as calls, and recorded
//! before it goes.

use super::{Executor, TurnLedger};
use crate::audit::{Administrative, AdministrativeRecord, AuditError, Record};
use crate::clock::Moment;
use crate::confirmation::{AskError, ConfirmationRequest, Disclosure, Place, RemoteSend, Verdict};
use crate::id::InvocationId;
use std::sync::Arc;
use std::time::Duration;

/// An open question; dropping it closes the decision.
pub(crate) struct RemoteQuestion {
    place: Place,
    executor: Executor,
    turn: Arc<TurnLedger>,
    question: [u8; 32],
    decision: InvocationId,
    asked: Moment,
}

/// Why a turn does not leave the device: one line for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Withheld {
    #[error("nothing was sent: policy `inference.remote` says `never`")]
    Never,
    #[error("nothing was sent: there is nobody here who could be asked for consent")]
    NobodyToAsk,
    #[error("nothing was sent: what would leave the device cannot be shown whole")]
    CannotBeShown,
    #[error("nothing was sent: this receiver was not agreed to before in this turn")]
    AlreadyRefused,
    #[error("nothing was sent: too many decisions are open")]
    TooManyDecisions,
    #[error("nothing was sent: the person said no")]
    Denied,
    #[error("nothing was sent: nobody answered in time")]
    Expired,
    #[error("nothing was sent: the question was withdrawn")]
    Void,
    #[error("nothing was sent: it became another receiver or model than was agreed to")]
    Changed,
    #[error("nothing was sent: it could not be recorded")]
    NotRecorded,
}

/// What came of it.
pub(crate) struct Answered {
    /// The decision that the sends of this turn stand on, or why there is none.
    pub(crate) decision: Result<InvocationId, Withheld>,
    /// How long the person took: the turn's clock stood still.
    pub(crate) took: Duration,
}

impl Executor {
    /// Opens the question whether this may leave the device in this turn.
    ///
    /// # Errors
    /// Why it is not asked.
    pub(crate) fn ask_to_send(
        &self,
        turn: &Arc<TurnLedger>,
        what: RemoteSend,
    ) -> Result<(ConfirmationRequest, RemoteQuestion), Withheld> {
        if !turn.scope().may_confirm() {
            return Err(Withheld::NobodyToAsk);
        }
        let disclosure = Disclosure::RemoteSend(what).whole().ok_or(Withheld::CannotBeShown)?;
        let question = disclosure.question();
        let (ids, decision) = (&self.core.ids, self.core.ids.invocation());
        let opened = self.core.confirmations.ask(
            ids.pending(),
            turn.scope(),
            turn.conversation(),
            decision,
            disclosure,
            turn.denied(),
        );
        let (request, place) = opened.map_err(|no| match no {
            AskError::TooMany => Withheld::TooManyDecisions,
            AskError::AlreadyDenied => Withheld::AlreadyRefused,
        })?;
        // the place closes again when the turn has asked too often
        turn.reserve_decision().map_err(|_full| Withheld::TooManyDecisions)?;
        let (executor, turn, asked) = (self.clone(), Arc::clone(turn), self.now());
        Ok((request, RemoteQuestion { place, executor, turn, question, decision, asked }))
    }

    /// Ends when it is on the disk that so many bytes leave for this backend.
    ///
    /// # Errors
    /// When the audit log does not take it: nothing may be sent then.
    pub(crate) async fn record_remote_send(
        &self,
        turn: &TurnLedger,
        backend: &'static str,
        bytes: usize,
        decision: Option<InvocationId>,
    ) -> Result<(), AuditError> {
        let event = Administrative::RemoteSend { backend, bytes, turn: turn.turn(), decision };
        let (at, boot) = (self.core.clock.wall(), Some(self.core.ids.boot()));
        let record = AdministrativeRecord { at, boot, event };
        self.core.append(Record::Administrative(record))?;
        self.core.audit.durable().await
    }
}

impl RemoteQuestion {
    /// Waits for the person. Whatever is no yes is remembered, so that this receiver is not asked
    /// about again in this turn.
    pub(crate) async fn answer(self) -> Answered {
        let decision = match self.place.verdict().await {
            Verdict::Approved => Ok(self.decision),
            Verdict::Denied => Err(Withheld::Denied),
            Verdict::Expired => Err(Withheld::Expired),
            Verdict::Withdrawn | Verdict::WrongContext => Err(Withheld::Void),
        };
        if decision.is_err() {
            self.turn.denied().add(self.question);
        }
        let took = self.executor.now().since(self.asked);
        self.turn.stood_still(took);
        Answered { decision, took }
    }
}
