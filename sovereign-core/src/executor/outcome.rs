use crate::audit::{OutcomeKind, Stage};
use crate::capability::Citation;
use crate::id::InvocationId;
use crate::schema::Violation;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The pipeline's no: a value, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Refusal {
    /// The stage that said no.
    pub stage: Stage,
    /// Why, as a stable code.
    pub code: &'static str,
    /// At validate: every violation, by pointer; never a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
}

/// A result's JSON text: checked once, cheap to clone, embedded without being read again.
#[derive(Debug, Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    pub(crate) fn checked(text: Vec<u8>) -> Option<Self> {
        let raw = RawValue::from_string(String::from_utf8(text).ok()?).ok()?;
        Some(Self(Arc::from(raw)))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::serialize(&self.0, serializer)
    }
}

/// The closed set of endings, with what each carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a new outcome must break every match")]
pub enum Ending {
    /// Malformed or truncated: never reached the stages.
    ParseFailed {
        /// Why, as a stable code.
        code: &'static str,
        /// The same in one sentence, with sizes and places, never with what was sent.
        #[serde(skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A cap was reached; the code says which.
    BudgetExhausted {
        /// Which cap.
        code: &'static str,
    },
    /// A stage said no.
    Refused(Refusal),
    /// The person said no.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The decision was withdrawn; the code says why.
    Void {
        /// Why.
        code: &'static str,
    },
    /// It ran to its end.
    Executed {
        /// `None`: it ran, but its result is withheld, and `code` says why.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Json>,
        /// Why the result is withheld.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<&'static str>,
        /// For a mutating capability: did it change anything?
        #[serde(skip_serializing_if = "Option::is_none")]
        changed: Option<bool>,
        /// Where the result comes from.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        citations: Vec<Citation>,
    },
    /// Stopped before anything was changed.
    Cancelled {
        /// Why.
        code: &'static str,
    },
    /// The capability's own no; nothing was changed.
    Failed {
        /// The author's code, or core's.
        code: &'static str,
        /// The author's one line.
        #[serde(skip_serializing_if = "str::is_empty")]
        message: &'static str,
    },
    /// A mutating body had started and did not end well: it may have happened.
    UnknownEffect {
        /// What cut it off.
        code: &'static str,
    },
    /// The turn ended before its turn came.
    NotAttempted,
}

impl Ending {
    pub(crate) const fn kind(&self) -> OutcomeKind {
        match self {
            Self::ParseFailed { .. } => OutcomeKind::ParseFailed,
            Self::BudgetExhausted { .. } => OutcomeKind::BudgetExhausted,
            Self::Refused(_) => OutcomeKind::Refused,
            Self::Denied => OutcomeKind::Denied,
            Self::Expired => OutcomeKind::Expired,
            Self::Void { .. } => OutcomeKind::Void,
            Self::Executed { .. } => OutcomeKind::Executed,
            Self::Cancelled { .. } => OutcomeKind::Cancelled,
            Self::Failed { .. } => OutcomeKind::Failed,
            Self::UnknownEffect { .. } => OutcomeKind::UnknownEffect,
            Self::NotAttempted => OutcomeKind::NotAttempted,
        }
    }

    pub(crate) const fn code(&self) -> Option<&'static str> {
        match self {
            Self::ParseFailed { code, .. }
            | Self::BudgetExhausted { code }
            | Self::Void { code }
            | Self::Cancelled { code }
            | Self::Failed { code, .. }
            | Self::UnknownEffect { code } => Some(code),
            Self::Refused(refusal) => Some(refusal.code),
            Self::Executed { code, .. } => *code,
            Self::Denied | Self::Expired | Self::NotAttempted => None,
        }
    }
}

/// What one proposal came to: exactly one per proposal, with the id of its audit record. The same
/// value goes to the client, to the model (as [`Outcome::envelope`]) and, less its content, to the log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The invocation id, which is the audit id.
    pub audit_id: InvocationId,
    /// The registered name; `None` when nothing is registered under what was asked.
    pub capability: Option<&'static str>,
    /// Its version.
    pub version: Option<u32>,
    /// What was asked for when nothing is registered under it: a model's text, escaped and cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// How it ended.
    #[serde(flatten)]
    pub ending: Ending,
}

impl Outcome {
    /// The result's JSON text, when it ran and the result is not withheld.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        match &self.ending {
            Ending::Executed { result, .. } => result.as_ref().map(Json::as_str),
            _ => None,
        }
    }

    /// `name@version`, of what is registered.
    pub(crate) fn named(&self) -> Option<String> {
        self.capability.zip(self.version).map(|(name, version)| format!("{name}@{version}"))
    }

    /// Where the result comes from.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        match &self.ending {
            Ending::Executed { citations, .. } => citations,
            _ => &[],
        }
    }

    /// For a mutating capability that ran: did it change anything?
    #[must_use]
    pub const fn changed(&self) -> Option<bool> {
        match &self.ending {
            Ending::Executed { changed, .. } => *changed,
            _ => None,
        }
    }

    /// The stable reason code, when there is one.
    #[must_use]
    pub const fn code(&self) -> Option<&'static str> {
        self.ending.code()
    }

    /// Which of the closed set it is.
    #[must_use]
    pub const fn kind(&self) -> OutcomeKind {
        self.ending.kind()
    }
}
