//! The lock file of published capabilities: a version, once published, means one thing.
mod contract;

use crate::capability::{Descriptor, Plugin};
use contract::{Lines, entry, sorted};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fmt, fs, io};

/// Compares what plugins publish with a lock file that is kept beside their code.
///
/// A name and version is a promise: what it accepts, what it answers, its classes, its category and
/// its bounds stay as they were published. Most crates need one line in one test,
/// [`catalog_lock!`](crate::testing::catalog_lock).
///
/// **Shape** of the file: one JSON object with sorted keys, one member `name@version` per capability,
/// holding the full schema of arguments and result, classes, category and bounds. A member with
/// `"retired": true` is one that is no longer published and never will be again.
///
/// ```
/// use sovereign_core::prelude::*;
/// use sovereign_core::testing::CatalogLock;
///
/// /// Says how many sides a die has.
/// #[capability(name = "die.sides", side_effect = read_only, network = local, category = custom("game"))]
/// struct Sides;
/// impl Run for Sides {
///     type State = u8;
///     type Output = u8;
///     async fn run(self, call: Call<'_, Self>) -> Result<u8, Failure> { Ok(*call.state()) }
/// }
/// static GAME: Plugin<u8> = Plugin::new("game", &[Sides::ENTRY]);
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let lock = CatalogLock::at(folder.path().join("capabilities.lock")).plugin(&GAME);
/// assert!(lock.check().is_err(), "nothing is locked yet");
/// assert_eq!(lock.bless()?.added, ["die.sides@1"]);
/// assert!(lock.check()?.added.is_empty());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct CatalogLock {
    path: PathBuf,
    published: Vec<(String, Value)>,
}

/// What a lock file and the code agree on, besides what is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockReport {
    /// `name@version` that [`CatalogLock::bless`] added.
    pub added: Vec<String>,
    /// Texts that changed under the same version, one line each: allowed, since they change nothing
    /// that is accepted, and still worth a look, since a model reads them.
    pub texts: Vec<String>,
}

/// Why a lock file is not what the code publishes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The file cannot be read or written.
    #[error("`{path}`: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not a lock file.
    #[error("`{path}` is not a lock of capabilities: {problem}", path = path.display())]
    NotALock {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The code publishes something else, line by line with what to do about it.
    #[error("`{path}` and the code differ:\n{differences}", path = path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// Each begins with the capability's name and version.
        differences: Differences,
    },
}

/// The differences of a [`LockError::Differs`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences(Vec<String>);

impl Differences {
    /// One text of several lines for each capability that differs.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// The variable that lets a test write the lock file.
const BLESS: &str = "SOVEREIGN_BLESS";

impl CatalogLock {
    /// The lock file at `path`, with nothing to compare yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), published: Vec::new() }
    }

