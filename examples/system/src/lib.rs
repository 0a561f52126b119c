//! `system.*`: how much space is left, and whether the machine is well.
//!
//! A plugin as a downstream crate would write it. The capabilities see one narrow trait,
//! [`SystemSource`], and nothing else of the program; a daemon implements it on what it has anyway
//! and its own pages read the same figures. [`HostSystem`] reads them from the machine.
//!
//! ```
//! use sovereign_core::audit::OutcomeKind;
//! use sovereign_core::testing::Harness;
//! use sovereign_system::{DiskStatus, HostSystem, SYSTEM, SystemSource};
//! use std::sync::Arc;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let host: Arc<dyn SystemSource> = Arc::new(HostSystem::new("."));
//! let lab = Harness::install(&SYSTEM, host).build();
//!
//! let outcome = lab.call::<DiskStatus>("{}").await;
//! assert_eq!(outcome.kind(), OutcomeKind::Executed);
//! assert!(outcome.result().unwrap().contains("available_bytes"));
//! # });
//! ```
//!
//! Both capabilities take no arguments, change nothing and stay on the device, so they run without
//! asking.

mod disk_status;
mod health;
mod host;
mod source;
mod volume;

pub use disk_status::DiskStatus;
pub use health::{Check, Checks, Health, HealthReport, Level, Load, Memory, Standing};
pub use host::HostSystem;
pub use source::SystemSource;
pub use volume::Volume;

use sovereign_core::prelude::Plugin;

/// The plugin: install it with any [`SystemSource`].
pub static SYSTEM: Plugin<dyn SystemSource> =
    Plugin::new("system", &[DiskStatus::ENTRY, HealthReport::ENTRY]);
