use super::stale::{Stale, StaleEntry};
use super::{Source, State, Switched, Switches};
use crate::caller::Unavailable;
use crate::capability::{Descriptor, Network, SideEffect};
use crate::files::{FileError, JsonFile, Strict, VersionOne};
use crate::registry::Registry;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The switches of a device, in a file.
///
/// **Shape**, mode 0600:
/// ```json
/// {
///   "version": 1,
///   "capabilities": [
///     {"name": "web.fetch", "version": 1, "side_effect": "read_only", "network": "external",
///      "enabled": true, "via": "web.*"}
///   ],
///   "inference": {"remote": "ask"}
/// }
/// ```
/// An entry switches on exactly that name, version and class: a later version, or the same one with a
/// wider class, is off again. One that switches off holds for the name and version whatever the class.
/// `via` says through which namespace it was set; it covers what existed then and nothing later. What
/// is not listed is as its class is: on for what runs automatically, else off.
///
/// It is read at each ask. While it is missing, corrupt, open to others or a symbolic link, everything
/// is off, and nothing writes to it. Changes go through
/// [`Administration`](crate::executor::Administration), which records them first.
///
/// # Example
/// ```
/// use sovereign_core::policy::{PolicyFile, RemoteInference};
/// # let home = tempfile::tempdir().unwrap();
/// # let data = home.path().join("data");
/// sovereign_core::files::create_private_dir(&data).unwrap();
/// let policy = PolicyFile::create_default(data.join("policy.json")).unwrap();
/// assert_eq!(policy.remote_inference(), RemoteInference::Ask);
/// std::fs::remove_file(policy.path()).unwrap();
/// assert_eq!(policy.remote_inference(), RemoteInference::Never);
/// ```
pub struct PolicyFile(JsonFile<Content>);

/// Whether a turn may be sent to a model off this device (C-5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the three answers are the contract")]
pub enum RemoteInference {
    /// No.
    Never,
    /// Once per turn, a person decides.
    #[default]
    Ask,
    /// The operator's standing choice.
    Always,
}

impl RemoteInference {
    /// The word in the file, on the command line and in the audit log.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Ask => "ask",
            Self::Always => "always",
        }
    }

    /// The answer of that word; none for any other.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Never, Self::Ask, Self::Always].into_iter().find(|remote| remote.word() == word)
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: VersionOne,
    #[serde(default)]
    capabilities: Vec<Strict<Entry>>,
    #[serde(default)]
    inference: Inference,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    version: u32,
    side_effect: SideEffect,
    network: Network,
    enabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    via: Option<String>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InferenceFields {
    #[serde(default)]
    remote: RemoteInference,
}

type Inference = Strict<InferenceFields>;

impl Default for Inference {
    fn default() -> Self {
        Self(InferenceFields::default())
    }
}

impl Entry {
    fn is_for(&self, d: &Descriptor) -> bool {
        self.name == d.name() && self.version == d.version()
    }

    fn has_class_of(&self, d: &Descriptor) -> bool {
        self.side_effect == d.side_effect && self.network == d.network
    }

    /// Whether it does nothing for what is installed, and why.
    fn stale(&self, registry: &Registry) -> Option<Stale> {
        let Some(d) = registry.descriptors().find(|d| self.is_for(d)) else {
            return Some(Stale::NotInstalled);
        };
        // one that switches off holds whatever the class
        let outgrown = self.enabled && !self.has_class_of(d);
        outgrown.then_some(Stale::Outgrown { side_effect: d.side_effect, network: d.network })
    }

    fn as_stale(&self, registry: &Registry) -> Option<StaleEntry> {
        let why = self.stale(registry)?;
        let Self { name, version, enabled, via, .. } = self.clone();
        Some(StaleEntry { name, version, enabled, via, why })
    }

    fn source(&self) -> Source {
        self.via.clone().map_or(Source::Name, Source::Namespace)
    }
}

impl Content {
    fn fresh() -> Self {
        let inference = Inference::default();
        Self { version: VersionOne, capabilities: Vec::new(), inference }
    }

    /// Whether the file itself, not the class's default, says so.
    fn says(&self, d: &Descriptor, enabled: bool) -> bool {
        let State { enabled: now, source } = self.state(d);
        now == enabled && !matches!(source, Source::Class | Source::Outgrown { .. })
    }

    fn set(&mut self, change: &SwitchChange) {
        let d = change.descriptor;
        if self.says(d, change.enabled) {
            return;
        }
        self.capabilities.retain(|Strict(entry)| !entry.is_for(d));
        self.capabilities.push(Strict(Entry {
            name: d.name().to_owned(),
            version: d.version(),
            side_effect: d.side_effect,
            network: d.network,
            enabled: change.enabled,
            via: change.via.clone(),
        }));
    }
}

