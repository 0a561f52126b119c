//! What authors write: a declaration, its behaviour, what it may use and what it gives back.
//!
//! Owns the contract between a capability and the rest. It runs nothing by itself: only the
//! [executor](crate::executor) makes the [`Call`] that a capability needs.
mod address;
mod call;
mod clearance;
#[cfg(unix)]
mod command;
#[cfg(all(feature = "seccomp", target_os = "linux"))]
mod confinement;
#[cfg(not(all(feature = "seccomp", target_os = "linux")))]
#[path = "unconfined.rs"]
mod confinement;
mod const_text;
mod declaration;
mod descriptor;
mod entry;
mod failure;
mod outbound;
mod outliving;
mod output;
mod plugin;
mod reach;
mod run;

pub use call::Call;
pub(crate) use call::CallContext;
pub(crate) use clearance::Clearance;
#[cfg(unix)]
pub use command::{Command, Exited};
pub(crate) use confinement::Confined;
#[cfg(not(all(feature = "seccomp", target_os = "linux")))]
pub(crate) use confinement::Confinement;
#[cfg(all(feature = "seccomp", target_os = "linux"))]
pub use confinement::{Confinement, ConfinementError};
pub use declaration::{Bounds, Confirmation, Declaration, Network, SideEffect, class};
pub use descriptor::Descriptor;
pub use entry::Entry;
pub(crate) use entry::{Fault, Prepared, Produced};
pub use failure::{Failure, NotAllowed, OrFail};
pub use outbound::{Http, Method, Outbound, Request, Response};
pub(crate) use outliving::{Late, Outliving};
pub use output::{Changed, Citation, Cited, Output, Parts};
pub use plugin::Plugin;
pub use reach::Reach;
pub use run::{Capability, External, Loopback, Run};
