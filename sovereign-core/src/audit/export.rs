use super::error::LogError;
use super::head::{Head, Slots};
use super::reader::{Verified, verify_in};
use super::scan::Scan;
use super::storage::Disk;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Writes the records in `directory` to `into`, line by line as they are on disk, over all files, each
/// checked against the chain; then says what [`verify`](super::verify) says.
///
/// # Errors
/// As [`verify`](super::verify), and when `into` does not take them. What was written until then is right.
///
/// # Example
/// ```
/// use sovereign_core::audit::{FileAudit, export};
/// use sovereign_core::clock::SystemClock;
/// # let home = tempfile::tempdir().unwrap();
/// # let directory = home.path().join("audit");
/// drop(FileAudit::open(&directory, &SystemClock::default()).unwrap());
/// let mut copy = Vec::new();
/// assert_eq!(export(&directory, &mut copy).unwrap().records, 0);
/// ```
pub fn export(directory: &Path, into: &mut dyn Write) -> Result<Verified, LogError> {
    let mut line = Vec::new();
    let verified = verify_in(Arc::new(Disk::reading(directory)?), None, &mut |record| {
        line.clear();
        // a record that was read spells the line that it was read from
        serde_json::to_writer(&mut line, record).map_err(|e| LogError::Export(e.into()))?;
        line.push(b'\n');
        into.write_all(&line).map_err(LogError::Export)
    })?;
    into.flush().map_err(LogError::Export)?;
    Ok(verified)
}

/// The last sealed record, to be kept off the device; none when no writer has been there yet.
///
/// Takes as long over a long log as over a short one: it checks that the log ends where the head says,
/// not what comes before.
///
/// # Errors
/// [`LogError::Damaged`] when the head, or the record that it names, is not what was written; else
/// when a file cannot be read.
pub fn export_head(directory: &Path) -> Result<Option<Head>, LogError> {
    let mut scan = Scan::behind_head(Arc::new(Disk::reading(directory)?))?;
    match scan.slots.clone() {
        Slots::Read { head, .. } => Ok(Some(head)),
        Slots::Missing | Slots::Unreadable => scan.finish().map(|_| None),
    }
}
