//! One turn as it is remembered: what may be kept, and nothing else has a field for it.
use super::Excerpt;
use crate::audit::OutcomeKind;
use crate::capability::Citation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a remembered turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a turn ends in no other way")]
pub enum TurnEnd {
    /// With an answer.
    Answered,
    /// Without one: no backend, no time, no rounds left. What ran is in the calls (C-19).
    Failed,
    /// It was cancelled or dropped.
    Cancelled,
    /// The program stopped in the middle of it; found at the next start.
    Interrupted,
}

/// One turn, redacted.
///
/// **Shape**: `{number, at, user{text, of_chars?}, calls[], more_calls?, assistant{text, of_chars?},
/// end?, code?}`; `at` is when it began (RFC 3339, UTC).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PastTurn {
    /// Counts the turns of this transcript from 1; never used twice.
    pub number: u64,
    /// When it began.
    pub at: String,
    /// What the person wrote.
    pub user: Excerpt,
    /// What became of each proposal, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<PastCall>,
    /// How many more there were than are kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_calls: u64,
    /// The answer.
    pub assistant: Excerpt,
    /// How it ended; `None` while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEnd>,
    /// Why it failed, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
pub(super) const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What became of one proposal, redacted.
///
/// **Shape**: `{capability?, version?, category?, outcome?, code?, changed?, audit_id?, arguments?,
/// result{text, of_chars?}?, citations[]}`. There is no field for a decision, a token, a provider's
/// block or a name that nobody registered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PastCall {
    /// The registered name; `None` when nothing is registered under what was proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Its category's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How it ended, as a word of the outcome table; `None` while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The stable reason code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// For a mutating one that ran: did it change anything?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// The id of its audit record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<String>,
    /// The arguments, where their values may be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The JSON text of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Excerpt>,
    /// Where the result comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<PastCitation>,
}

/// A source, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PastCitation {
    /// The full address.
    pub url: String,
    /// What the source calls itself.
    pub title: String,
    /// When it was read (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<String>,
}

impl From<&Citation> for PastCitation {
    fn from(source: &Citation) -> Self {
        let Citation { url, title, retrieved_at } = source.clone();
        Self { url, title, retrieved_at }
    }
}

impl PastCall {
    /// Whether it has no outcome yet.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// Ends a call whose outcome nobody can know any more: it is told as such, and never run again.
    pub(super) fn end_unknown(&mut self, code: &str) {
        self.outcome = Some(OutcomeKind::UnknownEffect.word().to_owned());
        self.code = Some(code.to_owned());
    }
}
