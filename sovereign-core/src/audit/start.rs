use super::chain::{Chain, file_name};
use super::error::LogError;
use super::file::FileAudit;
use super::head::{HEAD, HeadFile, Slots};
use super::log::{Log, State};
use super::options::LogOptions;
use super::scan::Scan;
use super::storage::{Disk, LogFile, Storage};
use super::stored::{StoredCall, StoredEntry, Word, store, time};
use super::{Administrative, AdministrativeRecord, Mark, OutcomeKind, Point, Record, Stage};
use crate::clock::Clock;
use crate::files::{FileError, doing, open_private_with, shown};
use rustix::fs::{FlockOperation, OFlags, flock};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The code of what the last run left open and start-up ended.
pub const RESTART: &str = "restart";

/// A log that is open for writing, and what had to be done for that.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The log.
    pub audit: FileAudit,
    /// What an operator has to be told.
    pub notices: Vec<Notice>,
}

/// Something that opening a log found and dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A crash had left something behind the last good record: it was moved aside.
    TornTail {
        /// The number that the torn record would have had.
        record: u64,
        /// How many bytes.
        bytes: u64,
        /// Where they are now.
        moved_to: PathBuf,
    },
    /// Calls had begun without an end: they are `unknown_effect` now.
    ClosedCalls {
        /// Their audit ids.
        ids: Vec<String>,
    },
    /// Decisions were waiting: they are `void` now, and nothing of them ran.
    VoidedDecisions {
        /// Their audit ids.
        ids: Vec<String>,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TornTail { record, bytes, moved_to } => write!(
                f,
                "the audit log was torn at record {record}: {bytes} bytes were moved to `{}`",
                shown(moved_to)
            ),
            Self::ClosedCalls { ids } => write!(
                f,
                "cut off by the last stop, it is unknown what they did: {}",
                ids.join(", ")
            ),
            Self::VoidedDecisions { ids } => {
                write!(
                    f,
                    "waited for a decision at the last stop, not executed: {}",
                    ids.join(", ")
                )
            }
        }
    }
}

impl FileAudit {
    /// Opens the log in `directory` (0700, created when missing) for writing.
    ///
    /// **Files**: `000001.jsonl`, `000002.jsonl`, … with the records, `head` with the last sealed one,
    /// `lock`; all 0600.
    ///
    /// Takes the writer's lock, goes on at the record that the head names, moves what a crash left
    /// behind it to files with `.torn-` in their names, and ends what the last run left open: calls
    /// that had begun as `unknown_effect`, decisions that waited as `void`, with the code `restart`
    /// (C-16). What is below the head is not read, so that a start takes as long over a long log as
    /// over a short one; [`verify`](super::verify) reads it. Blocks on the disk.
    ///
    /// # Errors
    /// [`LogError::InUse`] when another process writes there; [`LogError::Damaged`] when the head, the
    /// record that it names or an open one is not what was written: nothing is changed then. Else when
    /// a file cannot be used.
    ///
    /// # Example
    /// ```
    /// use sovereign_core::audit::{Audit, FileAudit, verify};
    /// use sovereign_core::clock::SystemClock;
    /// let home = tempfile::tempdir().unwrap();
    /// let directory = home.path().join("audit");
    /// let opened = FileAudit::open(&directory, &SystemClock::default()).unwrap();
    /// assert!(opened.notices.is_empty());
    /// assert_eq!(verify(&directory).unwrap().records, 0);
    /// ```
    pub fn open(directory: &Path, clock: &dyn Clock) -> Result<Opened, LogError> {
        Self::open_with(directory, clock, LogOptions::default())
    }

    /// The same, kept in another way.
    ///
    /// # Errors
    /// As [`FileAudit::open`].
    pub fn open_with(
        directory: &Path,
        clock: &dyn Clock,
        options: LogOptions,
    ) -> Result<Opened, LogError> {
        open(directory, clock, options, |disk| disk)
    }
}

/// With what stands between the log and the disk.
pub(super) fn open<S: Storage>(
    directory: &Path,
    clock: &dyn Clock,
    options: LogOptions,
    through: impl FnOnce(Disk) -> S,
) -> Result<Opened, LogError> {
    let disk = Disk::writing(directory)?;
    let lock = lock(directory)?;
    let (log, notices) = start(Arc::new(through(disk)), clock, options)?;
    Ok(Opened { audit: FileAudit::run(log, lock)?, notices })
}

