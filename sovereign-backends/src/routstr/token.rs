//! Cashu tokens: cash as text. Whoever reads one can spend it.
//!
//! **Source** Cashu NUT-00, serialisation of tokens: `cashuA` is JSON, `cashuB` is CBOR, both in
//! base64 for URLs.
use crate::quote::quoted;
use crate::secret::SecretKey;
use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::fmt;

/// The longest token that is read; it has to fit into a header.
pub(super) const MAX_TOKEN_BYTES: usize = 32 << 10;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// One token and what it says of itself. Only its mint knows whether it is still good.
///
/// ```
/// use sovereign_backends::routstr::CashuToken;
///
/// let error = CashuToken::parse("lnbc1...").unwrap_err();
/// assert_eq!(error.to_string(), "a token begins with `cashuA` or `cashuB`");
/// ```
#[derive(Clone)]
pub struct CashuToken {
    text: SecretString,
    amount_msat: u64,
    mint: String,
}

/// Why a text is no token. Nothing of the text is repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Another beginning.
    #[error("a token begins with `cashuA` or `cashuB`")]
    Prefix,
    /// Longer than a header may be.
    #[error("the token is longer than {MAX_TOKEN_BYTES} bytes")]
    TooLong,
    /// What stands behind the beginning cannot be read.
    #[error("what stands behind `cashuA` or `cashuB` is not a token")]
    Content,
    /// Another unit than sats and thousandths of them.
    #[error("the token counts `{0}`, and only `sat` and `msat` are taken")]
    Unit(String),
    /// Worth nothing, or more than there is.
    #[error("the token has no amount")]
    Amount,
    /// Proofs of several mints in one token.
    #[error("the token is of several mints")]
    Mints,
}

#[derive(Deserialize)]
struct Json {
    token: Vec<JsonOfMint>,
    unit: Option<String>,
}

#[derive(Deserialize)]
struct JsonOfMint {
    mint: String,
    proofs: Vec<JsonProof>,
}

#[derive(Deserialize)]
struct JsonProof {
    amount: u64,
}

#[derive(Deserialize)]
struct Cbor {
    m: String,
    u: String,
    t: Vec<CborOfKeyset>,
}

#[derive(Deserialize)]
struct CborOfKeyset {
    p: Vec<CborProof>,
}

#[derive(Deserialize)]
struct CborProof {
    a: u64,
}

impl CashuToken {
    /// Reads a token; white space around it is left out.
    ///
    /// # Errors
    /// When it is none, counts something else than sats, or is worth nothing.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let text = text.trim_ascii();
        if text.len() > MAX_TOKEN_BYTES {
            return Err(TokenError::TooLong);
        }
        let (mint, unit, amounts) = if let Some(rest) = text.strip_prefix("cashuA") {
            let token: Json =
                serde_json::from_slice(&decoded(rest)?).map_err(|_| TokenError::Content)?;
            let mut mints: Vec<String> = token.token.iter().map(|of| of.mint.clone()).collect();
            mints.dedup();
            let proofs = token.token.iter().flat_map(|of| &of.proofs);
            let amounts: Vec<u64> = proofs.map(|proof| proof.amount).collect();
            let mint = mints.pop().ok_or(TokenError::Amount)?;
            if !mints.is_empty() {
                return Err(TokenError::Mints);
            }
            (mint, token.unit.unwrap_or_else(|| "sat".to_owned()), amounts)
        } else if let Some(rest) = text.strip_prefix("cashuB") {
            let bytes = decoded(rest)?;
            let token: Cbor =
                ciborium::from_reader(bytes.as_slice()).map_err(|_| TokenError::Content)?;
            let proofs = token.t.iter().flat_map(|of| &of.p);
            (token.m, token.u, proofs.map(|proof| proof.a).collect())
        } else {
            return Err(TokenError::Prefix);
        };
        let factor = match unit.as_str() {
            "sat" => 1000,
            "msat" => 1,
            other => return Err(TokenError::Unit(quoted(other.as_bytes()))),
        };
        let sum = amounts.iter().try_fold(0_u64, |sum, amount| sum.checked_add(*amount));
        let amount_msat = sum.and_then(|sum| sum.checked_mul(factor)).filter(|msat| *msat > 0);
        let amount_msat = amount_msat.ok_or(TokenError::Amount)?;
        Ok(Self { text: text.into(), amount_msat, mint: quoted(mint.as_bytes()) })
    }

    /// What it says that it is worth, in thousandths of a sat.
    #[must_use]
    pub const fn amount_msat(&self) -> u64 {
        self.amount_msat
    }

    /// The address of the mint that it says it is of, made printable.
    #[must_use]
    pub fn mint(&self) -> &str {
        &self.mint
    }

    /// The text itself, for its owner: it is cash.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.text.expose_secret()
    }

    /// For a header.
    pub(super) fn secret(&self) -> SecretKey {
        SecretKey::new(self.text.clone())
    }
}

/// Two texts of the same cash.
impl PartialEq for CashuToken {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for CashuToken {}

impl fmt::Debug for CashuToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CashuToken")
            .field("amount_msat", &self.amount_msat)
            .field("mint", &self.mint)
            .finish_non_exhaustive()
    }
}

fn decoded(text: &str) -> Result<Zeroizing<Vec<u8>>, TokenError> {
    BASE64.decode(text).map(Zeroizing::new).map_err(|_| TokenError::Content)
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
