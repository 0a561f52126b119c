//! The contract of one capability, complete: what the author declared and what follows from it.
use super::declaration::class::{NetworkClass as _, SideEffectClass as _};
use super::{Capability, Confirmation, Declaration, Network, Output, Run, SideEffect};
use crate::caller::Category;
use crate::schema::{Node, Schema};

/// The contract of one capability: what the catalog shows and what the stages enforce.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// What the attribute says.
    pub declaration: Declaration,
    /// Its side-effect class.
    pub side_effect: SideEffect,
    /// Its network class.
    pub network: Network,
    /// The shape of its arguments: always one object.
    pub arguments: Node,
    /// The shape of its result, without what travels beside it (`changed`, citations).
    pub result: Node,
}

impl Descriptor {
    pub(crate) const fn of<C: Capability + Run>() -> Self {
        Self {
            declaration: C::DECLARATION.checked(),
            side_effect: <C::SideEffect>::VALUE,
            network: <C::Network>::VALUE,
            arguments: <C as Schema>::NODE,
            result: <<C::Output as Output<C>>::Body as Schema>::NODE,
        }
    }

    /// The declared name.
    pub const fn name(&self) -> &'static str {
        self.declaration.name
    }

    /// The declared version.
    pub const fn version(&self) -> u32 {
        self.declaration.version
    }

    /// The one line that the catalog shows.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        self.declaration.description
    }

    /// The permission category.
    #[must_use]
    pub const fn category(&self) -> Category {
        self.declaration.category
    }

    /// Whether it was declared `network = local(loopback)`.
    #[must_use]
    pub const fn reaches_loopback(&self) -> bool {
        self.declaration.loopback
    }

    /// Whether a person is asked. Derived, never declared (A03, C-2): only what is read-only and
    /// local runs automatically.
    pub const fn confirmation(&self) -> Confirmation {
        match (self.side_effect, self.network) {
            (SideEffect::ReadOnly, Network::Local) => Confirmation::Automatic,
            (SideEffect::Mutating, Network::Local) | (_, Network::External) => {
                Confirmation::Required
            }
        }
    }
}
