//! The locks of the ledger, named in one place: the models put others here.
pub(super) use std::sync::{Mutex, MutexGuard, PoisonError};
