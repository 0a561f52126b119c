//! Three questions, all closed by default; listing and calling ask the same function.
//!
//! Does the caller's scope hold the category? Is this name, version and class enabled on this device?
//! Does the capability's own check agree (asked by the executor, which has the arguments)? Owns the
//! first two, and [`PolicyFile`], where a device keeps its switches. The grants themselves are in
//! [`caller`](crate::caller).
mod explanation;
mod file;
#[cfg(test)]
#[path = "fixture_tests.rs"]
pub(crate) mod fixture;
mod stale;
mod switch;
mod target;

pub use explanation::Explanation;
pub(crate) use file::SwitchChange;
pub use file::{PolicyFile, RemoteInference};
pub use stale::{Stale, StaleEntry};
pub use switch::{Source, State, Switches};
pub use target::UnknownTarget;
pub(crate) use target::covered;

use crate::caller::{CallerScope, Categories, Grants, Unavailable};
use crate::capability::Descriptor;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Who may use what, on this device.
pub struct Policy {
    grants: Arc<dyn Grants>,
    switches: Arc<dyn Switches>,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Policy")
    }
}

/// Why policy says no. The code is what model, client and audit see; the reason is the operator's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// The scope does not hold the category.
    NotGranted,
    /// The capability is switched off here.
    NotEnabled,
    /// Grants or switches cannot be read.
    Unavailable(Unavailable),
}

impl Denial {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotGranted => "not_granted",
            Self::NotEnabled => "not_enabled",
            Self::Unavailable(_) => "policy_unavailable",
        }
    }
}

impl Policy {
    /// With persisted or computed grants and switches.
    #[must_use]
    pub fn new(grants: Arc<dyn Grants>, switches: Arc<dyn Switches>) -> Self {
        Self { grants, switches }
    }

    /// In memory: grants from a function, and the class's default switches (what runs automatically
    /// is on, everything else off until [`Policy::enabled`]).
    #[must_use]
    pub fn granting(grants: impl Fn(&CallerScope) -> Categories + Send + Sync + 'static) -> Self {
        Self::new(Arc::new(grants), Arc::new(MemorySwitches::default()))
    }

    /// Switches one capability on, by name, every version. For a policy that lives in memory; a
    /// persisted one is changed through [`executor`](crate::executor), which records it.
    #[must_use]
    pub fn enabled(self, name: &str) -> Self {
        let memory = MemorySwitches::default();
        memory.set(name, true);
        Self { switches: Arc::new(Layered { over: memory, under: self.switches }), ..self }
    }

    /// The one question, for the catalog and for a call.
    pub(crate) fn admits(&self, scope: &CallerScope, d: &Descriptor) -> Result<(), Denial> {
        let held = scope.granted_categories(&*self.grants).map_err(Denial::Unavailable)?;
        if !held.contains(d.category()) {
            return Err(Denial::NotGranted);
        }
        match self.switches.state(d) {
            Ok(state) if state.enabled => Ok(()),
            Ok(_) => Err(Denial::NotEnabled),
            Err(unavailable) => Err(Denial::Unavailable(unavailable)),
        }
    }

    /// The same question, with where each part of the answer comes from.
    #[must_use]
    pub fn explain(&self, scope: &CallerScope, d: &'static Descriptor) -> Explanation {
        let granted = scope.granted_categories(&*self.grants);
        let holds_category = granted.as_ref().is_ok_and(|held| held.contains(d.category()));
        Explanation {
            descriptor: d,
            scope: scope.kind(),
            granted,
            holds_category,
            switch: self.switches.state(d),
            confirmation: d.confirmation(),
            may_confirm: scope.may_confirm(),
            verdict: self.admits(scope, d),
        }
    }
}

/// Switches by name, for a program's own lifetime.
#[derive(Debug, Default)]
struct MemorySwitches(RwLock<BTreeMap<String, bool>>);

impl MemorySwitches {
    fn set(&self, name: &str, on: bool) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), on);
    }

    fn get(&self, name: &str) -> Option<bool> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }
}

impl Switches for MemorySwitches {
    fn state(&self, d: &Descriptor) -> Result<State, Unavailable> {
        Ok(match self.get(d.name()) {
            Some(enabled) => State { enabled, source: Source::Name },
            None => State::default_of(d),
        })
    }
}

struct Layered {
    over: MemorySwitches,
    under: Arc<dyn Switches>,
}

impl Switches for Layered {
    fn state(&self, d: &Descriptor) -> Result<State, Unavailable> {
        match self.over.get(d.name()) {
            Some(enabled) => Ok(State { enabled, source: Source::Name }),
            None => self.under.state(d),
        }
    }
}

#[cfg(test)]
#[path = "stale_tests.rs"]
mod stale_tests;
