//! Decisions that are open: in memory only, one at a time per conversation, each decided once.
//!
//! Owns the pending decisions, their tokens and what a person is shown. Nothing in here is
//! `Serialize` that decides anything, so nothing pending can be kept, sent to a model or replayed
//! (T-13-69). It does not run anything: the [executor](crate::executor) does, after asking policy
//! again.
mod denied;
mod disclosed_call;
mod disclosure;
#[cfg(test)]
mod disclosure_tests;
mod lines;
#[cfg(test)]
mod model_tests;
mod receiver;
mod remote_send;
mod request;
mod rows;
mod script;
mod store;
mod sync;
#[cfg(test)]
mod tests;
mod token;
mod verdict;

pub(crate) use denied::Denied;
pub use disclosed_call::DisclosedCall;
pub use disclosure::Disclosure;
pub use remote_send::{Payload, RemoteSend};
pub use request::ConfirmationRequest;
pub(crate) use request::Place;
pub use rows::{Argument, ValueKind};
pub(crate) use store::{AskError, Confirmations};
pub use store::{MAX_OPEN, MAX_OPEN_PER_SESSION, MAX_SURFACINGS, Pending, WINDOW};
pub use token::{ConfirmationToken, Decision, NotOpen};
pub(crate) use verdict::Verdict;
