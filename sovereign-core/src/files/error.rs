use super::check::Kind;
use rustix::fs::FileType;
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// Why a private file or directory cannot be used. Each names the path and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Nothing is there.
    #[error("`{}` does not exist", shown(path))]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// A symbolic link, which could lead anywhere.
    #[error("`{}` is a symbolic link: name the place itself", shown(path))]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// A directory, a pipe or a device where a file is expected.
    #[error("`{}` is not a regular file: move it away", shown(path))]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A file where a directory is expected.
    #[error("`{}` is not a directory: move it away", shown(path))]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// It belongs to somebody else.
    #[error(
        "`{}` belongs to user {owner}, but this runs as user {user}: run `chown {user} {}`",
        shown(path),
        shown(path)
    )]
    Owner {
        /// The path.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// The effective user of this process.
        user: u32,
    },
    /// Others may read, write or enter it.
    #[error(
        "`{}` is open to other users (mode {mode:04o}): run `chmod {wanted} {}`",
        shown(path),
        shown(path)
    )]
    OpenToOthers {
        /// The path.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// What they should be, in octal.
        wanted: &'static str,
    },
    /// Longer than anything that belongs there.
    #[error("`{}` is longer than {limit} bytes", shown(path))]
    TooLong {
        /// The path.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// The system said no.
    #[error("cannot {doing} `{}`", shown(path))]
    System {
        /// What was tried.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// The whole story in one line, for an operator.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::System { source, .. } => format!("{self}: {source}"),
            told => told.to_string(),
        }
    }
}

/// A path on one line, whatever is in its name.
pub(crate) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).replace('`', "\\u{60}")
}

/// Text that stays on one line, whatever is in it.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_unicode());
        } else {
            line.push(c);
        }
    }
    line
}

/// For `map_err`, around one call to the system.
pub(crate) fn doing<'a>(
    doing: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> FileError + 'a {
    move |source| FileError::System { doing, path: path.to_owned(), source }
}

/// What a refused open means.
pub(super) fn opening(path: &Path, errno: Errno, kind: Kind) -> FileError {
    let found = rustix::fs::lstat(path).map(|stat| FileType::from_raw_mode(stat.st_mode));
    let path = path.to_owned();
    match (errno, found) {
        // a link without a target is not followed: nothing was there, even if there is now
        (Errno::NOENT, _) => FileError::Missing { path },
        (_, Ok(FileType::Symlink)) => FileError::Link { path },
        (Errno::NOTDIR, Ok(_)) if kind == Kind::Directory => FileError::NotADirectory { path },
        (Errno::ISDIR | Errno::NXIO, Ok(_)) if kind == Kind::File => FileError::NotAFile { path },
        _ => FileError::System { doing: "open", path, source: errno.into() },
    }
}
