use super::{Audit, AuditError, Record};
use crate::BoxFuture;
use std::future::ready;

/// The sink of a node whose log cannot be opened: it takes nothing, so nothing runs, and the node can
/// still show what it has and say why.
///
/// # Example
/// ```
/// use sovereign_core::audit::{Audit, Closed, FileAudit};
/// use sovereign_core::clock::SystemClock;
/// # let home = tempfile::tempdir().unwrap();
/// # let directory = home.path().join("audit");
/// # std::fs::write(&directory, "in the way").unwrap();
/// let audit: Box<dyn Audit> = match FileAudit::open(&directory, &SystemClock::default()) {
///     Ok(opened) => Box::new(opened.audit),
///     Err(error) => Box::new(Closed::because(&error)),
/// };
/// assert!(audit.ready().is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Closed(AuditError);

impl Closed {
    /// With what an operator reads.
    #[must_use]
    pub fn because(reason: &dyn std::fmt::Display) -> Self {
        Self(AuditError::new(reason.to_string()))
    }
}

impl Audit for Closed {
    fn append(&self, _: Record) -> Result<(), AuditError> {
        self.ready()
    }

    fn ready(&self) -> Result<(), AuditError> {
        Err(self.0.clone())
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(ready(self.ready()))
    }
}
