//! Files that only their owner may read: how grants, policy, keys and the audit log are kept.
//!
//! Owns opening with checks (a regular file, no symbolic link, owned by this user, closed to others),
//! bounded reading and replacing a file so that a crash leaves the old one or the new one. It knows
//! nothing of what the files hold.
mod check;
mod error;
mod json;

pub use error::FileError;
pub(crate) use error::{doing, shown};
pub(crate) use json::{JsonFile, Strict, VersionOne};

use check::{Kind, check};
use rustix::fs::{Mode, OFlags, Stat};
use std::fs::{DirBuilder, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Makes sure that `path` is a directory that only this user may enter (0700); creates it, and what
/// is missing above it, when there is none.
///
/// # Errors
/// When it cannot be created, is no directory or a symbolic link, belongs to somebody else or is open
/// to others.
///
/// # Example
/// ```
/// use sovereign_core::files;
/// let home = tempfile::tempdir().unwrap();
/// let data = home.path().join("data");
/// files::create_private_dir(&data).unwrap();
/// files::write_private(&data.join("key"), b"secret\n").unwrap();
/// assert_eq!(files::read_private(&data.join("key"), 1024).unwrap(), b"secret\n");
/// ```
pub fn create_private_dir(path: &Path) -> Result<(), FileError> {
    match check_private_dir(path) {
        Err(FileError::Missing { .. }) => {
            let created = DirBuilder::new().recursive(true).mode(0o700).create(path);
            created.map_err(doing("create", path))?;
            check_private_dir(path)
        }
        checked => checked,
    }
}

/// Checks that `path` is a directory of this user that is closed to everybody else.
///
/// # Errors
/// When it is missing, no directory or a symbolic link, belongs to somebody else or is open to others.
pub fn check_private_dir(path: &Path) -> Result<(), FileError> {
    open_dir(path).map(drop)
}

/// Opens a private file for reading.
///
/// # Errors
/// When it is missing, no regular file or a symbolic link, belongs to somebody else, is open to
/// others, or cannot be opened.
pub fn open_private(path: &Path) -> Result<File, FileError> {
    open(path, OFlags::RDONLY, Kind::File)
}

/// Reads a private file of at most `limit` bytes.
///
/// # Errors
/// As [`open_private`], and when the file is longer than `limit` or cannot be read.
pub fn read_private(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, stat) = open_checked(path, OFlags::RDONLY, Kind::File)?;
    // room for the whole and for seeing its end, so that a small file takes two reads
    let expected = u64::try_from(stat.st_size).unwrap_or_default().min(limit).saturating_add(64);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    let mut bounded = file.take(limit.saturating_add(1));
    let read = bounded.read_to_end(&mut bytes).map_err(doing("read", path))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > limit {
        return Err(FileError::TooLong { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Puts `bytes` in place of what `path` held, whole or not at all.
///
/// The new content is written to a sibling with a random name (0600 from the moment it exists),
/// synced, renamed over `path`, and the directory is synced. `Ok` means that it is on the disk; after
/// an error or a crash `path` holds what it held before, or the whole new content.
///
/// # Errors
/// When the directory is not a private one, or something of the above fails.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes, |_| Ok(()), |temp| temp.persist(path).map(drop).map_err(|e| e.error))
}

/// Like [`write_private`], for a file that must not be there yet.
///
/// # Errors
/// As [`write_private`], and when `path` exists: it is left as it is.
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let place =
        |temp: tempfile::NamedTempFile| temp.persist_noclobber(path).map(drop).map_err(|e| e.error);
    write(path, bytes, |_| Ok(()), place)
}

/// Removes a file, or a symbolic link itself, and returns when its name is gone from the disk; says
/// whether it was there.
///
/// # Errors
/// When its directory is not a private one, it is a directory, or the system refuses.
pub fn remove_private(path: &Path) -> Result<bool, FileError> {
    let directory = open_dir(&parent_of(path))?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        removed => removed.map_err(doing("remove", path))?,
    }
    directory.sync_all().map_err(doing("sync the directory of", path))?;
    Ok(true)
}

/// `before` sees the finished temporary file right before it takes its place.
fn write(
    path: &Path,
    bytes: &[u8],
    before: impl FnOnce(&Path) -> std::io::Result<()>,
    place: impl FnOnce(tempfile::NamedTempFile) -> std::io::Result<()>,
) -> Result<(), FileError> {
    let parent = parent_of(path);
    let directory = open_dir(&parent)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut temp = tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".tmp")
        .rand_bytes(12)
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(&parent)
        .map_err(doing("create a file beside", path))?;
    temp.write_all(bytes).map_err(doing("write", path))?;
    temp.as_file().sync_all().map_err(doing("sync", path))?;
    before(temp.path()).map_err(doing("replace", path))?;
    place(temp).map_err(doing("replace", path))?;
    directory.sync_all().map_err(doing("sync the directory of", path))
}

/// Opens a private file with more than reading in mind; with `CREATE` it comes to be with mode 0600.
pub(crate) fn open_private_with(path: &Path, flags: OFlags) -> Result<File, FileError> {
    open(path, flags, Kind::File)
}

/// Makes the names in a directory as durable as what they name.
pub(crate) fn sync_dir(path: &Path) -> Result<(), FileError> {
    open_dir(path)?.sync_all().map_err(doing("sync", path))
}

fn open_dir(path: &Path) -> Result<File, FileError> {
    // without a trailing slash: the kernel follows a link that has one
    let path: PathBuf = path.components().collect();
    open(&path, OFlags::RDONLY | OFlags::DIRECTORY, Kind::Directory)
}

fn open(path: &Path, flags: OFlags, kind: Kind) -> Result<File, FileError> {
    open_checked(path, flags, kind).map(|(file, _)| file)
}

fn open_checked(path: &Path, flags: OFlags, kind: Kind) -> Result<(File, Stat), FileError> {
    // NONBLOCK: opening a pipe that somebody put there must not wait for its other end
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => File::from(file),
        Err(errno) => return Err(error::opening(path, errno, kind)),
    };
    let stat = rustix::fs::fstat(&file).map_err(|e| doing("look at", path)(e.into()))?;
    check(path, &stat, kind, rustix::process::geteuid().as_raw())?;
    Ok((file, stat))
}

fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
pub(crate) mod tests;
