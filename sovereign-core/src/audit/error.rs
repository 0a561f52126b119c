use crate::files::{FileError, shown};
use std::path::PathBuf;

/// Why an audit log cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// Another process writes to it.
    #[error(
        "`{}` is in use by another process{}: only one may write there at a time",
        shown(directory),
        pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
    )]
    InUse {
        /// The log's directory.
        directory: PathBuf,
        /// Which process, when it says so.
        pid: Option<u32>,
    },
    /// It is not what was written.
    #[error("{0}")]
    Damaged(Damage),
    /// A file or directory cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// What it is exported to takes no more.
    #[error("the export cannot be written: {0}")]
    Export(std::io::Error),
    /// It could be opened, but takes no records.
    #[error(transparent)]
    Broken(#[from] super::AuditError),
}

/// The first place where a log is not what was written: tampering, unless the disk is broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the audit log is damaged at record {record}: `{}`, byte {offset}: {what}", shown(file))]
#[expect(clippy::exhaustive_structs, reason = "a report")]
pub struct Damage {
    /// The number of the first bad record.
    pub record: u64,
    /// The file it should be in; the head file when the log is whole and the head is not.
    pub file: PathBuf,
    /// Where in that file, in bytes.
    pub offset: u64,
    /// What is wrong there.
    pub what: String,
}