/// A log to go on with, in which nothing is open.
pub(super) fn start(
    storage: Arc<dyn Storage>,
    clock: &dyn Clock,
    options: LogOptions,
) -> Result<(Log, Vec<Notice>), LogError> {
    let mut scan = Scan::behind_head(Arc::clone(&storage))?;
    let torn = scan.finish()?.is_some();
    let fresh = scan.is_fresh();
    let (chain, slots) = (scan.chain, scan.slots);
    let (head, head_torn) = match (slots, storage.open(HEAD)?) {
        (Slots::Read { at, torn, .. }, Some(file)) if !fresh => (HeadFile::resume(file, at), torn),
        // first the head, so that a log without one has always lost it
        _ => (HeadFile::create(&*storage, &chain.head())?, false),
    };
    let sealed = if fresh { 0 } else { scan.sealed };
    let mut notices = Vec::new();
    if torn {
        quarantine(&*storage, &chain, &mut notices)?;
    }
    let file = storage.create(&file_name(chain.file))?;
    storage.sync()?;
    let cut_off: Vec<StoredCall> = chain.open.values().map(|open| open.call.clone()).collect();
    let log = Log::behind(chain, sealed, storage, file, head, options);
    let mut state = log.lock();
    if torn {
        let torn = |notice: &Notice| match notice {
            Notice::TornTail { bytes, .. } => *bytes,
            Notice::ClosedCalls { .. } | Notice::VoidedDecisions { .. } => 0,
        };
        let bytes = notices.iter().map(torn).fold(0, u64::saturating_add);
        let event = Administrative::TailQuarantined { bytes };
        let record = AdministrativeRecord { at: clock.wall(), boot: None, event };
        let (at, entry) = store(&Record::Administrative(record));
        log.write(&mut state, at, entry)?;
    }
    notices.extend(close(&log, &mut state, cut_off, clock)?);
    if state.is_behind() {
        state = log.seal(state);
        log.sync_head(&mut state, true);
    } else if head_torn {
        log.sync_head(&mut state, true);
    }
    if let Some(failed) = &state.failed {
        return Err(failed.clone().into());
    }
    drop(state);
    Ok((log, notices))
}

/// Ends what the last run left open.
fn close(
    log: &Log,
    state: &mut State,
    open: Vec<StoredCall>,
    clock: &dyn Clock,
) -> Result<Vec<Notice>, LogError> {
    let (mut begun, mut waiting) = (Vec::new(), Vec::new());
    for call in open {
        let (ids, outcome, stage) = if call.mark == "begin" {
            (&mut begun, OutcomeKind::UnknownEffect, Stage::Execute)
        } else {
            (&mut waiting, OutcomeKind::Void, Stage::Confirm)
        };
        ids.push(call.id.clone());
        let ended = StoredCall {
            point: Point::At(stage).word().into(),
            mark: Mark::End(outcome).word().into(),
            outcome: Some(outcome.word().into()),
            code: Some(Word::Borrowed(RESTART)),
            carried: false,
            ..call
        };
        log.write(state, time(clock.wall()), StoredEntry::Call(ended))?;
    }
    let mut notices = Vec::new();
    if !begun.is_empty() {
        notices.push(Notice::ClosedCalls { ids: begun });
    }
    if !waiting.is_empty() {
        notices.push(Notice::VoidedDecisions { ids: waiting });
    }
    Ok(notices)
}

/// The one writer's lock; it goes with the process, however that ends.
fn lock(directory: &Path) -> Result<File, LogError> {
    let path = directory.join("lock");
    let mut file = open_private_with(&path, OFlags::RDWR | OFlags::CREATE)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
            let mut pid = String::new();
            // who it is, is only a help
            drop(file.take(16).read_to_string(&mut pid));
            let (directory, pid) = (directory.to_owned(), pid.trim().parse().ok());
            return Err(LogError::InUse { directory, pid });
        }
        Err(e) => return Err(doing("lock", &path)(e.into()).into()),
    }
    let note = |file: &mut File| {
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())
    };
    note(&mut file).map_err(doing("write", &path))?;
    Ok(file)
}

/// Moves what stands behind the last good record to files of its own: a later file as a whole, the rest
/// of the last one as a copy, and the log is cut when that is on the disk.
fn quarantine(
    storage: &dyn Storage,
    chain: &Chain,
    notices: &mut Vec<Notice>,
) -> Result<(), FileError> {
    let record = chain.n.saturating_add(1);
    let mut number = chain.file.saturating_add(1);
    while let Some(file) = storage.open(&file_name(number))? {
        let name = file_name(number);
        let bytes = file.len().map_err(doing("look at", &storage.path(&name)))?;
        if bytes > 0 {
            let aside = free_name(storage, &name, record)?;
            storage.rename(&name, &aside)?;
            notices.push(Notice::TornTail { record, bytes, moved_to: storage.path(&aside) });
        }
        number = number.saturating_add(1);
    }
    storage.sync()?;
    let name = file_name(chain.file);
    let Some(log) = storage.open(&name)? else { return Ok(()) };
    let path = storage.path(&name);
    let len = log.len().map_err(doing("look at", &path))?;
    let bytes = len.saturating_sub(chain.offset);
    if bytes == 0 {
        return Ok(());
    }
    let aside = free_name(storage, &name, record)?;
    let copy = storage.create(&aside)?;
    copy_from(&*log, chain.offset, &*copy).map_err(doing("copy", &path))?;
    storage.sync()?;
    log.cut(chain.offset).and_then(|()| log.sync()).map_err(doing("cut", &path))?;
    notices.push(Notice::TornTail { record, bytes, moved_to: storage.path(&aside) });
    Ok(())
}

fn copy_from(from: &dyn LogFile, start: u64, to: &dyn LogFile) -> io::Result<()> {
    let mut block = vec![0; 1 << 16];
    let mut done = 0_u64;
    loop {
        let read = from.read_at(&mut block, start.saturating_add(done))?;
        if read == 0 {
            return to.sync();
        }
        to.write_at(block.get(..read).unwrap_or_default(), done)?;
        done = done.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
    }
}

fn free_name(storage: &dyn Storage, name: &str, record: u64) -> Result<String, FileError> {
    let mut aside = format!("{name}.torn-{record:06}");
    let mut i = 1_u32;
    while storage.open(&aside)?.is_some() {
        i = i.saturating_add(1);
        aside = format!("{name}.torn-{record:06}-{i}");
    }
    Ok(aside)
}
