use sha2::{Digest as _, Sha256};
use sovereign_core::entropy::{Entropy, EntropyError};
use std::fmt::Write as _;
use subtle::ConstantTimeEq as _;

/// 256 random bits, written as 64 hex digits: a cookie, a CSRF token, a one-time token. No `Debug`.
pub(crate) struct Secret(String);

/// What is kept of a secret that others present.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SecretHash([u8; 32]);

impl Secret {
    pub(crate) fn random(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bits = [0; 32];
        entropy.fill(&mut bits)?;
        Ok(Self(hex(&bits)))
    }

    /// For the one front end that it is made for.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }

    /// In constant time, whatever was presented.
    pub(crate) fn is(&self, presented: &str) -> bool {
        self.hash().is(&SecretHash::of(presented))
    }
}

impl SecretHash {
    pub(crate) fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented).into())
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len().saturating_mul(2)), |mut text, byte| {
        // writing to a String cannot fail
        let _ = write!(text, "{byte:02x}");
        text
    })
}
