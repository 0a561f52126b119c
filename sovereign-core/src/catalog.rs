//! What one caller's model may see, asked of the registry and policy for each request (A01).
//!
//! Owns the wire names. It asks [`policy`](crate::policy) with the same function as a call does.

use crate::caller::CallerScope;
use crate::capability::{Confirmation, Descriptor};
use crate::policy::{Policy, Standing};
use crate::registry::Registry;
use crate::schema::{Profile, Published};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// One capability as a model is told of it (A02). Classes are in it for people; adapters send the
/// first line, the wire name and the schema only (A03).
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct CatalogEntry {
    /// Registered name (`web.fetch`).
    pub name: &'static str,
    /// Its version.
    pub version: u32,
    /// The name on a provider's wire (`web__fetch__v1`).
    pub wire_name: Arc<str>,
    /// One line.
    pub description: &'static str,
    /// The permission category.
    pub category: crate::caller::Category,
    /// Derived from the classes, never declared.
    pub confirmation: Confirmation,
    /// JSON Schema of the arguments for each reader; an object at its root.
    pub arguments: Published,
}

/// What one scope may see at one moment, and the exact table from wire names back.
///
/// The entries are what policy allows; the table behind [`CatalogSnapshot::resolve`] covers the whole
/// registry, so that a name that is installed but not allowed is refused at policy, not at resolve.
/// A copy shares all of it.
#[derive(Debug, Clone)]
pub struct CatalogSnapshot {
    shown: Arc<Shown>,
    registry: Arc<Registry>,
}

#[derive(Default)]
struct Shown {
    entries: Vec<CatalogEntry>,
    written: Mutex<Vec<(&'static str, Profile, Arc<RawValue>)>>,
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl CatalogSnapshot {
    fn of(registry: &Arc<Registry>, standing: Option<&Standing>) -> Self {
        let seen = registry
            .slots()
            .filter(|slot| standing.is_some_and(|now| now.admits(slot.descriptor()).is_ok()));
        let entries = seen
            .map(|slot| {
                let d = slot.descriptor();
                CatalogEntry {
                    name: d.name(),
                    version: d.version(),
                    wire_name: Arc::clone(&slot.wire_name),
                    description: d.description(),
                    category: d.category(),
                    confirmation: d.confirmation(),
                    arguments: slot.schema.clone(),
                }
            })
            .collect();
        let shown = Arc::new(Shown { entries, ..Shown::default() });
        Self { shown, registry: Arc::clone(registry) }
    }

    /// Nothing, and a table in which every name misses: for a program that installs no capability and
    /// passes words to a model.
    #[must_use]
    pub fn empty() -> Self {
        Self { shown: Arc::default(), registry: Arc::new(Registry::empty()) }
    }

    /// The same table, showing nothing: for a request that may propose nothing.
    pub(crate) fn showing_nothing(mut self) -> Self {
        self.shown = Arc::default();
        self
    }

    /// The capabilities this scope's model may see, ordered by wire name.
    #[must_use]
    pub fn entries(&self) -> &[CatalogEntry] {
        &self.shown.entries
    }

    /// The entries as one wire spells them, to be copied into a request as they are. `write` runs once
    /// for each form and profile, for as long as policy lets the same capabilities be seen.
    ///
    /// # Errors
    /// Those of `write`; it is tried again at the next request then.
    pub fn written<E>(
        &self,
        form: &'static str,
        profile: Profile,
        write: impl FnOnce(&[CatalogEntry]) -> Result<Box<RawValue>, E>,
    ) -> Result<Arc<RawValue>, E> {
        let mut written = self.shown.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., text)) = written.iter().find(|(f, p, _)| *f == form && *p == profile) {
            return Ok(Arc::clone(text));
        }
        let text = Arc::from(write(&self.shown.entries)?);
        written.push((form, profile, Arc::clone(&text)));
        Ok(text)
    }

    /// What a wire name stands for: exact, never approximate. A miss goes unmodified to resolve (A07).
    #[must_use]
    pub fn resolve(&self, wire_name: &str) -> Option<&'static Descriptor> {
        self.registry.by_wire_name(wire_name)
    }
}

/// How many are kept: one for each set of grants that callers hold at a time.
const KEPT: usize = 8;

/// The catalogs of one policy that were made last, each with what policy said then.
#[derive(Default)]
pub(crate) struct Catalogs(Mutex<VecDeque<(Standing, CatalogSnapshot)>>);

impl Catalogs {
    /// What `scope` may see now. Policy is asked each time; only when it says something new is a
    /// catalog made.
    pub(crate) fn of(
        &self,
        registry: &Arc<Registry>,
        policy: &Policy,
        scope: &CallerScope,
    ) -> CatalogSnapshot {
        let Ok(now) = policy.standing(scope) else { return CatalogSnapshot::of(registry, None) };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept.iter().find(|(then, _)| then.says_the_same(&now)) {
            return known.clone();
        }
        let made = CatalogSnapshot::of(registry, Some(&now));
        kept.truncate(KEPT.saturating_sub(1));
        kept.push_front((now, made.clone()));
        made
    }
}
