use super::chain::{Chain, file_name};
use super::durable::Lone;
use super::head::{HeadFile, MAX_OPEN};
use super::options::LogOptions;
use super::quota::Quota;
use super::storage::{LogFile, Storage, system};
use super::stored::{StoredCall, StoredEntry, store};
use super::{AuditError, Mark, Record};
use crate::clock::{Clock, SystemClock};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Space kept free for the ending of each open call: more than any record takes.
const ENDING: u64 = 1024;

/// Space asked for at once, so that not every record asks the disk.
const CHUNK: u64 = 1 << 16;

/// So many seals may pass until the head is synced, when nobody leaves the log in peace.
const HEAD_EVERY: u32 = 64;

/// The writer's side of a log: one chain, over one file at a time.
pub(super) struct Log {
    storage: Arc<dyn Storage>,
    state: Mutex<State>,
    head: Mutex<HeadFile>,
    pub(super) work: Condvar,
    pub(super) options: LogOptions,
    syncs: AtomicU64,
    /// Tells how long a sync takes, and nothing that is written down.
    timer: SystemClock,
}

pub(super) struct State {
    pub(super) chain: Chain,
    file: Arc<dyn LogFile>,
    /// A file that the log left since the last seal, and whose end is not synced.
    left: Option<Arc<dyn LogFile>>,
    /// Where the next file is due.
    due: u64,
    /// Up to where there is space in the file.
    reserved: u64,
    /// The last record that is on the disk with a head that names it.
    pub(super) sealed: u64,
    pub(super) failed: Option<AuditError>,
    /// Failed for want of space alone: what is open may still end.
    full: bool,
    pub(super) quota: Quota,
    pub(super) waiting: Vec<Waiting>,
    pub(super) closing: bool,
    /// The thread sleeps until it is called.
    pub(super) asleep: bool,
    /// Somebody syncs, and has let go of the lock for it.
    pub(super) sealing: bool,
    /// Who may sync in place.
    pub(super) lone: Lone,
    since_head: u32,
}

/// Somebody who waits until record `n` is on the disk.
pub(super) struct Waiting {
    pub(super) n: u64,
    pub(super) done: oneshot::Sender<Result<(), AuditError>>,
}

