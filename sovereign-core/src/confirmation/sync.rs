//! The locks of the store, named in one place: the models put others here.
pub(super) use std::sync::{Mutex, MutexGuard, PoisonError};
