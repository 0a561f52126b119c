//! Names of things that pass through: minted once, by the executor, never reused.

use crate::entropy::{Entropy, EntropyError};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $mint:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            boot: BootId,
            n: u64,
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}-{}"), self.boot, self.n)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let (boot, n) = parts(text, $prefix).ok_or(NotAnId)?;
                Ok(Self { boot, n })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl IdSource {
            pub(crate) fn $mint(&self) -> $name {
                $name { boot: self.boot, n: self.next.fetch_add(1, Ordering::Relaxed) }
            }
        }
    };
}

/// A text that no id is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not an id of this kind")]
#[non_exhaustive]
pub struct NotAnId;

/// Exactly as it is displayed, so that one id has one spelling.
fn parts(text: &str, prefix: &str) -> Option<(BootId, u64)> {
    let (boot, n) = text.strip_prefix(prefix)?.split_once('-')?;
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let is_plain = n.bytes().all(|b| b.is_ascii_digit()) && (n == "0" || !n.starts_with('0'));
    if boot.len() != 12 || !boot.bytes().all(is_hex) || !is_plain {
        return None;
    }
    Some((BootId(u64::from_str_radix(boot, 16).ok()?), n.parse().ok()?))
}

/// One run of the program that holds an executor: 48 random bits, written as 12 hex digits.
///
/// It is part of every other id, so that ids of two runs over one audit log never meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BootId(u64);

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012x}", self.0)
    }
}

id!(
    /// One proposal, from its arrival to its one terminal audit record; receipts show it as
    /// `audit_id` (`i<boot>-<n>`).
    InvocationId, "i", invocation
);
id!(
    /// One open decision (`p<boot>-<n>`). Harmless: knowing it decides nothing.
    PendingId, "p", pending
);
id!(
    /// One turn of a conversation, or one button press (`t<boot>-<n>`).
    TurnId, "t", turn
);
id!(
    /// One conversation of this run (`c<boot>-<n>`).
    ConversationId, "c", conversation
);

/// Mints the ids of one executor.
#[derive(Debug)]
pub(crate) struct IdSource {
    boot: BootId,
    next: AtomicU64,
}

impl IdSource {
    pub(crate) fn new(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bytes = [0; 8];
        entropy.fill(&mut bytes)?;
        let boot = BootId(u64::from_le_bytes(bytes) >> 16);
        Ok(Self { boot, next: AtomicU64::new(1) })
    }

    pub(crate) const fn boot(&self) -> BootId {
        self.boot
    }
}

#[cfg(test)]
#[path = "id_tests.rs"]
mod tests;
