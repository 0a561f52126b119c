//! Open decisions of a session, as its pages see them; nothing in one decides.

use super::identity::Session;
use super::live::Waiting;
use super::rpc::RpcError;
use super::service::Service;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::confirmation::Pending;

/// What is open in this session now.
pub(crate) fn open(service: &Service, session: &Session) -> Vec<Pending> {
    service.parts.executor.pending(&session.scope())
}

/// The one that is waited for; none once it is over.
pub(crate) fn one(service: &Service, session: &Session, waiting: Waiting) -> Option<Pending> {
    open(service, session).into_iter().find(|pending| pending.id == waiting.id)
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
