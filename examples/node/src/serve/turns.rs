//! Turns of a session: each is owned by a task of its own, so that a closed tab ends nothing.

use super::decisions::outstanding;
use super::identity::Session;
use super::live::{Over, Phase, Running, Waiting};
use super::rpc::RpcError;
use super::service::Service;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{Backend, BackendIdentity};
use sovereign_core::conversation::{Busy, Conversation, Event, Receipt, Report, Skipped, Turn};
use sovereign_core::executor::{Ending, Json, Outcome};
use sovereign_core::id::{InvocationId, PendingId, TurnId};
use std::sync::Arc;
use tokio::sync::watch;

/// Takes a message; the turn runs from here on, whoever watches.
pub(crate) async fn begin(
    service: &Arc<Service>,
    session: &Arc<Session>,
    text: String,
) -> Result<(TurnId, watch::Receiver<Phase>), RpcError> {
    let conversation = conversation(service, session).await?;
    let mut state = session.live.state();
    if state.closed || service.is_closing() {
        return Err(RpcError::STOPPING);
    }
    match &state.running {
        Some(Running { waiting: Some(waiting), .. }) => {
            return Err(outstanding(service, session, Some(*waiting)));
        }
        Some(_) => return Err(RpcError::TURN_RUNNING),
        None => {}
    }
    let turn = conversation.say(text.as_str()).map_err(|busy| match busy {
        Busy::TurnRunning => RpcError::TURN_RUNNING,
        Busy::DecisionOutstanding(_) => outstanding(service, session, None),
    })?;
    let id = turn.ledger().turn();
    let (phase, stop) = (watch::Sender::new(Phase::Going), watch::Sender::new(false));
    let (watched, stopped) = (phase.subscribe(), stop.subscribe());
    state.running = Some(Running { turn: id, text: String::new(), waiting: None, phase, stop });
    let driven = Driven { service: Arc::clone(service), session: Arc::clone(session), turn: id };
    driven.tell_in(&mut state, "turn_started", Started { text: &text });
    drop(state);
    session.live.tell_moved();
    tokio::spawn(driven.drive(turn, stopped));
    Ok((id, watched))
}

/// The session's one conversation; it goes on from its principal's transcript. With other backends than
/// before it is another one: a key that was taken away is used no more.
async fn conversation(
    service: &Arc<Service>,
    session: &Arc<Session>,
) -> Result<Conversation, RpcError> {
    let legs: Vec<Arc<dyn Backend>> =
        (service.parts.legs)().into_iter().map(|leg| leg as _).collect();
    if let Some((conversation, of)) = &session.live.state().conversation
        && of.len() == legs.len()
        && of.iter().zip(&legs).all(|(one, other)| Arc::ptr_eq(one, other))
    {
        return Ok(conversation.clone());
    }
    let (of_service, scope, now) = (Arc::clone(service), session.scope(), legs.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let parts = &of_service.parts;
        let builder = Conversation::builder(&parts.executor, scope).legs(now).limits(parts.turns);
        match &parts.histories {
            Some(kept) => builder.remembered_in(kept).map(|(builder, _)| builder.open()),
            None => Ok(builder.open()),
        }
    });
    let opened = match opened.await {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => {
            tracing::error!(%error, "a transcript cannot be read");
            return Err(RpcError::NO_TRANSCRIPT);
        }
        Err(_) => return Err(RpcError::INTERNAL),
    };
    let mut state = session.live.state();
    if state.running.is_none() {
        state.conversation = Some((opened.clone(), legs));
    }
    Ok(opened)
}

/// One turn in its task. However the task ends, the session is idle afterwards.
struct Driven {
    service: Arc<Service>,
    session: Arc<Session>,
    turn: TurnId,
}

impl Driven {
    async fn drive(self, mut turn: Turn, mut stop: watch::Receiver<bool>) {
        let finished = loop {
            let event = tokio::select! {
                biased;
                // first, so that a decision which was withdrawn ends as that
                event = turn.next() => event,
                () = told_to_stop(&mut stop) => None,
            };
            match event {
                Some(Event::Finished(report)) => break Ok(report),
                Some(event) => self.on(event),
                None => break Err(turn.cancel().await),
            }
            if *stop.borrow() {
                break Err(turn.cancel().await);
            }
        };
        let cancelled = finished.is_err();
        let report = finished.unwrap_or_else(|receipts| {
            let mut report = Box::<Report>::default();
            report.receipts = receipts;
            report
        });
        self.over(&report, cancelled);
    }

