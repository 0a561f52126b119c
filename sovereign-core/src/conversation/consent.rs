//! Whether this turn may leave the device: policy, a person's yes where policy asks for one, and a
//! record on the disk, in this order and before each request.

use super::Busy;
use super::drive::OpenTurn;
use super::reply::Round;
use super::turn::{Event, Events};
use crate::backend::{BackendIdentity, Locality};
use crate::clock::Moment;
use crate::confirmation::{Payload, RemoteSend};
use crate::executor::{Answered, Withheld};
use crate::id::InvocationId;
use crate::policy::RemoteInference;

/// What the person agreed to in this turn: exactly this receiver and model.
#[derive(Debug, Default)]
pub(super) struct Consents(Vec<(BackendIdentity, InvocationId)>);

impl Consents {
    fn to(&self, identity: &BackendIdentity) -> Option<InvocationId> {
        self.0.iter().find(|(agreed, _)| agreed == identity).map(|(_, decision)| *decision)
    }
}

/// What policy leaves open.
enum Standing {
    /// The operator's standing choice.
    Always,
    /// A person has to be asked, and can be.
    Ask,
}

impl OpenTurn {
    /// Whether a turn of this conversation may leave the device at all, now.
    fn standing(&self) -> Result<Standing, Withheld> {
        let nobody = self.shared.unattended || !self.shared.scope.may_confirm();
        match self.shared.executor.policy().remote_inference() {
            RemoteInference::Never => Err(Withheld::Never),
            RemoteInference::Always => Ok(Standing::Always),
            RemoteInference::Ask if nobody => Err(Withheld::NobodyToAsk),
            RemoteInference::Ask => Ok(Standing::Ask),
        }
    }

    /// Why this leg need not even be asked whether it is ready.
    pub(super) fn shut(&self, leg: &BackendIdentity) -> Option<Withheld> {
        let remote = leg.locality == Locality::Remote;
        remote.then(|| self.standing().err()).flatten()
    }

    /// Ends well when `payload` may go to `identity` now, and the audit log has it on the disk.
    pub(super) async fn clear(
        &mut self,
        identity: &BackendIdentity,
        payload: Payload,
        round: Round<'_>,
        deadline: &mut Moment,
        events: &Events,
    ) -> Result<(), Withheld> {
        let bytes = payload.bytes;
        let mut payload = Some(payload);
        let decision = loop {
            // asked again after the person's yes: policy may have changed meanwhile
            if let Standing::Always = self.standing()? {
                break None;
            }
            if let Some(decision) = self.consents.to(identity) {
                break Some(decision);
            }
            let Some(payload) = payload.take() else { return Err(Withheld::Void) };
            let decision = self.question(identity, payload, round, deadline, events).await?;
            self.consents.0.push((identity.clone(), decision));
        };
        let (executor, ledger) = (&self.shared.executor, &self.ledger);
        let recorded = executor.record_remote_send(ledger, identity.id, bytes, decision).await;
        recorded.map_err(|error| {
            tracing::error!(%error, "a remote send could not be recorded");
            Withheld::NotRecorded
        })
    }

    async fn question(
        &mut self,
        identity: &BackendIdentity,
        payload: Payload,
        round: Round<'_>,
        deadline: &mut Moment,
        events: &Events,
    ) -> Result<InvocationId, Withheld> {
        let receiver = identity.receiver.as_deref().unwrap_or_default();
        let model = identity.model.as_deref();
        let send = RemoteSend::to(identity.id, receiver, model, payload, !round.closing);
        let (request, question) = self.shared.executor.ask_to_send(&self.ledger, send)?;
        self.busy(Busy::DecisionOutstanding(Box::new(request.disclosure().clone())));
        events.emit(Event::ConfirmationRequested(request)).await;
        let Answered { decision, took } = question.answer().await;
        self.busy(Busy::TurnRunning);
        // the turn's clock stands still while a person decides
        *deadline = deadline.after(took);
        decision
    }
}