impl Log {
    /// Goes on behind `chain`, of which everything up to `sealed` is sealed.
    pub(super) fn behind(
        chain: Chain,
        sealed: u64,
        storage: Arc<dyn Storage>,
        file: Box<dyn LogFile>,
        head: HeadFile,
        options: LogOptions,
    ) -> Self {
        let state = State {
            chain,
            file: file.into(),
            left: None,
            due: options.file_bytes,
            reserved: 0,
            sealed,
            failed: None,
            full: false,
            quota: Quota::new(options.refusals_a_minute),
            waiting: Vec::new(),
            closing: false,
            asleep: false,
            sealing: false,
            lone: Lone::default(),
            since_head: 0,
        };
        let (state, head) = (Mutex::new(state), Mutex::new(head));
        let (syncs, timer) = (AtomicU64::new(0), SystemClock::default());
        Self { storage, state, head, work: Condvar::new(), options, syncs, timer }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    /// Orders a record, unless its kind has had enough of this minute.
    pub(super) fn append(&self, record: &Record) -> Result<(), AuditError> {
        let at = match record {
            Record::Call(call) => call.at,
            Record::Administrative(event) => event.at,
        };
        let mut state = self.lock();
        let clean = !state.is_behind();
        for summary in state.quota.over(at) {
            let (at, entry) = store(&summary);
            self.write(&mut state, at, entry)?;
        }
        // what the log says is open ends in the log, wherever: a count would leave it open for ever
        let known = matches!(record, Record::Call(call) if state.chain.has_open(call.id));
        if state.failed.is_none() && !known && state.quota.holds_back(record) {
            self.call(state);
            return Ok(());
        }
        let (at, entry) = store(record);
        let written = self.write(&mut state, at, entry);
        if clean && written.is_ok() {
            self.call(state);
        }
        written
    }

    /// Writes down what the quota has counted.
    pub(super) fn flush_quota(&self, state: &mut State) {
        for summary in state.quota.flush() {
            let (at, entry) = store(&summary);
            // a log that takes no more has said so to everybody
            drop(self.write(state, at, entry));
        }
    }

    pub(super) fn write(
        &self,
        state: &mut State,
        at: String,
        entry: StoredEntry,
    ) -> Result<(), AuditError> {
        let ends = state.chain.ends(&entry);
        if let Some(failed) = &state.failed
            && !(state.full && ends)
        {
            return Err(failed.clone());
        }
        if opens(&entry) && state.chain.open.len() >= MAX_OPEN {
            return Err(AuditError::new(format!("{MAX_OPEN} calls are open already")));
        }
        if state.chain.offset >= state.due && state.left.is_none() {
            self.turn_over(state, &at)?;
        }
        self.put(state, at, entry)
    }

    /// One line behind the others.
    fn put(&self, state: &mut State, at: String, entry: StoredEntry) -> Result<(), AuditError> {
        let ends = state.chain.ends(&entry);
        let adds = usize::from(opens(&entry));
        let Some((line, record)) = state.chain.seal(at, entry) else {
            return Err(state.fail("a record does not fit a line".to_owned()));
        };
        let offset = state.chain.offset;
        let end = offset.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        let open = state.chain.open.len().saturating_add(adds);
        // an ending has its space since the call began
        if !ends && let Err(error) = state.reserve(end, open) {
            return Err(state.fill(&error));
        }
        // behind a cut, or over what somebody else wrote, it would be no record of this chain
        match state.file.len() {
            Ok(len) if len == offset => {}
            Ok(_) => return Err(state.fail("its file was cut or written by others".to_owned())),
            Err(error) => return Err(state.fail(format!("its file is gone: {error}"))),
        }
        if let Err(error) = state.file.write_at(&line, offset) {
            // best effort: what stays is a torn tail, which the next start moves aside
            drop(state.file.cut(offset));
            return Err(state.fail(format!("the disk refused a record: {error}")));
        }
        let file = state.chain.file;
        state.chain.advance(&record, file, offset, line.len());
        Ok(())
    }

    /// Goes on in the next file, with what is open in front. Where that file cannot be made, the log
    /// goes on in this one.
    fn turn_over(&self, state: &mut State, at: &str) -> Result<(), AuditError> {
        let (name, len) = (file_name(state.chain.file), state.chain.offset);
        // else the next file would stand in a directory that is not the log's
        if let Err(error) = self.is_in_place(&name, len, &*state.file) {
            return Err(state.fail(format!("the disk did not keep a record: {error}")));
        }
        state.due = state.chain.offset.saturating_add(self.options.file_bytes);
        let number = state.chain.file.saturating_add(1);
        let open: Vec<StoredCall> = state.chain.open.values().map(|o| o.call.clone()).collect();
        let made = self.storage.create(&file_name(number)).map_err(system).and_then(|file| {
            if file.len()? > 0 {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            let reserved = space(0, open.len().saturating_mul(2)).saturating_add(CHUNK);
            file.reserve(0, reserved)?;
            Ok((file, reserved))
        });
        let Ok((file, reserved)) = made else { return Ok(()) };
        state.left = Some(std::mem::replace(&mut state.file, file.into()));
        state.chain.file = number;
        state.chain.offset = 0;
        state.reserved = reserved;
        state.due = self.options.file_bytes;
        for call in open {
            let entry = StoredEntry::Call(StoredCall { carried: true, ..call });
            self.put(state, at.to_owned(), entry)?;
        }
        Ok(())
    }

    /// Wakes the thread, if it would otherwise sleep on: what is new has to be sealed some time.
    fn call(&self, state: MutexGuard<'_, State>) {
        let asleep = state.asleep;
        drop(state);
        if asleep {
            self.work.notify_one();
        }
    }

    /// One sync and one head for all that is written; the lock is free meanwhile, and nobody else seals.
    pub(super) fn seal<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let head = state.chain.head();
        let (file, left) = (Arc::clone(&state.file), state.left.clone());
        state.since_head = state.since_head.saturating_add(1);
        let head_too = state.since_head >= HEAD_EVERY;
        state.sealing = true;
        drop(state);
        let start = self.timer.now();
        let synced = self.sync_log(&*file, left.as_deref());
        let took = self.timer.now().since(start);
        let kept = synced.and_then(|()| self.is_in_place(&head.file, head.offset, &*file));
        let sealed = kept.and_then(|()| {
            let mut slots = self.head.lock().unwrap_or_else(PoisonError::into_inner);
            slots.write(&head)?;
            if head_too { slots.sync() } else { Ok(()) }
        });
        let mut state = self.lock();
        state.sealing = false;
        let asked = state.waiting.len();
        state.lone.learn(took, asked);
        match sealed {
            Ok(()) => {
                state.sealed = head.n;
                if left.is_some() {
                    state.left = None;
                }
                if head_too {
                    state.since_head = 0;
                }
                let (served, later): (Vec<_>, Vec<_>) =
                    std::mem::take(&mut state.waiting).into_iter().partition(|w| w.n <= head.n);
                state.waiting = later;
                // whoever no longer listens needs no answer
                served.into_iter().for_each(|w| drop(w.done.send(Ok(()))));
            }
            Err(error) => {
                state.full = false;
                state.fail(format!("the disk did not keep a record: {error}"));
            }
        }
        state
    }

    /// First the end of the file before, then the name of the new one, then the new one.
    fn sync_log(&self, file: &dyn LogFile, left: Option<&dyn LogFile>) -> io::Result<()> {
        if let Some(left) = left {
            left.sync()?;
            self.storage.sync().map_err(system)?;
        }
        self.syncs.fetch_add(1, Ordering::Relaxed);
        file.sync()
    }

    /// A log that somebody moved away, removed or cut while it was written is one that nobody will find.
    fn is_in_place(&self, name: &str, len: u64, file: &dyn LogFile) -> io::Result<()> {
        let there = self.storage.identity(name)?;
        if file.identity()? == there && file.len()? >= len {
            return Ok(());
        }
        Err(io::Error::other("its file was moved, removed or cut"))
    }

    /// Whether the head has changed since it was last synced.
    pub(super) fn head_is_unsynced(&self) -> bool {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).is_unsynced()
    }

