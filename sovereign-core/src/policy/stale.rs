use crate::capability::{Network, SideEffect};
use serde::Serialize;
use std::fmt;

/// An entry of the policy file that does nothing for what is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "an answer")]
pub struct StaleEntry {
    /// The name it is for.
    pub name: String,
    /// The version.
    pub version: u32,
    /// On or off.
    pub enabled: bool,
    /// The namespace it was set through.
    pub via: Option<String>,
    /// Why it does nothing.
    pub why: Stale,
}

/// Why an entry does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stale {
    /// No capability has this name and version.
    NotInstalled,
    /// It switched on another class than the capability has now.
    Outgrown {
        /// What it does now.
        side_effect: SideEffect,
        /// Where it reaches now.
        network: Network,
    },
}

impl fmt::Display for StaleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // the file may have been written by hand: its names are shown escaped
        write!(f, "{}@{}", self.name.escape_default(), self.version)?;
        match self.why {
            Stale::NotInstalled => f.write_str(" is not installed"),
            Stale::Outgrown { side_effect, network } => {
                write!(f, " is {} now, which nobody switched on", class(side_effect, network))
            }
        }
    }
}

/// The two classes, for a person.
pub(super) const fn class(side_effect: SideEffect, network: Network) -> &'static str {
    match (side_effect, network) {
        (SideEffect::ReadOnly, Network::Local) => "read_only, local",
        (SideEffect::ReadOnly, Network::External) => "read_only, external",
        (SideEffect::Mutating, Network::Local) => "mutating, local",
        (SideEffect::Mutating, Network::External) => "mutating, external",
    }
}
