use super::storage::{Disk, Storage};
use super::{HistoryKey, Transcript, format};
use crate::caller::CallerScope;
use crate::files::{FileError, check_private_dir, shown};
use std::path::{Path, PathBuf};

/// Why a transcript cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no whole transcript. The program that opens it for a conversation sets it aside.
    #[error("the transcript `{}` is damaged: {why}", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file or its directory cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

/// This caller's own transcript in `directory` as it is on the disk, beside whoever writes there:
/// nothing is locked, repaired or set aside. Empty when nothing is kept.
///
/// # Errors
/// When the file cannot be read, is not private to this user, or is no whole transcript.
///
/// # Example
/// ```
/// use sovereign_core::caller::CallerScope;
/// use sovereign_core::history;
/// # let home = tempfile::tempdir().unwrap();
/// let alice = CallerScope::operator("alice", "session-1");
/// assert!(history::read(&home.path().join("history"), &alice).unwrap().is_empty());
/// ```
pub fn read(directory: &Path, scope: &CallerScope) -> Result<Transcript, ReadError> {
    match check_private_dir(directory) {
        Err(FileError::Missing { .. }) => return Ok(Transcript::default()),
        checked => checked?,
    }
    let name = HistoryKey::of(scope).file_name();
    let Some(bytes) = Disk::reading(directory).read(&name)? else {
        return Ok(Transcript::default());
    };
    format::decode(&bytes)
        .map_err(|why| ReadError::Damaged { path: directory.join(&name), why: why.to_string() })
}
