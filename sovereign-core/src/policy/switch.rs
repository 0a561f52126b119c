use super::RemoteInference;
use super::stale::class;
use crate::caller::Unavailable;
use crate::capability::{Confirmation, Descriptor, Network, SideEffect};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Which name, version and class is enabled on this device, and whether turns may leave it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what is switched on",
    label = "not a source of switches",
    note = "pass a `PolicyFile`, or implement `Switches::now`"
)]
pub trait Switches: Send + Sync + 'static {
    /// All switches as they stand now, from one reading. It is asked at each listing and each call;
    /// giving the same `Arc` again says that nothing has changed since.
    ///
    /// # Errors
    /// When the switches cannot be read: everything is off then.
    fn now(&self) -> Result<Arc<dyn Switched>, Unavailable>;

    /// The switch of this capability, now.
    ///
    /// # Errors
    /// When the switches cannot be read: the capability is off then.
    fn state(&self, descriptor: &Descriptor) -> Result<State, Unavailable> {
        Ok(self.now()?.state(descriptor))
    }

    /// Whether a turn may be sent to a model off this device, now; `never` when nothing says so.
    fn remote_inference(&self) -> RemoteInference {
        RemoteInference::Never
    }
}

/// The switches at one moment: what it answers never changes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the switches of one moment",
    label = "not the answer of `Switches::now`",
    note = "implement `Switched::state`"
)]
pub trait Switched: Send + Sync + 'static {
    /// The switch of this capability.
    fn state(&self, descriptor: &Descriptor) -> State;
}

/// One switch and what set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "an answer and its source")]
pub struct State {
    /// On or off.
    pub enabled: bool,
    /// What set it.
    pub source: Source,
}

impl State {
    /// What nobody has set: on for what runs automatically, off for what changes something or leaves
    /// the device.
    #[must_use]
    pub fn default_of(descriptor: &Descriptor) -> Self {
        let enabled = matches!(descriptor.confirmation(), Confirmation::Automatic);
        Self { enabled, source: Source::Class }
    }
}

/// What nobody has set.
#[derive(Default)]
pub(super) struct Defaults(Arc<AsDeclared>);

#[derive(Default)]
struct AsDeclared;

impl Switches for Defaults {
    fn now(&self) -> Result<Arc<dyn Switched>, Unavailable> {
        Ok(Arc::<AsDeclared>::clone(&self.0))
    }
}

impl Switched for AsDeclared {
    fn state(&self, descriptor: &Descriptor) -> State {
        State::default_of(descriptor)
    }
}

/// Where a switch's state comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// Nobody set it: the default of the class.
    Class,
    /// Set for this name and version.
    Name,
    /// Set through a namespace (`web.*`), when this capability already existed.
    Namespace(String),
    /// It was switched on as another class; what it does now, nobody has: the default of the class.
    Outgrown {
        /// What it did then.
        side_effect: SideEffect,
        /// Where it reached then.
        network: Network,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class => f.write_str("nobody set it: the default of its class"),
            Self::Name => f.write_str("set for this name and version"),
            Self::Namespace(namespace) => write!(f, "set through `{}`", namespace.escape_default()),
            Self::Outgrown { side_effect, network } => write!(
                f,
                "it was switched on when it was {}: the default of its class",
                class(*side_effect, *network)
            ),
        }
    }
}
