use super::sync::{Mutex, PoisonError};
use std::collections::HashSet;

/// What a person said no to in one turn, so that it is not asked again there.
#[derive(Debug, Default)]
pub(crate) struct Denied(Mutex<HashSet<[u8; 32]>>);

impl Denied {
    /// Remembers a question.
    pub(crate) fn add(&self, question: [u8; 32]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(question);
    }

    pub(crate) fn holds(&self, question: &[u8; 32]) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(question)
    }
}
