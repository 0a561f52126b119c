use std::error::Error;
use std::fmt;

/// Why a backend gave no answer.
///
/// The display text is one line for the operator, shown as the reason a leg was skipped; it holds no
/// key, no header and nothing that a model or a server wrote unescaped.
#[derive(Debug)]
pub struct BackendError {
    class: FailureClass,
    reason: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What kind of failure it was, by what the answer says rather than by its status class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureClass {
    /// Nothing listens there: nothing was sent.
    Unreachable,
    /// The connection broke after something was sent: a reply may have been made, and paid for.
    Interrupted,
    /// The model cannot propose, or is not there.
    Unsupported,
    /// The conversation does not fit the model's window.
    TooLong,
    /// No complete reply within the time.
    Timeout,
    /// The server's own no, for now: busy, out of memory.
    Refused,
    /// It does not take the key, or there is no credit.
    Unauthorised,
    /// It finds the request itself wrong: a fault on our side, which no other server mends.
    Rejected,
    /// Nothing was sent: policy, the person or the audit log kept it on this device.
    Withheld,
    /// The reply does not follow the wire format, or is too large.
    Protocol,
}

impl FailureClass {
    /// The stable word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Interrupted => "interrupted",
            Self::Unsupported => "unsupported",
            Self::TooLong => "too_long",
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::Unauthorised => "unauthorised",
            Self::Rejected => "rejected",
            Self::Withheld => "withheld",
            Self::Protocol => "protocol",
        }
    }
}

impl BackendError {
    /// With a one-line reason.
    #[must_use]
    pub fn new(class: FailureClass, reason: impl Into<String>) -> Self {
        Self { class, reason: reason.into(), source: None }
    }

    /// Keeps what caused it, for the local log.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure it was.
    #[must_use]
    pub const fn class(&self) -> FailureClass {
        self.class
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Error for BackendError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}