impl Switched for Content {
    /// Off wins over on: a file that says both was written by hand.
    fn state(&self, d: &Descriptor) -> State {
        let entries = || self.capabilities.iter().map(|Strict(e)| e).filter(|e| e.is_for(d));
        let off = entries().find(|e| !e.enabled);
        match off.or_else(|| entries().find(|e| e.has_class_of(d))) {
            Some(entry) => State { enabled: entry.enabled, source: entry.source() },
            None => match entries().next() {
                Some(Entry { side_effect, network, .. }) => State {
                    source: Source::Outgrown { side_effect: *side_effect, network: *network },
                    ..State::default_of(d)
                },
                None => State::default_of(d),
            },
        }
    }
}

/// One capability to switch on or off.
#[derive(Debug, Clone)]
pub(crate) struct SwitchChange {
    pub(crate) descriptor: &'static Descriptor,
    pub(crate) enabled: bool,
    pub(crate) via: Option<String>,
}

impl fmt::Debug for PolicyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PolicyFile").field(&self.path()).finish()
    }
}

impl PolicyFile {
    /// The switches in `path`, which is looked at only when somebody asks.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(JsonFile::at(path.into()))
    }

    /// Writes the policy of a fresh install to `path`: nothing set, remote models are asked about.
    ///
    /// # Errors
    /// When something is there already (it is left as it is), or the file cannot be written.
    pub fn create_default(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let policy = Self::at(path);
        policy.0.create(&Content::fresh())?;
        Ok(policy)
    }

    /// The policy of a fresh install in place of whatever is there.
    pub(crate) fn reset(&self) -> Result<(), Unavailable> {
        self.0.write(&Content::fresh()).map_err(|e| Unavailable::new(e.line()))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What it says about remote models; `never` while it says nothing.
    #[must_use]
    pub fn remote_inference(&self) -> RemoteInference {
        self.read().map_or(RemoteInference::Never, |content| content.inference.0.remote)
    }

    /// Whether it can be read now.
    ///
    /// # Errors
    /// Why not, and what to do: everything is off then.
    pub fn check(&self) -> Result<(), Unavailable> {
        self.read().map(drop)
    }

    /// Its entries that do nothing here: what they name is not installed, or does more than what was
    /// switched on. They are harmless; a list of them tells an operator what an update left behind.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn stale(&self, registry: &Registry) -> Result<Vec<StaleEntry>, Unavailable> {
        let content = self.read()?;
        Ok(content.capabilities.iter().filter_map(|Strict(e)| e.as_stale(registry)).collect())
    }

    /// Takes these entries out, as far as they are still there and still do nothing; says how many.
    pub(crate) fn drop_stale(
        &self,
        registry: &Registry,
        entries: &[StaleEntry],
    ) -> Result<usize, Unavailable> {
        let mut content = (*self.read()?).clone();
        let before = content.capabilities.len();
        content.capabilities.retain(|Strict(entry)| {
            !entry.as_stale(registry).is_some_and(|stale| entries.contains(&stale))
        });
        let dropped = before.saturating_sub(content.capabilities.len());
        if dropped > 0 {
            self.0.write(&content).map_err(|e| Unavailable::new(e.line()))?;
        }
        Ok(dropped)
    }

    /// Whether setting it so would make a difference to the file.
    pub(crate) fn would_set_remote(&self, remote: RemoteInference) -> Result<bool, Unavailable> {
        Ok(self.read()?.inference.0.remote != remote)
    }

    /// Sets it, on what the file holds now; a file that says nothing is not overwritten.
    pub(crate) fn set_remote(&self, remote: RemoteInference) -> Result<(), Unavailable> {
        let mut content = (*self.read()?).clone();
        content.inference.0.remote = remote;
        self.0.write(&content).map_err(|e| Unavailable::new(e.line()))
    }

    /// Whether `change` would make a difference to the file.
    pub(crate) fn would(&self, change: &SwitchChange) -> Result<bool, Unavailable> {
        Ok(!self.read()?.says(change.descriptor, change.enabled))
    }

    /// Makes the changes, on what the file holds now; a file that says nothing is not overwritten.
    pub(crate) fn change(&self, changes: &[SwitchChange]) -> Result<(), Unavailable> {
        let mut content = (*self.read()?).clone();
        changes.iter().for_each(|change| content.set(change));
        self.0.write(&content).map_err(|e| Unavailable::new(e.line()))
    }

    fn read(&self) -> Result<Arc<Content>, Unavailable> {
        self.0.read().map_err(|error| {
            let told = error.line(r#"{"version": 1}"#);
            Unavailable::new(format!("{told}; until this is mended, everything is off"))
        })
    }
}

impl Switches for PolicyFile {
    fn now(&self) -> Result<Arc<dyn Switched>, Unavailable> {
        Ok(self.read()?)
    }

    fn remote_inference(&self) -> RemoteInference {
        Self::remote_inference(self)
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
