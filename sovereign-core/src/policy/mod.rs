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
mod standing;
mod switch;
mod target;

pub use explanation::Explanation;
pub(crate) use file::SwitchChange;
pub use file::{PolicyFile, RemoteInference};
pub use stale::{Stale, StaleEntry};
pub(crate) use standing::Standing;
pub use switch::{Source, State, Switched, Switches};
pub use target::UnknownTarget;
pub(crate) use target::covered;

use crate::caller::{CallerScope, Categories, Grants, Unavailable};
use crate::capability::Descriptor;
use standing::Overrides;
use std::sync::Arc;
use switch::Defaults;

/// Who may use what, on this device.
pub struct Policy {
    grants: Arc<dyn Grants>,
    switches: Arc<dyn Switches>,
    overrides: Arc<Overrides>,
    remote: Option<RemoteInference>,
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
        Self { grants, switches, overrides: Arc::default(), remote: None }
    }

    /// In memory: grants from a function, and the class's default switches (what runs automatically
    /// is on, everything else off until [`Policy::enabled`]).
    #[must_use]
    pub fn granting(grants: impl Fn(&CallerScope) -> Categories + Send + Sync + 'static) -> Self {
        Self::new(Arc::new(grants), Arc::new(Defaults::default()))
    }

    /// Switches one capability on, by name, every version. For a policy that lives in memory; a
    /// persisted one is changed through [`executor`](crate::executor), which records it.
    #[must_use]
    pub fn enabled(mut self, name: &str) -> Self {
        Arc::make_mut(&mut self.overrides).insert(name.to_owned());
        self
    }

    /// What is held and switched on now, from one reading of each: the catalog asks it about every
    /// capability, a call about one.
    ///
    /// # Errors
    /// When the grants cannot be read.
    pub(crate) fn standing(&self, scope: &CallerScope) -> Result<Standing, Unavailable> {
        Ok(Standing {
            held: scope.granted_categories(&*self.grants)?,
            switches: self.switches.now(),
            overrides: Arc::clone(&self.overrides),
        })
    }

    /// Whether turns may go to a model off this device. For a policy that lives in memory, which says
    /// `never` without this; a persisted one is changed through [`executor`](crate::executor).
    #[must_use]
    pub fn remote(self, remote: RemoteInference) -> Self {
        Self { remote: Some(remote), ..self }
    }

    /// Whether a turn may be sent to a model off this device, now.
    #[must_use]
    pub fn remote_inference(&self) -> RemoteInference {
        self.remote.unwrap_or_else(|| self.switches.remote_inference())
    }

    /// The one question, for the catalog and for a call.
    pub(crate) fn admits(&self, scope: &CallerScope, d: &Descriptor) -> Result<(), Denial> {
        self.standing(scope).map_err(Denial::Unavailable)?.admits(d)
    }

    /// The same question, with where each part of the answer comes from.
    #[must_use]
    pub fn explain(&self, scope: &CallerScope, d: &'static Descriptor) -> Explanation {
        let standing = self.standing(scope);
        let verdict = match &standing {
            Ok(now) => now.admits(d),
            Err(unavailable) => Err(Denial::Unavailable(unavailable.clone())),
        };
        let switch = match &standing {
            Ok(now) => now.state(d),
            Err(_) => self.switches.now().map(|switches| self.overrides.state(&*switches, d)),
        };
        let granted = standing.map(|now| now.held);
        let holds_category = granted.as_ref().is_ok_and(|held| held.contains(d.category()));
        Explanation {
            descriptor: d,
            scope: scope.kind(),
            granted,
            holds_category,
            switch,
            confirmation: d.confirmation(),
            may_confirm: scope.may_confirm(),
            verdict,
        }
    }
}

#[cfg(test)]
#[path = "stale_tests.rs"]
mod stale_tests;

#[cfg(test)]
mod tests;
