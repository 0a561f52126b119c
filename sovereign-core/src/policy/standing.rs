use super::{Denial, Source, State, Switched};
use crate::caller::{Categories, Unavailable};
use crate::capability::Descriptor;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What policy says to one scope at one moment.
pub(crate) struct Standing {
    pub(super) held: Categories,
    pub(super) switches: Result<Arc<dyn Switched>, Unavailable>,
    pub(super) overrides: Arc<Overrides>,
}

impl Standing {
    /// Whether such a call may go on, before the capability's own check.
    pub(crate) fn admits(&self, d: &Descriptor) -> Result<(), Denial> {
        if !self.held.contains(d.category()) {
            return Err(Denial::NotGranted);
        }
        match self.state(d) {
            Ok(state) if state.enabled => Ok(()),
            Ok(_) => Err(Denial::NotEnabled),
            Err(unavailable) => Err(Denial::Unavailable(unavailable)),
        }
    }

    pub(super) fn state(&self, d: &Descriptor) -> Result<State, Unavailable> {
        match &self.switches {
            Ok(switches) => Ok(self.overrides.state(&**switches, d)),
            Err(unavailable) => Err(unavailable.clone()),
        }
    }

    /// Whether every answer is the same as at the `other` moment, of the same policy. What could not
    /// be read is never the same.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let unchanged = match (&self.switches, &other.switches) {
            (Ok(these), Ok(those)) => Arc::ptr_eq(these, those),
            _ => false,
        };
        unchanged && self.held == other.held
    }
}

/// Names that a program switched on for its own lifetime, fixed once the policy is made.
#[derive(Clone, Default)]
pub(super) struct Overrides(BTreeSet<String>);

impl Overrides {
    pub(super) fn insert(&mut self, name: String) {
        self.0.insert(name);
    }

    pub(super) fn state(&self, switches: &dyn Switched, d: &Descriptor) -> State {
        if self.0.contains(d.name()) {
            State { enabled: true, source: Source::Name }
        } else {
            switches.state(d)
        }
    }
}
