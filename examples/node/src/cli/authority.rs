//! Grants and policy.
use super::Scope;
use clap::{Args, Subcommand, ValueEnum};
use sovereign_core::policy::RemoteInference;

pub(super) const GRANTS: &str = "\
Examples:
  sovereign-node grants list
  sovereign-node grants add search
  sovereign-node grants add system --scope mesh
  sovereign-node grants remove search";

pub(super) const POLICY: &str = "\
Examples:
  sovereign-node policy list
  sovereign-node policy explain web.fetch
  sovereign-node policy enable web.fetch
  sovereign-node policy remote never
  sovereign-node policy drop-stale

A grant says who may use a category, a switch what is on here at all; both are needed, and what changes
something or leaves the device is asked about each time all the same.";

#[derive(Debug, Subcommand)]
pub(crate) enum Grants {
    /// Shows what each kind of caller holds.
    List,
    /// Grants a category.
    Add(Grant),
    /// Takes a category away.
    Remove(Grant),
}

#[derive(Debug, Args)]
pub(crate) struct Grant {
    /// `apps`, `system`, `network`, `wallet`, `files`, `media`, `search`, `ai_local`, `notes`,
    /// `bitcoin`, or a plugin's own as `custom:NAME`.
    #[arg(value_name = "CATEGORY")]
    pub(crate) category: String,
    /// Who shall hold it.
    #[arg(long, value_enum, default_value_t = Scope::Operator)]
    pub(crate) scope: Scope,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Shows whether a turn may leave the device, every capability and whether it is switched on, and
    /// entries that do nothing any more.
    List,
    /// Switches on a capability (`web.fetch`), or everything in a namespace that exists now (`web`).
    Enable(Selection),
    /// Switches off a capability or everything in a namespace that exists now.
    Disable(Selection),
    /// Sets whether a turn may be sent to a model off this device.
    Remote {
        /// What to say.
        #[arg(value_enum)]
        answer: Remote,
    },
    /// Takes entries out of the policy file that do nothing here: what they switch on is not
    /// installed, or does more than what was switched on.
    DropStale {
        /// Also those that switch something off, which would hold again should it come back.
        #[arg(long)]
        also_off: bool,
    },
    /// Says whether a caller may use it, which part of the answer comes from where, and which command
    /// would change it.
    Explain {
        #[command(flatten)]
        selection: Selection,
        /// For whom.
        #[arg(long, value_enum, default_value_t = Scope::Operator)]
        scope: Scope,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// A capability's name, or a namespace: the part before a dot, with or without `.*`.
    #[arg(value_name = "CAPABILITY_OR_NAMESPACE")]
    pub(crate) name: String,
}

/// Whether a turn may be sent to a model off this device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Remote {
    /// No turn is.
    Never,
    /// A person is asked, once a turn, before anything is sent.
    Ask,
    /// Every turn may be, without a question.
    Always,
}

impl From<Remote> for RemoteInference {
    fn from(answer: Remote) -> Self {
        match answer {
            Remote::Never => Self::Never,
            Remote::Ask => Self::Ask,
            Remote::Always => Self::Always,
        }
    }
}
