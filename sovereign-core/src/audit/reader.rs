use super::error::{Damage, LogError};
use super::head::Head;
use super::scan::Scan;
use super::storage::{Disk, Storage};
use super::stored::StoredRecord;
use std::path::Path;
use std::sync::Arc;

/// Reads a log from its first record on, checking each against the chain and the head.
///
/// Takes no lock and never waits for a writer: at the end of what is written whole, it ends.
pub struct LogReader {
    scan: Scan,
    ended: bool,
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LogReader(at {})", self.scan.chain.n)
    }
}

impl LogReader {
    /// Opens the log in `directory`.
    ///
    /// # Errors
    /// When the directory or a file in it cannot be read or is not private to this user, or the head
    /// does not fit an empty log.
    pub fn open(directory: &Path) -> Result<Self, LogError> {
        Ok(Self { scan: Scan::begin(Arc::new(Disk::reading(directory)?))?, ended: false })
    }

    /// How many calls have begun or wait for a decision, and have no end in what was read so far.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.scan.chain.open.len()
    }
}

impl Iterator for LogReader {
    type Item = Result<StoredRecord, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.scan.next().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

/// A log that is what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many records it holds.
    pub records: u64,
    /// The last sealed one; none when no writer has been there yet. Records above it are whole and
    /// chained, but could be cut off unseen.
    pub head: Option<Head>,
    /// Whether it ends in an unfinished line, or one of the head's two slots is unfinished: a writer is
    /// at it, or was when it crashed.
    pub unfinished: bool,
}

/// Checks the whole log in `directory` against its chain and its head.
///
/// It detects partial edits and crashes. Whoever can write as the same user can make a new chain with
/// a new head: against that, compare [`Verified::head`] with one kept off the device.
///
/// # Errors
/// [`LogError::Damaged`] with the first bad record; else when something cannot be read.
pub fn verify(directory: &Path) -> Result<Verified, LogError> {
    verify_in(Arc::new(Disk::reading(directory)?), None, &mut |_| Ok(()))
}

/// The same, and that the log goes on from a head that was kept off the device: it holds that record,
/// with that hash. Nobody can rewrite what is at or below it.
///
/// # Errors
/// As [`verify`]; [`LogError::Damaged`] at the kept head's record when the log does not hold it.
pub fn verify_against(directory: &Path, kept: &Head) -> Result<Verified, LogError> {
    verify_in(Arc::new(Disk::reading(directory)?), Some(kept), &mut |_| Ok(()))
}

pub(super) fn verify_in(
    storage: Arc<dyn Storage>,
    kept: Option<&Head>,
    each: &mut dyn FnMut(&StoredRecord) -> Result<(), LogError>,
) -> Result<Verified, LogError> {
    let mut scan = Scan::begin(storage)?;
    loop {
        if let Some(kept) = kept.filter(|kept| kept.n == scan.chain.n)
            && *kept != scan.chain.head()
        {
            return Err(not_kept(&scan, kept, "is not the one in the kept head").into());
        }
        match scan.next()? {
            Some(record) => each(&record)?,
            None => break,
        }
    }
    let tail = scan.finish()?;
    if let Some(torn) = tail.as_ref().filter(|tail| !tail.growing) {
        return Err(scan.damage(torn.what).into());
    }
    if let Some(kept) = kept.filter(|kept| kept.n > scan.chain.n) {
        return Err(not_kept(&scan, kept, "is missing, though the kept head names it").into());
    }
    let unfinished = tail.is_some() || scan.slots.is_torn();
    Ok(Verified { records: scan.chain.n, head: scan.slots.head().cloned(), unfinished })
}

fn not_kept(scan: &Scan, kept: &Head, what: &str) -> Damage {
    let damage = scan.damage(what);
    Damage { record: damage.record.min(kept.n), ..damage }
}
