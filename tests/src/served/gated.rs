use sovereign_core::BoxFuture;
use sovereign_core::audit::{Audit, AuditError, Record};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A log that, once it is shut, is done with a record only when somebody opens it.
pub struct Gated {
    inner: Arc<dyn Audit>,
    shut: AtomicBool,
    /// Tells that a record waits.
    pub waits: Notify,
    gate: Notify,
}

impl Gated {
    pub fn new(inner: Arc<dyn Audit>) -> Arc<Self> {
        let (waits, gate) = Default::default();
        Arc::new(Self { inner, shut: AtomicBool::new(false), waits, gate })
    }

    pub fn shut(&self) {
        self.shut.store(true, Ordering::SeqCst);
    }

    pub fn open(&self) {
        self.shut.store(false, Ordering::SeqCst);
        self.gate.notify_waiters();
    }
}

impl Audit for Gated {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.inner.append(record)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async move {
            let opened = self.gate.notified();
            if self.shut.load(Ordering::SeqCst) {
                self.waits.notify_one();
                opened.await;
            }
            self.inner.durable().await
        })
    }
}
