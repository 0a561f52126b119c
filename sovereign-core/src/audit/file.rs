use super::durable::{Durable, gone};
use super::log::{Log, State};
use super::{Audit, AuditError, Record};
use crate::BoxFuture;
use std::fs::File;
use std::future::ready;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// How many idle waits a count is kept back at most: a minute, at one second each.
const QUOTA_WAITS: u32 = 60;

/// The log on disk: JSON lines, each chained to the one before, sealed by a head file.
///
/// [`FileAudit::open`] says what happens at start-up. One process writes to a directory at a time;
/// [`LogReader`](super::LogReader), [`verify`](super::verify), [`tail`](super::tail) and
/// [`stats`](super::stats) read beside it.
///
/// **Durable.** A thread of its own syncs: a lone caller of `durable` is served at once, by one
/// fdatasync, and those who come during a sync share the next one. Where a sync is about as fast as
/// waking a thread, a lone caller does it itself ([`LogOptions::in_place`](super::LogOptions::in_place)). The head is written when the log is
/// on the disk, and itself synced within a second: a crash of the program loses nothing of it, and a
/// power loss at most its last second, behind which the log is whole. What nobody asks for is sealed
/// within a second, and when the log is dropped.
///
/// **Full.** Space for its ending is reserved before a call begins. When there is no more space, calls
/// that are open can still end, and nothing else is taken; after any other refusal of the disk, nothing
/// is. Either is for good: nothing may then run that needs a record.
///
/// **Quota.** Of proposals that end at or before policy, and of refused logins, so many a minute are
/// listed ([`LogOptions`](super::LogOptions)), and the rest of the minute is counted in one record. A
/// crash loses that count, not a record.
pub struct FileAudit {
    log: Arc<Log>,
    sealer: Option<JoinHandle<()>>,
    /// Held as long as the log is open.
    _lock: File,
}

impl std::fmt::Debug for FileAudit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.log.lock();
        let mut shown = f.debug_struct("FileAudit");
        shown.field("records", &state.chain.n).field("sealed", &state.sealed);
        shown.field("failed", &state.failed).finish_non_exhaustive()
    }
}

impl FileAudit {
    /// Starts the thread; `lock` goes with the log.
    pub(super) fn run(log: Log, lock: File) -> Result<Self, AuditError> {
        let log = Arc::new(log);
        let work = Arc::clone(&log);
        let sealer = thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || seal_until_closed(&work))
            .map_err(|error| AuditError::new(format!("its thread does not start: {error}")))?;
        Ok(Self { log, sealer: Some(sealer), _lock: lock })
    }

    /// Whether the disk has refused something, so that the log takes no more records.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        self.degradation().is_some()
    }

    /// Why the log takes no more records, when it does not.
    #[must_use]
    pub fn degradation(&self) -> Option<AuditError> {
        self.log.lock().failed.clone()
    }

    /// How often the log was synced since it was opened.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.log.syncs()
    }
}

impl Audit for FileAudit {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.log.append(&record)
    }

    fn ready(&self) -> Result<(), AuditError> {
        self.degradation().map_or(Ok(()), Err)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        match self.log.durable() {
            Durable::Already => Box::pin(ready(self.ready())),
            Durable::Awaits(done) => Box::pin(async { done.await.unwrap_or_else(|_| Err(gone())) }),
            Durable::Alone(alone) => Box::pin(alone.seal()),
        }
    }
}

impl Drop for FileAudit {
    fn drop(&mut self) {
        self.log.lock().closing = true;
        self.log.work.notify_one();
        if let Some(sealer) = self.sealer.take() {
            // the lock goes only after the last seal
            drop(sealer.join());
        }
    }
}

fn seal_until_closed(log: &Log) {
    let mut state = log.lock();
    let (mut overdue, mut waits) = (false, 0_u32);
    loop {
        if state.sealing {
            // a lone caller is at it, and calls when more is to be done
            state = sleep(log, state);
            continue;
        }
        let holding = state.quota.is_holding();
        if holding && (state.closing || waits >= QUOTA_WAITS) {
            waits = 0;
            log.flush_quota(&mut state);
        }
        let behind = state.is_behind();
        let head = state.failed.is_none() && log.head_is_unsynced();
        if behind && (overdue || state.closing || !state.waiting.is_empty()) {
            overdue = false;
            state = log.seal(state);
        } else if state.closing {
            if state.failed.is_none() {
                log.sync_head(&mut state, true);
            }
            return;
        } else if behind || head || holding {
            let woken = log.work.wait_timeout(state, log.options.idle);
            let (woken, timeout) = woken.unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if timeout.timed_out() {
                waits = if holding { waits.saturating_add(1) } else { 0 };
                // also what came meanwhile, which called nobody
                let behind = state.is_behind();
                overdue = behind;
                if head && !behind && !state.sealing {
                    log.sync_head(&mut state, false);
                }
            }
        } else {
            state = sleep(log, state);
        }
    }
}

/// Until somebody calls.
fn sleep<'a>(log: &Log, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    state.asleep = true;
    let mut state = log.work.wait(state).unwrap_or_else(PoisonError::into_inner);
    state.asleep = false;
    state
}
