use crate::files::{
    FileError, check_private_dir, create_private_dir, doing, open_private, open_private_with,
    sync_dir,
};
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The files of one log, by name, in one directory. Tests put a failing, a counting and a crashing one
/// here.
pub(super) trait Storage: Send + Sync + 'static {
    /// The file of that name; none when there is none.
    fn open(&self, name: &str) -> Result<Option<Box<dyn LogFile>>, FileError>;
    /// The same, made when there is none. Its name is durable after [`Storage::sync`].
    fn create(&self, name: &str) -> Result<Box<dyn LogFile>, FileError>;
    /// Gives a file another name, which nothing has; durable after [`Storage::sync`].
    fn rename(&self, from: &str, to: &str) -> Result<(), FileError>;
    /// Ends when the names are on the disk.
    fn sync(&self) -> Result<(), FileError>;
    /// Which file that name leads to now, where this can be told; none when there is none.
    fn identity(&self, _name: &str) -> io::Result<Option<Identity>> {
        Ok(None)
    }
    /// What a person calls that file.
    fn path(&self, name: &str) -> PathBuf;
}

/// Device and number of a file.
pub(super) type Identity = (u64, u64);

/// One file of a log.
pub(super) trait LogFile: Send + Sync {
    /// Which file it is, where this can be told.
    fn identity(&self) -> io::Result<Option<Identity>> {
        Ok(None)
    }
    /// How long it is.
    fn len(&self) -> io::Result<u64>;
    /// Reads what is there at `offset`, at most as much as fits; 0 at the end.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all of `bytes` at `offset`, or fails; a part may be there then.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Takes away what is behind `len`.
    fn cut(&self, len: u64) -> io::Result<()>;
    /// Makes sure that `bytes` more fit behind `offset`.
    fn reserve(&self, offset: u64, bytes: u64) -> io::Result<()>;
    /// Ends when what was written is on the disk.
    fn sync(&self) -> io::Result<()>;
}

/// A private directory.
pub(super) struct Disk {
    directory: PathBuf,
    flags: OFlags,
}

impl Disk {
    /// For the one writer; the directory is created when it is missing.
    pub(super) fn writing(directory: &Path) -> Result<Self, FileError> {
        create_private_dir(directory)?;
        Ok(Self { directory: directory.to_owned(), flags: OFlags::RDWR })
    }

    /// For readers, who change nothing.
    pub(super) fn reading(directory: &Path) -> Result<Self, FileError> {
        check_private_dir(directory)?;
        Ok(Self { directory: directory.to_owned(), flags: OFlags::RDONLY })
    }
}

impl Storage for Disk {
    fn open(&self, name: &str) -> Result<Option<Box<dyn LogFile>>, FileError> {
        match open_private_with(&self.path(name), self.flags) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(FileError::Missing { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn create(&self, name: &str) -> Result<Box<dyn LogFile>, FileError> {
        let file = open_private_with(&self.path(name), OFlags::RDWR | OFlags::CREATE)?;
        Ok(Box::new(file))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        let path = self.path(from);
        // a symbolic link is no log file, and is not moved as if it were one
        drop(open_private(&path)?);
        std::fs::rename(&path, self.path(to)).map_err(doing("move", &path))
    }

    fn sync(&self) -> Result<(), FileError> {
        sync_dir(&self.directory)
    }

    fn identity(&self, name: &str) -> io::Result<Option<Identity>> {
        match self.path(name).symlink_metadata() {
            Ok(found) => Ok(Some((found.dev(), found.ino()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

impl LogFile for File {
    fn identity(&self) -> io::Result<Option<Identity>> {
        let held = self.metadata()?;
        Ok(Some((held.dev(), held.ino())))
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match FileExt::read_at(self, into, offset) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }

    #[cfg(target_os = "linux")]
    fn reserve(&self, offset: u64, bytes: u64) -> io::Result<()> {
        use rustix::fs::FallocateFlags;
        let asked = || rustix::fs::fallocate(self, FallocateFlags::KEEP_SIZE, offset, bytes);
        match rustix::io::retry_on_intr(asked) {
            // a file system that cannot promise space is no reason to stop
            Err(e) if e.kind() == io::ErrorKind::Unsupported => Ok(()),
            done => done.map_err(Into::into),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn reserve(&self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A file's error, where only the system's counts.
pub(super) fn system(error: FileError) -> io::Error {
    match error {
        FileError::System { source, .. } => source,
        told => io::Error::other(told),
    }
}