    fn on(&self, event: Event) {
        if let Some(waiting) = self.session.live.waiting() {
            self.answered(waiting, &event);
        }
        match event {
            Event::Text(delta) => {
                let mut state = self.session.live.state();
                if let Some(running) = &mut state.running {
                    running.push(&delta);
                }
                self.tell_in(&mut state, "text", Text { delta: &delta });
            }
            Event::LegFailed { skipped, next } => {
                let mut state = self.session.live.state();
                if let Some(running) = &mut state.running {
                    running.text.clear();
                }
                self.tell_in(&mut state, "leg_failed", LegFailed { skipped, next });
            }
            Event::Proposed { wire_name } => self.tell("proposed", Proposed { wire_name }),
            Event::ConfirmationRequested(request) => self.asked(request.id()),
            Event::Settled(outcome) => self.settled(&outcome),
            Event::Finished(_) => {}
            // events of later versions
            _ => {}
        }
    }

    fn asked(&self, id: PendingId) {
        let executor = &self.service.parts.executor;
        let open = executor.pending(&self.session.scope()).into_iter().find(|p| p.id == id);
        // answered before anybody could be asked
        let Some(pending) = open else { return };
        let (audit_id, expires_in_seconds) = (pending.audit_id, pending.expires_in_seconds);
        let waiting = Waiting { id, audit_id };
        let mut state = self.session.live.state();
        if let Some(running) = &mut state.running {
            running.waiting = Some(waiting);
            running.phase.send_replace(Phase::Awaiting(waiting));
        }
        let pending = Asked { id, audit_id, expires_in_seconds };
        self.tell_in(&mut state, "pending", Pending { pending });
        drop(state);
        self.session.live.tell_moved();
    }

    /// A turn that goes on waits for nobody any more. What nobody answered has expired, unless its
    /// outcome says otherwise.
    fn answered(&self, waiting: Waiting, event: &Event) {
        let how = match event {
            Event::Settled(outcome) if outcome.audit_id == waiting.audit_id => how(outcome.kind()),
            _ => "expired",
        };
        self.session.live.resolved(waiting.id, how);
    }

    fn settled(&self, outcome: &Outcome) {
        let result = match &outcome.ending {
            Ending::Executed { result, .. } => result.clone(),
            _ => None,
        };
        self.tell("settled", Settled { receipt: Receipt::of(outcome), result });
    }

    fn over(&self, report: &Report, cancelled: bool) {
        // INVARIANT: a report serialises
        let told = to_raw_value(report).unwrap_or_else(|_| RawValue::NULL.to_owned());
        let receipts = report.receipts.clone();
        let over = Over { turn: self.turn, report: told, cancelled, receipts };
        self.session.live.finish(&Arc::new(over));
    }

    fn tell(&self, r#type: &'static str, more: impl Serialize) {
        self.tell_in(&mut self.session.live.state(), r#type, more);
    }

    fn tell_in(&self, state: &mut super::live::State, r#type: &'static str, more: impl Serialize) {
        state.watchers.tell(&Told { r#type, turn: self.turn, more });
    }
}

async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    // the other end lives as long as the turn is the session's
    drop(stop.wait_for(|stop| *stop).await);
}

impl Drop for Driven {
    /// Nothing to do after an orderly end; a task that panicked leaves no session busy for ever.
    fn drop(&mut self) {
        self.over(&Report::default(), true);
    }
}

const fn how(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::Denied => "denied",
        OutcomeKind::Expired => "expired",
        OutcomeKind::Void => "withdrawn",
        _ => "approved",
    }
}

#[derive(Serialize)]
struct Told<T> {
    r#type: &'static str,
    turn: TurnId,
    #[serde(flatten)]
    more: T,
}

#[derive(Serialize)]
struct Started<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct Text<'a> {
    delta: &'a str,
}

#[derive(Serialize)]
struct LegFailed {
    skipped: Skipped,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<BackendIdentity>,
}

#[derive(Serialize)]
struct Proposed {
    wire_name: String,
}

#[derive(Serialize)]
struct Pending {
    pending: Asked,
}

#[derive(Serialize)]
struct Asked {
    id: PendingId,
    audit_id: InvocationId,
    expires_in_seconds: u64,
}

#[derive(Serialize)]
struct Settled {
    receipt: Receipt,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Json>,
}
