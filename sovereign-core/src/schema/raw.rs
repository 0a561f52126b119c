//! Arguments as received, before any schema is known.
use super::reader::{Fault, MAX_DEPTH, Reader};
use serde_json::Value;
use std::fmt;

/// Exactly one JSON object, frozen as received: these bytes are validated, bound and decoded, and
/// nothing rewrites them.
///
/// **Shape** UTF-8 JSON (RFC 8259) without duplicate keys at any depth, compared after unescaping;
/// white space around the object is kept.
///
/// ```
/// use sovereign_core::schema::RawArguments;
/// assert!(RawArguments::parse(br#"{"mount": "/data"}"#).is_ok());
///
/// let twice = RawArguments::parse(br#"{"path": "/tmp", "p\u0061th": "/etc"}"#).unwrap_err();
/// assert_eq!(twice.code(), "duplicate_key");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RawArguments(Box<str>);

/// Why bytes are not arguments (A05). A parse failure: it reaches no stage of the executor.
///
/// Says what kind of mistake was made and where, never what was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Longer than [`RawArguments::MAX_BYTES`].
    #[error("the arguments are {bytes} bytes long, and the limit is {limit}")]
    TooLarge {
        /// What was received.
        bytes: usize,
        /// What is allowed.
        limit: usize,
    },
    /// Nested deeper than [`RawArguments::MAX_DEPTH`].
    #[error("the arguments are nested deeper than {limit} levels")]
    TooDeep {
        /// What is allowed.
        limit: usize,
    },
    /// One object holds a key twice.
    #[error("the arguments hold a key twice in one object, the second time before byte {at}")]
    DuplicateKey {
        /// Offset just after the second key.
        at: usize,
    },
    /// Not UTF-8.
    #[error("the arguments are not UTF-8 at byte {at}")]
    NotUtf8 {
        /// Offset of the first byte that is not.
        at: usize,
    },
    /// Not JSON, not an object, or more than one.
    #[error(
        "the arguments are not exactly one JSON object: {problem} at byte {at} of {bytes} (the limit is {limit})"
    )]
    NotOneJsonObject {
        /// What is wrong, as a phrase.
        problem: &'static str,
        /// Where it was noticed.
        at: usize,
        /// How much was received.
        bytes: usize,
        /// How much is allowed.
        limit: usize,
    },
}

impl Malformed {
    /// The stable word for audit, model and client.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "arguments_too_large",
            Self::TooDeep { .. } => "arguments_too_deep",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::NotOneJsonObject { .. } => "not_one_json_object",
        }
    }
}

impl RawArguments {
    /// The most bytes that are read.
    pub const MAX_BYTES: usize = 64 << 10;
    /// The most objects and arrays inside one another.
    pub const MAX_DEPTH: usize = MAX_DEPTH;

    /// Checks and freezes `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] for anything but one JSON object within the limits. Nothing is repaired: an
    /// object inside a string stays a string, and a cut one stays cut.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        if bytes.len() > Self::MAX_BYTES {
            return Err(Malformed::TooLarge { bytes: bytes.len(), limit: Self::MAX_BYTES });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Malformed::NotUtf8 { at: error.valid_up_to() })?;
        let mut reader = Reader::new(text);
        match reader.one_object() {
            Ok(()) => Ok(Self(text.into())),
            Err(fault) => Err(Self::refused(fault, bytes.len())),
        }
    }

    /// Writes out and freezes a value that arrived parsed. Its text is the one that is validated,
    /// bound and shown.
    ///
    /// # Errors
    /// As [`Self::parse`]. A parsed value has lost what was sent twice under one key.
    pub fn from_value(value: &Value) -> Result<Self, Malformed> {
        // writing recurses, so the depth comes first
        if !is_within(value, Self::MAX_DEPTH) {
            return Err(Malformed::TooDeep { limit: Self::MAX_DEPTH });
        }
        Self::parse(value.to_string().as_bytes())
    }

    const fn refused(fault: Fault, bytes: usize) -> Malformed {
        match fault {
            Fault::TooDeep => Malformed::TooDeep { limit: Self::MAX_DEPTH },
            Fault::DuplicateKey { at } => Malformed::DuplicateKey { at },
            Fault::NotJson { problem, at } => {
                Malformed::NotOneJsonObject { problem, at, bytes, limit: Self::MAX_BYTES }
            }
        }
    }

    /// The bytes as received.
    pub(crate) const fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The text as received.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether at most `depth` objects and arrays are inside one another.
fn is_within(value: &Value, depth: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return true,
    };
    depth.checked_sub(1).is_some_and(|depth| inner.all(|value| is_within(value, depth)))
}

impl fmt::Debug for RawArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawArguments({} bytes)", self.0.len())
    }
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
