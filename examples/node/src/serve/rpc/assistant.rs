//! Talking, deciding, and what is remembered.

use super::super::identity::Session;
use super::super::live::{Over, Phase, Running, State};
use super::super::service::Service;
use super::super::{decisions, turns};
use super::{Answer, Call, RpcError, plain};
use axum::body::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sovereign_core::confirmation::Pending;
use sovereign_core::files::FileError;
use sovereign_core::history::History;
use sovereign_core::host::{ConfirmationToken, Decision, NotOpen};
use sovereign_core::id::{PendingId, TurnId};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a request for the state may wait for a change.
const MAX_WAIT: u64 = 30;
/// How many turns of a transcript are given when nobody says how many.
const TURNS: usize = 50;

/// Where a session stands.
#[derive(Default, Serialize)]
pub(crate) struct Status {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<TurnId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Pending>,
    #[serde(flatten)]
    last: Option<Last>,
}

/// The turn that ended last.
#[derive(Serialize)]
struct Last {
    #[serde(rename = "last_turn")]
    turn: TurnId,
    report: Box<serde_json::value::RawValue>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cancelled: bool,
}

impl Status {
    fn of(service: &Service, session: &Session) -> Self {
        Self::within(service, session, &session.live.state())
    }

    fn within(service: &Service, session: &Session, state: &State) -> Self {
        let running = state.running.as_ref();
        let pending = running.and_then(|running| running.waiting);
        let pending = pending.and_then(|waiting| decisions::one(service, session, waiting));
        let word = match (running, &pending) {
            (None, _) => "idle",
            (Some(_), None) => "running",
            (Some(_), Some(_)) => "awaiting_decision",
        };
        let last = state.last.as_ref().map(|over| Last {
            turn: over.turn,
            report: over.report.clone(),
            cancelled: over.cancelled,
        });
        Self { state: word, turn: running.map(|running| running.turn), pending, last }
    }
}

