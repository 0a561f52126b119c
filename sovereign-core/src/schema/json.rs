//! A value that nothing is known about.
use super::arg::Arg;
use super::describe::Schema;
use super::node::Node;
use super::reader::{Reader, Stop};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// Any JSON value, as the text that was sent: the way out for what no type describes.
///
/// The model is told nothing about it, and nothing but its syntax, depth and duplicate keys is
/// checked. A capability that takes one cannot use a provider's strict mode.
///
/// ```
/// use sovereign_core::schema::{Json, RawArguments, decode};
/// use sovereign_core::Arg;
///
/// /// Stores a document.
/// #[derive(Arg)]
/// struct Store {
///     /// The document.
///     document: Json,
/// }
///
/// let raw = RawArguments::parse(br#"{"document": {"b": 1.50, "a": [null]}}"#)?;
/// let store: Store = decode(&raw).expect("anything fits");
/// assert_eq!(store.document.as_str(), r#"{"b": 1.50, "a": [null]}"#);
/// # Ok::<(), sovereign_core::schema::Malformed>(())
/// ```
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The text as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The value as a type of the author's.
    ///
    /// # Errors
    /// When it is not one.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
}

impl From<&serde_json::Value> for Json {
    fn from(value: &serde_json::Value) -> Self {
        // INVARIANT: a tree of values is always written as JSON
        Self(serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl Schema for Json {
    const NODE: Node = Node::ANY;
}

impl Arg for Json {
    fn decode(reader: &mut Reader<'_>, _: &Node) -> Result<Self, Stop> {
        let text = reader.raw()?;
        // the reader has just checked it, and more strictly
        RawValue::from_string(text.to_owned()).map(Self).map_err(|_| Stop::Invalid)
    }
    fn spelled(&self) -> Option<String> {
        Some(self.as_str().to_owned())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl PartialEq for Json {
    /// By text, not by value.
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({} bytes)", self.as_str().len())
    }
}
