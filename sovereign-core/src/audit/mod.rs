//! What is written down: ids, classes, points, codes, sizes; never arguments or results.
//!
//! Owns the records and the promise of a sink. It does not decide what is recorded: the
//! [executor](crate::executor) does. [`FileAudit`] is the log on disk: chained JSON lines with a head
//! file; it detects partial edits and crashes, not somebody who rewrites all of it as the same user.
mod activity;
mod backward;
mod chain;
mod closed;
mod durable;
mod error;
mod export;
mod file;
mod head;
mod lines;
mod log;
mod options;
mod quota;
mod reader;
mod recent;
mod record;
mod scan;
mod start;
mod stats;
mod storage;
mod stored;
mod writer;

pub use activity::{Activity, Bucket, activity};
pub use closed::Closed;
pub use error::{Damage, LogError};
pub use export::{export, export_head};
pub use file::FileAudit;
pub use head::{Head, OpenCall};
pub use options::LogOptions;
pub use reader::{LogReader, Verified, verify, verify_against};
pub use recent::{RecordFilter, RecordKind, RecordPage, recent, tail};
pub use record::{
    AccountChange, Administrative, AdministrativeRecord, CallRecord, Mark, Named, OutcomeKind,
    Point, Record, Stage, Unlisted,
};
pub use start::{Notice, Opened, RESTART};
pub use stats::{Accuracy, Counts, Stats, stats};
pub use stored::{StoredCall, StoredEntry, StoredEvent, StoredRecord, Word};
pub use writer::writer;

use crate::BoxFuture;

/// The log takes no more records; nothing that needs a record may then run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the audit log takes no records: {reason}")]
pub struct AuditError {
    reason: String,
}

impl AuditError {
    /// With the reason an operator reads.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// A sink for audit records, in two steps.
///
/// `append` orders a record at once, so that even a drop can write its ending; `durable` waits for the
/// disk, so that a begin record can stand before its effect and many callers can share one sync.
///
/// **What every sink promises**, and `testing::audit_conformance` asks of one:
/// 1. *Order.* Records stand in the order in which `append` was called, also from many threads, each
///    once and whole.
/// 2. *Without waiting.* `append` returns though nobody polls anything: it is called from a drop.
/// 3. *Durable means durable.* When `durable` returns `Ok`, everything whose `append` returned before
///    `durable` was called outlives a crash of the program and of the machine.
/// 4. *No silent loss.* A record for which `append` returned `Ok` is in the log after an orderly end.
///    A sink may count what ended at or before policy instead of listing it, when one kind of caller
///    has too much of it in a minute; it then says how many. Nothing of a call that passed policy is
///    left out.
/// 5. *Closed for good.* After an error of `append` or `durable` that is about the sink itself, `ready`
///    is an error too, and stays one: nothing runs then.
/// 6. *Dropping a `durable` future* changes nothing for anybody else.
///
/// What it does not promise: that somebody with the same user id cannot write another log. For that,
/// keep the head off the device ([`export_head`]) or send the records elsewhere.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an audit log",
    label = "not something that records are appended to",
    note = "pass a `FileAudit`, or `testing::MemoryAudit` in tests"
)]
pub trait Audit: Send + Sync + 'static {
    /// Puts `record` behind all earlier ones.
    ///
    /// # Errors
    /// When the log takes no more records: what the record is about must not happen.
    fn append(&self, record: Record) -> Result<(), AuditError>;

    /// Whether the log takes records now; asked before what runs without a begin record.
    ///
    /// # Errors
    /// When it does not: nothing may then run.
    fn ready(&self) -> Result<(), AuditError> {
        Ok(())
    }

    /// Ends when everything appended before the call is on the disk.
    ///
    /// # Errors
    /// When the disk did not take it; the log takes no more records then.
    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>>;
}

#[cfg(test)]
mod tests;
