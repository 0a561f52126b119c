use super::Receipt;
use crate::backend::BackendIdentity;
use crate::capability::Citation;
use crate::confirmation::Pending;
use serde::Serialize;

/// A finished turn, for a client to show without reading prose.
///
/// **Shape**: `{text, receipts[], citations[], backend{id, locality, model?, receiver?,
/// skipped[{id, code, reason}]}, limits{rounds_used, proposals_used}, system_prompt, pending: null, error?,
/// unsaved?}`.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The model's prose of the last round. Untrusted: show it as text, escaped.
    pub text: String,
    /// What became of each proposal, from audit ids, never from prose (T-13-06).
    pub receipts: Vec<Receipt>,
    /// Where results come from.
    pub citations: Vec<Citation>,
    /// Who answered, and who did not and why.
    pub backend: Answered,
    /// What the turn used of its limits.
    pub limits: Used,
    /// Which version of core's instructions the model had
    /// ([`SYSTEM_PROMPT_VERSION`](super::SYSTEM_PROMPT_VERSION)).
    pub system_prompt: u32,
    /// The decision that is open; null in a finished turn.
    pub pending: Option<Pending>,
    /// Why there is no answer, when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// Why the transcript does not have this turn on the disk, when it does not: one line for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<String>,
}

/// The backend of a turn.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Answered {
    /// Who answered; nothing when nobody did.
    #[serde(flatten)]
    pub identity: Option<BackendIdentity>,
    /// Who was passed over, in order.
    pub skipped: Vec<Skipped>,
}

/// A backend that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// The adapter.
    pub id: &'static str,
    /// What kind of failure it was: the word of a [`FailureClass`](crate::backend::FailureClass).
    pub code: &'static str,
    /// One line for a person.
    pub reason: String,
}

/// What a turn used of its limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Used {
    /// Replies asked for, the closing one included.
    pub rounds_used: u16,
    /// Proposals made, however they ended.
    pub proposals_used: u16,
}

/// Why a turn has no answer. What ran is in the receipts all the same (A15, B22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnError {
    /// Every backend failed or was not ready.
    #[error("no backend could answer")]
    NoBackend,
    /// The turn's time is used up.
    #[error("the time for this turn is used up")]
    OutOfTime,
    /// The rounds are used up and the closing one gave no words.
    #[error("the limits of this turn are used up and no answer came")]
    OutOfRounds,
    /// The audit log does not take what happened.
    #[error("what happened could not be recorded")]
    AuditUnavailable,
    /// The message, or what came of it, is longer than what the model may be sent.
    #[error("the message is too long for the model's context")]
    TooLong,
}

impl TurnError {
    /// The stable word, as it is serialised.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoBackend => "no_backend",
            Self::OutOfTime => "out_of_time",
            Self::OutOfRounds => "out_of_rounds",
            Self::AuditUnavailable => "audit_unavailable",
            Self::TooLong => "too_long",
        }
    }
}
