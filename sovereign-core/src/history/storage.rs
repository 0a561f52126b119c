use super::format::MAX_FILE_BYTES;
use crate::files::{FileError, create_private_dir, doing, read_private, sync_dir, write_private};
use jiff::Timestamp;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where transcripts are kept; a test puts one in its place that loses what was not synced.
///
/// Each change is whole or not at all, also in a crash, and durable when it returns.
pub(super) trait Storage: Send + Sync + 'static {
    /// What stands under the name; `None` when nothing does.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FileError>;
    /// When the bytes under the name were last written, where this can be told.
    fn written_at(&self, name: &str) -> Result<Option<Timestamp>, FileError>;
    /// Puts the bytes in place of what the name held.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError>;
    /// Takes the name away, and whatever was set aside from it.
    fn remove(&self, name: &str) -> Result<(), FileError>;
    /// Every name that is there.
    fn names(&self) -> Result<Vec<String>, FileError>;
    /// Gives what stands under the name another name, and says where it is.
    fn set_aside(&self, name: &str, aside: &str) -> Result<PathBuf, FileError>;
}

/// A private directory.
pub(super) struct Disk(PathBuf);

impl Disk {
    /// Makes sure of the directory, and clears away what a crash in the middle of a write left there:
    /// it was never a transcript, and holds what one would.
    pub(super) fn open(directory: &Path) -> Result<Self, FileError> {
        create_private_dir(directory)?;
        for entry in fs::read_dir(directory).map_err(doing("list", directory))? {
            let path = entry.map_err(doing("list", directory))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') && name.ends_with(".tmp") {
                fs::remove_file(&path).map_err(doing("remove", &path))?;
            }
        }
        Ok(Self(directory.to_owned()))
    }

    /// For whoever only reads.
    pub(super) fn reading(directory: &Path) -> Self {
        Self(directory.to_owned())
    }
}

impl Storage for Disk {
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        // what is too long to be read is damage like any other: nothing is decoded from it
        match read_private(&self.0.join(name), MAX_FILE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FileError::Missing { .. }) => Ok(None),
            Err(FileError::TooLong { .. }) => Ok(Some(Vec::new())),
            Err(error) => Err(error),
        }
    }

    fn written_at(&self, name: &str) -> Result<Option<Timestamp>, FileError> {
        let path = self.0.join(name);
        match path.symlink_metadata().and_then(|found| found.modified()) {
            Ok(at) => Ok(Timestamp::try_from(at).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(doing("look at", &path)(error)),
        }
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        write_private(&self.0.join(name), bytes)
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        let mut gone = vec![self.0.join(name)];
        for entry in fs::read_dir(&self.0).map_err(doing("list", &self.0))? {
            let path = entry.map_err(doing("list", &self.0))?.path();
            let aside = path.file_name().unwrap_or_default().to_string_lossy();
            if aside.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')) {
                gone.push(path);
            }
        }
        for path in gone {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(doing("remove", &path)(error));
                }
                _ => {}
            }
        }
        sync_dir(&self.0)
    }

    fn names(&self) -> Result<Vec<String>, FileError> {
        let entries = fs::read_dir(&self.0).map_err(doing("list", &self.0))?;
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.map(|entry| entry.file_name().to_string_lossy().into_owned())
        };
        entries.map(name).collect::<Result<_, _>>().map_err(doing("list", &self.0))
    }

    fn set_aside(&self, name: &str, aside: &str) -> Result<PathBuf, FileError> {
        let (from, to) = (self.0.join(name), self.0.join(aside));
        fs::rename(&from, &to).map_err(doing("set aside", &from))?;
        sync_dir(&self.0)?;
        Ok(to)
    }
}
