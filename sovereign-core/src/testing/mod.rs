//! Doubles for everything outside core (feature `testing`). Nothing here skips a stage.
//!
//! A capability's author drives the real executor through [`Harness`]; a program's author puts
//! [`Scripted`] in place of a model.
mod audit;
mod audit_conformance;
mod audit_records;
mod backend;
mod clock;
mod entropy;
mod harness;
mod lock;
mod outbound;

pub use audit::MemoryAudit;
pub use audit_conformance::{Broken, audit_conformance};
pub use audit_records::AuditRecords;
pub use backend::{Scripted, Seen};
pub use clock::PausedClock;
pub use entropy::CountedEntropy;
pub use harness::{Harness, HarnessBuilder, HarnessCall};
pub use lock::{CatalogLock, Differences, LockError, LockReport};
pub use outbound::Replies;

#[doc(inline)]
pub use crate::__catalog_lock as catalog_lock;

use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
