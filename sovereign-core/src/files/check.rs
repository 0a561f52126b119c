use super::FileError;
use rustix::fs::{FileType, Stat};
use std::path::Path;

/// What a path is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
}

impl Kind {
    const fn matches(self, found: FileType) -> bool {
        match self {
            Self::File => matches!(found, FileType::RegularFile),
            Self::Directory => matches!(found, FileType::Directory),
        }
    }
}

/// Of the open file, not of the path: nothing can be put in between.
pub(super) fn check(path: &Path, stat: &Stat, kind: Kind, user: u32) -> Result<(), FileError> {
    let path = path.to_owned();
    if !kind.matches(FileType::from_raw_mode(stat.st_mode)) {
        return Err(match kind {
            Kind::File => FileError::NotAFile { path },
            Kind::Directory => FileError::NotADirectory { path },
        });
    }
    if stat.st_uid != user {
        return Err(FileError::Owner { path, owner: stat.st_uid, user });
    }
    let mode = stat.st_mode & 0o777;
    if mode & 0o077 != 0 {
        let wanted = if kind == Kind::File { "600" } else { "700" };
        return Err(FileError::OpenToOthers { path, mode, wanted });
    }
    Ok(())
}
