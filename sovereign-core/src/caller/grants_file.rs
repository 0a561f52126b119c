use super::{CallerScope, Categories, Grants, ScopeKind, Unavailable, UnknownCategory};
use crate::files::{FileError, JsonFile, VersionOne};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The grants of a device, in a file: what is not listed in it is not held (B07).
///
/// **Shape**: `{"version": 1, "operator": ["system"], "mesh": []}`, mode 0600; each list holds the
/// words of [`Category`](super::Category). It is read at each ask, so a change counts at once. While
/// it is missing, corrupt, open to others or a symbolic link, nobody holds anything, and nothing
/// writes to it. Changes go through
/// [`Administration`](crate::executor::Administration), which records them first.
///
/// # Example
/// ```
/// use sovereign_core::caller::{CallerScope, Category, Grants, GrantsFile};
/// # let home = tempfile::tempdir().unwrap();
/// # let data = home.path().join("data");
/// sovereign_core::files::create_private_dir(&data).unwrap();
/// let grants = GrantsFile::create_default(data.join("grants.json")).unwrap();
/// let operator = CallerScope::operator("alice", "session-1");
/// assert!(grants.granted(&operator).unwrap().contains(Category::System));
/// assert!(grants.granted(&CallerScope::mesh("!a1b2")).unwrap().is_empty());
/// std::fs::write(grants.path(), "{").unwrap();
/// assert!(grants.granted(&operator).is_err());
/// ```
pub struct GrantsFile(JsonFile<Content>);

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: VersionOne,
    operator: Words,
    mesh: Words,
}

impl Content {
    /// A fresh install (C-24).
    fn fresh() -> Self {
        let operator = Words([super::Category::System].into());
        Self { version: VersionOne, operator, mesh: Words(Categories::NONE) }
    }

    const fn of(&self, scope: ScopeKind) -> &Categories {
        match scope {
            ScopeKind::Operator => &self.operator.0,
            ScopeKind::Mesh => &self.mesh.0,
        }
    }

    fn of_mut(&mut self, scope: ScopeKind) -> &mut Categories {
        match scope {
            ScopeKind::Operator => &mut self.operator.0,
            ScopeKind::Mesh => &mut self.mesh.0,
        }
    }
}

impl fmt::Debug for GrantsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GrantsFile").field(&self.path()).finish()
    }
}

/// One category more or less for one kind of scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GrantChange {
    pub(crate) scope: ScopeKind,
    pub(crate) category: String,
    pub(crate) held: bool,
}

impl GrantChange {
    /// Does it; says whether that made a difference.
    fn apply(&self, content: &mut Content) -> Result<bool, UnknownCategory> {
        let categories = content.of_mut(self.scope);
        if self.held {
            categories.insert_word(&self.category)
        } else {
            categories.remove_word(&self.category)
        }
    }
}

impl GrantsFile {
    /// The grants in `path`, which is looked at only when somebody asks.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(JsonFile::at(path.into()))
    }

    /// Writes the grants of a fresh install to `path`: the operator holds `system`, mesh nothing.
    ///
    /// # Errors
    /// When something is there already (it is left as it is), or the file cannot be written.
    pub fn create_default(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let grants = Self::at(path);
        grants.0.create(&Content::fresh())?;
        Ok(grants)
    }

    /// The grants of a fresh install in place of whatever is there.
    pub(crate) fn reset(&self) -> Result<(), Unavailable> {
        self.0.write(&Content::fresh()).map_err(|e| Unavailable::new(e.line()))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What scopes of this kind hold now.
    ///
    /// # Errors
    /// When the file says nothing: they hold nothing then.
    pub fn held(&self, scope: ScopeKind) -> Result<Categories, Unavailable> {
        Ok(self.read()?.of(scope).clone())
    }

    /// Whether `change` would make a difference.
    pub(crate) fn would(
        &self,
        change: &GrantChange,
    ) -> Result<Result<bool, UnknownCategory>, Unavailable> {
        Ok(change.apply(&mut (*self.read()?).clone()))
    }

    /// Makes `change`, on what the file holds now; a file that says nothing is not overwritten.
    pub(crate) fn change(&self, change: &GrantChange) -> Result<(), Unavailable> {
        let mut content = (*self.read()?).clone();
        if change.apply(&mut content).map_err(|e| Unavailable::new(e.to_string()))? {
            self.0.write(&content).map_err(|e| Unavailable::new(e.line()))?;
        }
        Ok(())
    }

    fn read(&self) -> Result<Arc<Content>, Unavailable> {
        self.0.read().map_err(|error| {
            let told = error.line(r#"{"version": 1, "operator": ["system"], "mesh": []}"#);
            Unavailable::new(format!("{told}; until this is mended, nothing is granted"))
        })
    }
}

impl Grants for GrantsFile {
    fn granted(&self, scope: &CallerScope) -> Result<Categories, Unavailable> {
        self.held(scope.kind())
    }
}

/// A list of category words.
#[derive(Clone)]
struct Words(Categories);

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Words;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of categories")
            }
            // word by word, so that an error stands on the word's own line
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Words, A::Error> {
                let mut categories = Categories::NONE;
                while let Some(word) = seq.next_element::<String>()? {
                    categories.insert_word(&word).map_err(A::Error::custom)?;
                }
                Ok(Words(categories))
            }
        }
        deserializer.deserialize_seq(List)
    }
}

#[cfg(test)]
#[path = "grants_file_tests.rs"]
mod tests;
