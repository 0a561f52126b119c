//! What one caller's model may see, made anew from the registry for each request (A01).
//!
//! Owns the wire names. It asks [`policy`](crate::policy) with the same function as a call does.

use crate::caller::CallerScope;
use crate::capability::{Confirmation, Descriptor};
use crate::policy::Policy;
use crate::registry::Registry;
use crate::schema::Published;
use serde::Serialize;
use std::sync::Arc;

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
#[derive(Debug, Clone)]
pub struct CatalogSnapshot {
    entries: Vec<CatalogEntry>,
    registry: Arc<Registry>,
}

impl CatalogSnapshot {
    pub(crate) fn of(registry: &Arc<Registry>, policy: &Policy, scope: &CallerScope) -> Self {
        let seen = registry.slots().filter(|s| policy.admits(scope, s.descriptor()).is_ok());
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
        Self { entries, registry: Arc::clone(registry) }
    }

    /// The same table, showing nothing: for a request that may propose nothing.
    pub(crate) fn showing_nothing(mut self) -> Self {
        self.entries.clear();
        self
    }

    /// The capabilities this scope's model may see, ordered by wire name.
    #[must_use]
    pub fn entries(&self) -> &[CatalogEntry] {
        &self.entries
    }

    /// What a wire name stands for: exact, never approximate. A miss goes unmodified to resolve (A07).
    #[must_use]
    pub fn resolve(&self, wire_name: &str) -> Option<&'static Descriptor> {
        self.registry.by_wire_name(wire_name)
    }
}
