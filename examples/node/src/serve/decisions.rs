//! Open decisions of a session, as its pages see them.

use super::identity::Session;
use super::live::Waiting;
use super::rpc::RpcError;
use super::service::Service;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::confirmation::{Disclosure, Pending, WINDOW};
use sovereign_core::id::{InvocationId, PendingId};

/// One open decision; nothing in it decides.
#[derive(Serialize)]
pub(crate) struct Shown {
    pub(crate) id: PendingId,
    audit_id: InvocationId,
    expires_in_seconds: u64,
    disclosure: Disclosure,
}

/// What is open in this session now.
pub(crate) fn open(service: &Service, session: &Session, waiting: Option<Waiting>) -> Vec<Shown> {
    let shown = |pending: Pending| {
        let own = waiting.filter(|waiting| waiting.id == pending.id);
        let left = own.map_or(WINDOW.as_secs(), |waiting| time_left(service, &waiting));
        Shown {
            id: pending.id,
            audit_id: pending.audit_id,
            expires_in_seconds: left,
            disclosure: pending.disclosure,
        }
    };
    service.parts.executor.pending(&session.scope()).into_iter().map(shown).collect()
}

/// The one that is waited for; none once it is over.
pub(crate) fn one(service: &Service, session: &Session, waiting: Waiting) -> Option<Shown> {
    let all = open(service, session, Some(waiting));
    all.into_iter().find(|shown| shown.id == waiting.id)
}

/// In whole seconds, rounded down.
pub(crate) fn time_left(service: &Service, waiting: &Waiting) -> u64 {
    WINDOW.saturating_sub(service.parts.clock.now().since(waiting.since)).as_secs()
}

/// A message is not taken while a person is asked.
pub(crate) fn outstanding(
    service: &Service,
    session: &Session,
    waiting: Option<Waiting>,
) -> RpcError {
    let shown = waiting.and_then(|waiting| one(service, session, waiting));
    let pending: Option<Box<RawValue>> = shown.and_then(|shown| to_raw_value(&shown).ok());
    RpcError { pending, ..RpcError::DECISION_OUTSTANDING }
}