    /// All capabilities of one more plugin.
    #[must_use]
    pub fn plugin<S: ?Sized + 'static>(mut self, plugin: &'static Plugin<S>) -> Self {
        self.published.extend(plugin.entries.iter().map(|e| named(e.descriptor)));
        self
    }

    /// Compares and writes nothing.
    ///
    /// # Errors
    /// [`LockError::Differs`] when a published version changed, went away, came back after it was
    /// retired, or is not in the file yet; the others when the file cannot be read.
    pub fn check(&self) -> Result<LockReport, LockError> {
        let found = self.judged(&self.read()?);
        let new = found.new.iter().map(|name| {
            format!(
                "{name} is not in the lock: run this test once with {BLESS}=1 to publish it as it is"
            )
        });
        self.unless(found.broken.into_iter().chain(new).collect())?;
        Ok(LockReport { added: Vec::new(), texts: found.texts })
    }

    /// Adds what is new and takes over changed texts. It changes no contract that is in the file.
    ///
    /// # Errors
    /// As [`Self::check`], except for what is new; nothing is written then.
    pub fn bless(&self) -> Result<LockReport, LockError> {
        let mut locked = self.read()?;
        let found = self.judged(&locked);
        self.unless(found.broken)?;
        for (name, entry) in &self.published {
            locked.insert(name.clone(), entry.clone());
        }
        let text = format!("{:#}\n", sorted(Value::Object(locked)));
        let written = fs::write(&self.path, text);
        written.map_err(|source| LockError::Io { path: self.path.clone(), source })?;
        Ok(LockReport { added: found.new, texts: found.texts })
    }

    /// For a test: checks, or blesses when `SOVEREIGN_BLESS=1`. Changed and added ones are printed.
    ///
    /// # Panics
    /// With the differences when there are any.
    #[track_caller]
    #[expect(clippy::panic, reason = "a test wants to stop there")]
    #[expect(clippy::print_stdout, reason = "a test's own report")]
    pub fn assert(&self) {
        let bless = std::env::var_os(BLESS).is_some_and(|value| value == "1");
        match if bless { self.bless() } else { self.check() } {
            Ok(LockReport { added, texts }) => {
                added.iter().for_each(|name| println!("{name}: added to the lock"));
                texts.iter().for_each(|text| println!("{text}"));
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn unless(&self, differences: Vec<String>) -> Result<(), LockError> {
        if differences.is_empty() {
            return Ok(());
        }
        Err(LockError::Differs { path: self.path.clone(), differences: Differences(differences) })
    }

    /// A file that is not there locks nothing.
    fn read(&self) -> Result<Map<String, Value>, LockError> {
        let path = || self.path.clone();
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(source) => return Err(LockError::Io { path: path(), source }),
        };
        let locked: Map<String, Value> = serde_json::from_slice(&bytes)
            .map_err(|e| LockError::NotALock { path: path(), problem: e.to_string() })?;
        match locked.iter().find(|(_, entry)| !entry.is_object()) {
            Some((name, _)) => Err(LockError::NotALock {
                path: path(),
                problem: format!("`{name}` is not an object"),
            }),
            None => Ok(locked),
        }
    }

    fn judged(&self, locked: &Map<String, Value>) -> Judged {
        let mut judged = Judged::default();
        let mut published = BTreeMap::new();
        for (name, entry) in &self.published {
            if published.insert(name.as_str(), entry).is_some() {
                judged.broken.push(format!("{name} is published twice: give one another version"));
            }
            if !locked.contains_key(name) {
                judged.new.push(name.clone());
            }
        }
        for (name, old) in locked {
            let retired = old.get("retired") == Some(&Value::Bool(true));
            match (published.get(name.as_str()), retired) {
                (None, true) => {}
                (None, false) => judged.broken.push(format!(
                    "{name} is in the lock and no longer published: put it back, or retire it for \
                     good by writing `\"retired\": true` into its entry"
                )),
                (Some(_), true) => judged.broken.push(format!(
                    "{name} was retired and is published again: bump the version to {}",
                    next(name, locked, &published)
                )),
                (Some(new), false) => {
                    if let Some(difference) = judged.compare(name, old, new) {
                        let next = next(name, locked, &published);
                        judged.broken.push(format!(
                            "{name} changed after it was published: bump the version to {next} \
                             (and keep version {}, if anything still asks for it)\n{difference}",
                            split(name).1
                        ));
                    }
                }
            }
        }
        judged
    }
}

#[derive(Default)]
struct Judged {
    broken: Vec<String>,
    new: Vec<String>,
    texts: Vec<String>,
}

impl Judged {
    /// The lines of the contract that differ; changed texts are only noted.
    fn compare(&mut self, name: &str, old: &Value, new: &Value) -> Option<String> {
        // Printed and read once, as the lock was: a float may move by its last bit on that way.
        let new: Value = serde_json::from_str(&new.to_string()).unwrap_or_default();
        let lines = |entry: &Value| entry.as_object().map(Lines::of).unwrap_or_default();
        let (old, new) = (lines(old), lines(&new));
        for (at, text) in &new.texts {
            match old.texts.get(at) {
                Some(was) if was == text => {}
                Some(was) => self.texts.push(format!("{name}: {at} was {was}, is {text}")),
                None => self.texts.push(format!("{name}: {at} is new: {text}")),
            }
        }
        for (at, text) in old.texts.iter().filter(|(at, _)| !new.texts.contains_key(*at)) {
            self.texts.push(format!("{name}: {at} is gone: {text}"));
        }
        let gone = old.contract.difference(&new.contract).map(|line| (line, '-'));
        let came = new.contract.difference(&old.contract).map(|line| (line, '+'));
        let mut lines: Vec<_> = gone.chain(came).collect();
        // by place, so that a changed value stands below the one it was
        lines.sort_by(|(a, sign), (b, other)| place(a).cmp(place(b)).then(other.cmp(sign)));
        let lines: Vec<_> = lines.iter().map(|(line, sign)| format!("  {sign} {line}")).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

fn place(line: &str) -> &str {
    line.split_once(" = ").map_or(line, |(place, _)| place)
}

fn named(d: &Descriptor) -> (String, Value) {
    (format!("{}@{}", d.name(), d.version()), entry(d))
}

fn split(name: &str) -> (&str, u32) {
    let (name, version) = name.rsplit_once('@').unwrap_or((name, ""));
    (name, version.parse().unwrap_or(0))
}

/// The first version of this name that nothing holds, retired ones included.
fn next(name: &str, locked: &Map<String, Value>, published: &BTreeMap<&str, &Value>) -> u32 {
    let own = split(name).0;
    let all = locked.keys().map(String::as_str).chain(published.keys().copied());
    let versions = all.map(split).filter(|(other, _)| *other == own).map(|(_, version)| version);
    versions.max().unwrap_or(0).saturating_add(1)
}

/// Asserts that plugins publish what their lock file says; see [`CatalogLock`].
///
/// The path starts at the folder of the crate's `Cargo.toml`.
///
/// The body of a test:
///
/// ```
/// use sovereign_core::prelude::*;
/// use sovereign_core::testing::catalog_lock;
///
/// /// Says how many sides a die has.
/// #[capability(name = "die.sides", side_effect = read_only, network = local, category = custom("game"))]
/// struct Sides;
/// impl Run for Sides {
///     type State = u8;
///     type Output = u8;
///     async fn run(self, call: Call<'_, Self>) -> Result<u8, Failure> { Ok(*call.state()) }
/// }
/// static GAME: Plugin<u8> = Plugin::new("game", &[Sides::ENTRY]);
///
/// catalog_lock!("src/testing/lock/example.lock", &GAME);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __catalog_lock {
    ($path:literal, $($plugin:expr),+ $(,)?) => {
        $crate::testing::CatalogLock::at(::core::concat!(
            ::core::env!("CARGO_MANIFEST_DIR"),
            "/",
            $path
        ))
        $(.plugin($plugin))+
        .assert()
    };
}

#[cfg(test)]
mod tests;
