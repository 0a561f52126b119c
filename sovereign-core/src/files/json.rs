use super::{FileError, create_private, error::one_line, read_private, shown, write_private};
use serde::de::{Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A small private file with one JSON object in it, changed by hand or by us.
///
/// It is read at each ask and parsed again only when its bytes changed: an edit counts at once, also
/// one that leaves the time stamp as it was.
pub(crate) struct JsonFile<T> {
    path: PathBuf,
    parsed: Mutex<Option<(Vec<u8>, Arc<T>)>>,
}

/// Why such a file says nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonFileError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}`, line {line}: {what}", shown(path))]
    Content { path: PathBuf, line: usize, what: String },
}

impl JsonFileError {
    /// The whole story in one line, for an operator; `fresh` is what a new file holds.
    pub(crate) fn line(&self, fresh: &str) -> String {
        match self {
            Self::File(error @ FileError::Missing { .. }) => {
                format!("{error}: put `{fresh}` there, for yourself alone to read")
            }
            Self::File(error) => error.line(),
            Self::Content { .. } => self.to_string(),
        }
    }
}

const LIMIT: u64 = 1 << 20;

impl<T> JsonFile<T> {
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self { path, parsed: Mutex::new(None) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl<T: DeserializeOwned> JsonFile<T> {
    /// What the file holds now.
    pub(crate) fn read(&self) -> Result<Arc<T>, JsonFileError> {
        let bytes = read_private(&self.path, LIMIT)?;
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, content)) = &*parsed
            && *from == bytes
        {
            return Ok(Arc::clone(content));
        }
        *parsed = None;
        let Strict(content) = serde_json::from_slice(&bytes).map_err(|e| self.wrong(&e))?;
        let content = Arc::new(content);
        *parsed = Some((bytes, Arc::clone(&content)));
        Ok(content)
    }

    fn wrong(&self, error: &serde_json::Error) -> JsonFileError {
        let told = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let what = told.strip_suffix(&place).unwrap_or(&told);
        JsonFileError::Content {
            path: self.path.clone(),
            line: error.line().max(1),
            what: one_line(what),
        }
    }
}

impl<T: Serialize> JsonFile<T> {
    /// Makes the file; one that is there is left as it is.
    pub(crate) fn create(&self, content: &T) -> Result<(), FileError> {
        create_private(&self.path, &spelled(content))
    }

    /// Replaces the file.
    pub(crate) fn write(&self, content: &T) -> Result<(), FileError> {
        write_private(&self.path, &spelled(content))
    }
}

/// As a person would write it.
fn spelled<T: Serialize>(content: &T) -> Vec<u8> {
    // INVARIANT: our contents are structs of lists, words, numbers and truth values.
    let mut bytes = serde_json::to_vec_pretty(content).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// A struct that is read from an object only; serde would take an array for it as well.
#[derive(Clone)]
pub(crate) struct Strict<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = Strict<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Strict)
            }
        }
        deserializer.deserialize_map(Object(PhantomData))
    }
}

impl<T: Serialize> Serialize for Strict<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The `"version": 1` that each of these files starts with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VersionOne;

impl<'de> Deserialize<'de> for VersionOne {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1 => Ok(Self),
            other => Err(D::Error::custom(format_args!("version {other} is not known, only 1 is"))),
        }
    }
}

impl Serialize for VersionOne {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(1)
    }
}
