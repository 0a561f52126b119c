use super::{DisclosedCall, RemoteSend};
use crate::capability::Descriptor;
use crate::schema::RawArguments;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// How many bytes a person is shown at most; what is longer cannot be confirmed.
const MAX_SHOWN: usize = 32 << 10;

/// What a person is shown before deciding: made by core alone, and shown whole or not at all (A17).
/// Model prose is never in it. It holds no token.
///
/// Its `Display` is the text for a terminal; a page renders the fields. Both show hidden characters as
/// `\u{…}`. In the text a line that is wider than 76 columns goes on in the next one behind a bar.
///
/// **Shape**: `{"kind":"call", …}` with the fields of [`DisclosedCall`], or `{"kind":"remote_send", …}`
/// with those of [`RemoteSend`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a front end that shows one kind less asks blindly")]
pub enum Disclosure {
    /// A capability would run.
    Call(DisclosedCall),
    /// This turn would go to a model off this device.
    RemoteSend(RemoteSend),
}

impl Disclosure {
    /// `None` when it cannot be shown whole.
    pub(crate) fn of(
        d: &Descriptor,
        raw: &RawArguments,
        destination: Option<&str>,
        effect: Option<&str>,
    ) -> Option<Self> {
        let call = DisclosedCall::of(d, raw, destination, effect)?;
        Self::Call(call).whole()
    }

    /// `None` when it is longer than what a person is shown.
    pub(crate) fn whole(self) -> Option<Self> {
        (self.to_string().len() <= MAX_SHOWN).then_some(self)
    }

    /// The call, when it is about one.
    #[must_use]
    pub const fn call(&self) -> Option<&DisclosedCall> {
        match self {
            Self::Call(call) => Some(call),
            Self::RemoteSend(_) => None,
        }
    }

    /// The send, when it is about one.
    #[must_use]
    pub const fn remote_send(&self) -> Option<&RemoteSend> {
        match self {
            Self::Call(_) => None,
            Self::RemoteSend(send) => Some(send),
        }
    }

    /// In a few words, for a line that says what is open: `web.search@1`, or `sending this turn to
    /// api.anthropic.com:443`.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            Self::Call(call) => format!("{}@{}", call.capability, call.version),
            Self::RemoteSend(send) => format!("sending this turn to {}", send.receiver),
        }
    }

    /// Equal for two questions that ask a person the same; of a remote send the receiver alone counts.
    pub(crate) fn question(&self) -> [u8; 32] {
        let parts = match self {
            Self::Call(call) => call.question(),
            // no capability has a name with a space
            Self::RemoteSend(send) => vec!["remote send".to_owned(), send.receiver.clone()],
        };
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

impl fmt::Display for Disclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => call.fmt(f),
            Self::RemoteSend(send) => send.fmt(f),
        }
    }
}