/// One more stream of this session; its first line says where the session stands.
pub(crate) fn watch(
    service: &Service,
    session: &Session,
) -> Result<mpsc::Receiver<Bytes>, RpcError> {
    #[derive(Serialize)]
    struct First<'a> {
        r#type: &'static str,
        #[serde(flatten)]
        status: Status,
        text: &'a str,
    }
    let mut state = session.live.state();
    if state.closed {
        return Err(RpcError::NO_SESSION);
    }
    let status = Status::within(service, session, &state);
    let text = state.running.as_ref().map(|running| running.text.clone()).unwrap_or_default();
    Ok(state.watchers.admit(&First { r#type: "state", status, text: &text }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chat {
    text: String,
}

#[derive(Serialize)]
struct Finished<'a> {
    state: &'static str,
    #[serde(flatten)]
    over: &'a Over,
}

#[derive(Serialize)]
struct Awaiting {
    state: &'static str,
    turn: TurnId,
    pending: Pending,
}

/// Says something; comes back with the finished turn, or as soon as a person has to decide. The turn
/// goes on in any case.
pub(crate) async fn chat(call: Call) -> Result<Answer, RpcError> {
    let Chat { text } = call.params.read()?;
    if text.trim().is_empty() {
        return Err(RpcError::invalid_params("`text` is empty"));
    }
    let (turn, mut phase) = turns::begin(&call.service, &call.session, text).await?;
    loop {
        let now = phase.borrow_and_update().clone();
        match now {
            Phase::Over(over) => return plain(&Finished { state: "finished", over: &over }),
            Phase::Awaiting(waiting) => {
                if let Some(pending) = decisions::one(&call.service, &call.session, waiting) {
                    return plain(&Awaiting { state: "awaiting_decision", turn, pending });
                }
            }
            Phase::Going => {}
        }
        phase.changed().await.map_err(|_| RpcError::INTERNAL)?;
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancel {
    turn: String,
}

/// Stops the turn and comes back when all of it has its record.
pub(crate) async fn cancel(call: Call) -> Result<Answer, RpcError> {
    let Cancel { turn } = call.params.read()?;
    let turn: TurnId = turn.parse().map_err(|_| RpcError::NO_SUCH_TURN)?;
    let phase = {
        let state = call.session.live.state();
        let running = state.running.as_ref().filter(|running| running.turn == turn);
        let Some(Running { stop, phase, .. }) = running else { return Err(RpcError::NO_SUCH_TURN) };
        stop.send_replace(true);
        phase.subscribe()
    };
    let over = super::super::live::over(phase).await.ok_or(RpcError::INTERNAL)?;
    plain(&json!({ "receipts": over.receipts }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    wait_seconds: Option<u64>,
}

/// Where the session stands; while a turn runs, it may wait for that to change.
pub(crate) async fn status(call: Call) -> Result<Answer, RpcError> {
    let Wait { wait_seconds } = call.params.read()?;
    let wait = Duration::from_secs(wait_seconds.unwrap_or(0).min(MAX_WAIT));
    let mut moved = call.session.live.moved();
    let stands = async {
        loop {
            moved.borrow_and_update();
            let status = Status::of(&call.service, &call.session);
            if status.state != "running" || moved.changed().await.is_err() {
                return status;
            }
        }
    };
    match tokio::time::timeout(wait, stands).await {
        Ok(status) => plain(&status),
        Err(_) => plain(&Status::of(&call.service, &call.session)),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    id: Option<String>,
}

/// What is open; or one of it, with a token to answer it from the page that asks.
pub(crate) async fn pending(call: Call) -> Result<Answer, RpcError> {
    let Which { id } = call.params.read()?;
    let Some(id) = id else {
        let open = decisions::open(&call.service, &call.session);
        return plain(&json!({ "pending": open }));
    };
    let id: PendingId = id.parse().map_err(|_| RpcError::NOT_PENDING)?;
    let mut open = decisions::open(&call.service, &call.session).into_iter();
    let shown = open.find(|shown| shown.id == id).ok_or(RpcError::NOT_PENDING)?;
    let token = call.service.parts.executor.surface(&call.session.scope(), id);
    let token = token.map_err(not_open)?;
    plain(&json!({ "pending": shown, "token": token.reveal() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Confirm {
    id: String,
    token: String,
    decision: Word,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Deny,
}

/// Decides; the turn goes on by itself.
pub(crate) async fn confirm_tool(call: Call) -> Result<Answer, RpcError> {
    let Confirm { id, token, decision } = call.params.read()?;
    let id: PendingId = id.parse().map_err(|_| RpcError::NOT_PENDING)?;
    let (told, how) = match decision {
        Word::Approve => (Decision::Approve, "approved"),
        Word::Deny => (Decision::Deny, "denied"),
    };
    let token = ConfirmationToken::presented(token);
    let decided = call.service.parts.executor.decide(&call.session.scope(), id, &token, told);
    let audit_id = decided.map_err(not_open)?;
    call.session.live.resolved(id, how);
    plain(&json!({ "audit_id": audit_id, "decision": decision }))
}

const fn not_open(why: NotOpen) -> RpcError {
    match why {
        NotOpen::AlreadyResolved => RpcError::ALREADY_RESOLVED,
        NotOpen::NotPending => RpcError::NOT_PENDING,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    limit: Option<usize>,
}

/// The caller's own transcript, oldest first.
pub(crate) async fn history(call: Call) -> Result<Answer, RpcError> {
    let Limit { limit } = call.params.read()?;
    let transcript = transcript(&call, |history| Ok(history.transcript())).await?;
    let skipped = transcript.turns.len().saturating_sub(limit.unwrap_or(TURNS));
    let turns: Vec<_> = transcript.turns.iter().skip(skipped).collect();
    plain(&json!({ "turns": turns, "summary": transcript.summary }))
}

/// Forgets it.
pub(crate) async fn clear_history(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    let removed = transcript(&call, |history| {
        let turns = history.transcript().turns.len();
        history.clear().map(|()| turns)
    });
    plain(&json!({ "removed": removed.await? }))
}

async fn transcript<T: Send + 'static>(
    call: &Call,
    work: impl FnOnce(&History) -> Result<T, FileError> + Send + 'static,
) -> Result<T, RpcError> {
    let (service, scope) = (Arc::clone(&call.service), call.session.scope());
    let done = tokio::task::spawn_blocking(move || {
        let Some(histories) = &service.parts.histories else { return work(&History::default()) };
        work(&histories.load(&scope)?.history)
    });
    done.await.map_err(|_| RpcError::INTERNAL)?.map_err(|error| {
        tracing::error!(%error, "a transcript cannot be used");
        RpcError::NO_TRANSCRIPT
    })
}
