use sovereign_core::files::{self, FileError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The longest purse file that is read.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Where a purse is kept; a test puts one in its place that loses what was not synced.
pub(super) trait Storage: Send + Sync + 'static {
    /// What is there; `None` when nothing is.
    fn read(&self) -> Result<Option<Vec<u8>>, FileError>;
    /// Puts the bytes in place of what was there: whole or not at all, and durable when it returns.
    fn replace(&self, bytes: &[u8]) -> Result<(), FileError>;
}

/// One private file.
#[derive(Debug)]
pub(super) struct Disk(PathBuf);

impl Disk {
    /// In a directory that nobody else writes to. Clears away what a crash in the middle of a write
    /// left there: a copy of the cash that no purse knows of.
    pub(super) fn open(directory: &Path) -> Result<Self, FileError> {
        let system = |source: io::Error| FileError::System {
            doing: "clear",
            path: directory.to_owned(),
            source,
        };
        for entry in fs::read_dir(directory).map_err(system)? {
            let path = entry.map_err(system)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(".purse.json.") && name.ends_with(".tmp") {
                fs::remove_file(&path).map_err(system)?;
            }
        }
        Ok(Self(directory.join("purse.json")))
    }
}

/// The same for whoever only looks: nothing is made, cleared away, or written.
#[derive(Debug)]
pub(super) struct Looked(PathBuf);

impl Looked {
    pub(super) fn at(directory: &Path) -> Self {
        Self(directory.join("purse.json"))
    }
}

impl Storage for Looked {
    fn read(&self) -> Result<Option<Vec<u8>>, FileError> {
        Disk(self.0.clone()).read()
    }

    fn replace(&self, _: &[u8]) -> Result<(), FileError> {
        let source = io::Error::other("the purse was opened to be looked at");
        Err(FileError::System { doing: "write", path: self.0.clone(), source })
    }
}

impl Storage for Disk {
    fn read(&self) -> Result<Option<Vec<u8>>, FileError> {
        match files::read_private(&self.0, MAX_FILE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FileError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn replace(&self, bytes: &[u8]) -> Result<(), FileError> {
        files::write_private(&self.0, bytes)
    }
}
