use crate::entropy::{Entropy, EntropyError};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use subtle::ConstantTimeEq as _;

/// The right to decide one pending decision once, for one surface: 256 random bits, written as 64
/// hex digits. The store keeps its hash only.
///
/// It has no `Debug`, `Display`, `Serialize` or `Clone`: it reaches a person by
/// [`reveal`](Self::reveal) and nothing else, so that it cannot slip into a log, an event or a message
/// to a model (A22).
///
/// ```compile_fail,E0277
/// fn log(token: sovereign_core::confirmation::ConfirmationToken) {
///     println!("{token:?}");
/// }
/// ```
#[expect(missing_debug_implementations, reason = "a secret")]
pub struct ConfirmationToken(String);

impl ConfirmationToken {
    pub(super) fn random(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bits = [0; 32];
        entropy.fill(&mut bits)?;
        let mut text = String::with_capacity(64);
        for byte in bits {
            // writing to a String cannot fail
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// What a person's own front end presented. Any text: a wrong one decides nothing.
    #[must_use]
    pub fn presented(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text for the person's own front end; named so that a search finds every use.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(&self.0).into())
    }
}

/// What the store keeps of a token. Found by its hash, then compared in constant time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

/// What the person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third answer, and no `always`")]
pub enum Decision {
    /// Run this one call.
    Approve,
    /// Do not.
    Deny,
}

/// Why a presentation decided nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "a third answer would be an oracle")]
pub enum NotOpen {
    /// Said to the same session only, until the original deadline.
    #[error("this decision was already made")]
    AlreadyResolved,
    /// One identical answer for unknown, expired and foreign.
    #[error("no decision is pending under this confirmation token")]
    NotPending,
}