    /// Makes the head as durable as the log; `settle` when the log is left alone after it.
    pub(super) fn sync_head(&self, state: &mut State, settle: bool) {
        let mut slots = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        state.since_head = 0;
        let done = if settle && state.chain.n == state.sealed {
            slots.settle(&state.chain.head())
        } else {
            slots.sync()
        };
        if let Err(error) = done {
            state.full = false;
            state.fail(format!("the disk did not keep the head: {error}"));
        }
    }
}

impl State {
    /// Whether the next seal is one sync and nothing besides.
    pub(super) const fn is_plain(&self) -> bool {
        self.left.is_none() && self.since_head.saturating_add(1) < HEAD_EVERY
    }

    /// Whether something is not sealed that can be.
    pub(super) const fn is_behind(&self) -> bool {
        (self.failed.is_none() || self.full) && self.chain.n > self.sealed
    }

    /// Space for a record that ends at `end`, and for the endings of `open` calls behind it.
    fn reserve(&mut self, end: u64, open: usize) -> io::Result<()> {
        let needs = space(end, open);
        if needs <= self.reserved {
            return Ok(());
        }
        let from = self.chain.offset;
        let ahead = needs.saturating_add(CHUNK);
        for up_to in [ahead, needs] {
            match self.file.reserve(from, up_to.saturating_sub(from)) {
                Ok(()) => {
                    self.reserved = up_to;
                    return Ok(());
                }
                Err(error) if up_to == needs => return Err(error),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// From here on nothing is taken; whoever waits learns it.
    pub(super) fn fail(&mut self, reason: String) -> AuditError {
        let failed = self.failed.get_or_insert_with(|| AuditError::new(reason)).clone();
        self.full = false;
        for waiting in std::mem::take(&mut self.waiting) {
            drop(waiting.done.send(Err(failed.clone())));
        }
        failed
    }

    /// From here on only what is open may end.
    fn fill(&mut self, error: &io::Error) -> AuditError {
        let reason = format!("the disk has no space for a record: {error}");
        self.full = true;
        self.failed.get_or_insert_with(|| AuditError::new(reason)).clone()
    }
}

fn opens(entry: &StoredEntry) -> bool {
    let marks = [Mark::Begin, Mark::AwaitingConfirmation].map(Mark::word);
    matches!(entry, StoredEntry::Call(call) if marks.contains(&&*call.mark))
}

fn space(end: u64, open: usize) -> u64 {
    let open = u64::try_from(open).unwrap_or(u64::MAX);
    end.saturating_add(ENDING.saturating_mul(open))
}
