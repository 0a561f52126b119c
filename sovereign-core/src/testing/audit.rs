use super::lock;
use crate::BoxFuture;
use crate::audit::{Audit, AuditError, CallRecord, Mark, OutcomeKind, Record};
use std::future::ready;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Keeps records in memory, and can be told to fail.
#[derive(Debug, Default)]
pub struct MemoryAudit {
    records: Mutex<Vec<Record>>,
    broken: AtomicBool,
    disk_broken: AtomicBool,
}

impl MemoryAudit {
    /// Everything, in order.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        lock(&self.records).clone()
    }

    /// The records about calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<CallRecord> {
        let calls = |r: &Record| match r {
            Record::Call(call) => Some(call.clone()),
            Record::Administrative(_) => None,
        };
        lock(&self.records).iter().filter_map(calls).collect()
    }

    /// The terminal outcomes, in order.
    #[must_use]
    pub fn ends(&self) -> Vec<OutcomeKind> {
        let ends = |call: CallRecord| match call.mark {
            Mark::End(kind) => Some(kind),
            Mark::AwaitingConfirmation | Mark::Begin | Mark::LateCompletion => None,
        };
        self.calls().into_iter().filter_map(ends).collect()
    }

    /// From now on nothing is taken.
    pub fn fail(&self) {
        self.broken.store(true, Ordering::SeqCst);
    }

    /// From now on records are taken, but never reach the disk.
    pub fn fail_durable(&self) {
        self.disk_broken.store(true, Ordering::SeqCst);
    }
}

impl Audit for MemoryAudit {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.ready()?;
        lock(&self.records).push(record);
        Ok(())
    }

    fn ready(&self) -> Result<(), AuditError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(AuditError::new("a test broke it"));
        }
        Ok(())
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        let broken = self.disk_broken.load(Ordering::SeqCst);
        let disk = if broken { Err(AuditError::new("a test broke the disk")) } else { Ok(()) };
        Box::pin(ready(self.ready().and(disk)))
    }
}
