use crate::audit::OutcomeKind;
use crate::executor::Outcome;
use crate::id::InvocationId;
use serde::Serialize;
use std::fmt;

/// What really became of one proposal, from its audit record.
///
/// # Example
/// A receipt prints as `system.disk_status@1: executed [i0a1b2c3d4e5f-2]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The registered name; `None` when nothing is registered under what was proposed.
    pub capability: Option<&'static str>,
    /// Its version.
    pub version: Option<u32>,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// The stable reason code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// For a mutating capability that ran: did it change anything?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// The id of the audit record.
    pub audit_id: InvocationId,
}

impl Receipt {
    /// The receipt of one outcome.
    #[must_use]
    pub const fn of(outcome: &Outcome) -> Self {
        Self {
            capability: outcome.capability,
            version: outcome.version,
            outcome: outcome.kind(),
            code: outcome.code(),
            changed: outcome.changed(),
            audit_id: outcome.audit_id,
        }
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.capability, self.version) {
            (Some(name), Some(version)) => write!(f, "{name}@{version}")?,
            _ => f.write_str("unregistered")?,
        }
        write!(f, ": {}", self.outcome.word())?;
        if let Some(code) = self.code {
            write!(f, " ({code})")?;
        }
        match self.changed {
            Some(true) => f.write_str(", changed")?,
            Some(false) => f.write_str(", nothing changed")?,
            None => {}
        }
        write!(f, " [{}]", self.audit_id)
    }
}
