use super::backward::Backward;
use super::error::LogError;
use super::storage::Disk;
use super::stored::{StoredEntry, StoredRecord};
use super::{OutcomeKind, Point};
use std::path::Path;
use std::sync::Arc;

/// How many records one page looks at, at most: a filter that nothing fits ends in time.
const MOST: usize = 50_000;

/// Which records a list shows; every part that is set has to fit.
///
/// # Example
/// ```
/// use sovereign_core::audit::{OutcomeKind, RecordFilter};
/// let refused = RecordFilter::default().outcome(OutcomeKind::Refused).capability("web.fetch");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct RecordFilter {
    kind: Option<RecordKind>,
    outcome: Option<&'static str>,
    point: Option<&'static str>,
    capability: Option<String>,
    call: Option<String>,
}

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are two")]
pub enum RecordKind {
    /// A proposal.
    Call,
    /// The node itself.
    Administrative,
}

impl RecordFilter {
    /// Of this kind.
    pub const fn kind(mut self, kind: RecordKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Ends with this outcome.
    pub const fn outcome(mut self, outcome: OutcomeKind) -> Self {
        self.outcome = Some(outcome.word());
        self
    }

    /// Calls at this point.
    pub const fn point(mut self, point: Point) -> Self {
        self.point = Some(point.word());
        self
    }

    /// Calls of this capability, in every version; `unregistered` is one, too.
    pub fn capability(mut self, name: impl Into<String>) -> Self {
        self.capability = Some(name.into());
        self
    }

    /// The story of one call, by its audit id.
    pub fn call(mut self, audit_id: impl Into<String>) -> Self {
        self.call = Some(audit_id.into());
        self
    }

    /// Whether `record` is one of them.
    #[must_use]
    pub fn fits(&self, record: &StoredRecord) -> bool {
        let of_calls = self.outcome.is_some()
            || self.point.is_some()
            || self.capability.is_some()
            || self.call.is_some();
        match &record.entry {
            StoredEntry::Administrative(_) => !of_calls && self.kind != Some(RecordKind::Call),
            StoredEntry::Call(call) => {
                self.kind != Some(RecordKind::Administrative)
                    && self.outcome.is_none_or(|outcome| call.outcome.as_deref() == Some(outcome))
                    && self.point.is_none_or(|point| call.point == point)
                    && self.capability.as_ref().is_none_or(|name| call.capability == *name)
                    && self.call.as_ref().is_none_or(|id| call.id == *id)
            }
        }
    }
}

/// One page of a list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordPage {
    /// Those that fit.
    pub records: Vec<StoredRecord>,
    /// The page behind this one has the records in front of this number; none: there are no more. A
    /// page may be short, or empty, and still have one behind it.
    pub before: Option<u64>,
}

/// The last `count` records that fit, newest first, of those in front of number `before`.
///
/// Reads from the end, and no more than it has to: what it gives is checked by its own hash and against
/// its neighbours and the head, and the rest of the log is not looked at ([`verify`](super::verify) does
/// that). Takes no lock and never waits for a writer.
///
/// # Errors
/// [`LogError::Damaged`] when a record on the way is not what was written; else when something cannot be
/// read.
///
/// # Example
/// ```
/// use sovereign_core::audit::{FileAudit, RecordFilter, recent};
/// use sovereign_core::clock::SystemClock;
/// # let home = tempfile::tempdir().unwrap();
/// # let directory = home.path().join("audit");
/// drop(FileAudit::open(&directory, &SystemClock::default()).unwrap());
/// let page = recent(&directory, &RecordFilter::default(), 20, None).unwrap();
/// assert!(page.records.is_empty() && page.before.is_none());
/// ```
pub fn recent(
    directory: &Path,
    filter: &RecordFilter,
    count: usize,
    before: Option<u64>,
) -> Result<RecordPage, LogError> {
    let mut page = RecordPage::default();
    let Some(mut log) = Backward::open(Arc::new(Disk::reading(directory)?))? else {
        return Ok(page);
    };
    if let Some(before) = before {
        log.skip_to(before)?;
    }
    let mut looked = 0_usize;
    while let Some(record) = log.next()? {
        if before.is_some_and(|before| record.n >= before) {
            continue;
        }
        if page.records.len() >= count || looked >= MOST {
            page.before = record.n.checked_add(1);
            break;
        }
        looked = looked.saturating_add(1);
        if filter.fits(&record) {
            page.records.push(record);
        }
    }
    Ok(page)
}

/// The last `count` records, oldest first.
///
/// # Errors
/// As for [`recent`].
pub fn tail(directory: &Path, count: usize) -> Result<Vec<StoredRecord>, LogError> {
    let Some(mut log) = Backward::open(Arc::new(Disk::reading(directory)?))? else {
        return Ok(Vec::new());
    };
    let mut last = Vec::new();
    while last.len() < count
        && let Some(record) = log.next()?
    {
        last.push(record);
    }
    last.reverse();
    Ok(last)
}
