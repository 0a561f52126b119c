use rustix::fs::{FileType, Stat};
use sovereign_core::display::Visible;
use sovereign_core::files::{self, FileError};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixStream};

/// Where link processes connect: a Unix socket that only this user, and root, can use. Dropping it
/// takes the file away.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Device and inode: only this very file is taken away.
    file: (u64, u64),
}

/// Why nobody can be listened to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SocketError {
    /// Its directory is not a private one.
    #[error("the directory of the mesh socket cannot be used")]
    Directory(#[from] FileError),
    /// Something else is there.
    #[error("`{}` is no socket of this user: move it away", Visible(&path.to_string_lossy()))]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// Another process listens.
    #[error("another process listens on `{}`", Visible(&path.to_string_lossy()))]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// The system said no.
    #[error("cannot listen on `{}`", Visible(&path.to_string_lossy()))]
    System {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Socket {
    /// Listens on `path`, which lies in a private directory (0700). A socket that a dead process left
    /// there is replaced; one on which somebody listens is not.
    ///
    /// Two processes that start here at the same time could both find it dead: whoever calls this holds
    /// the lock of the data directory. Needs a tokio runtime around it.
    ///
    /// # Errors
    /// When the directory is open to others, the path is taken or too long, or the system says no.
    pub async fn bind(path: &Path) -> Result<Self, SocketError> {
        let system = |source| SocketError::System { path: path.to_owned(), source };
        files::check_private_dir(path.parent().unwrap_or(Path::new(".")))?;
        make_room(path).await?;
        let listener = UnixListener::bind(path).map_err(system)?;
        // the directory is closed to others already
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(system)?;
        let stat = rustix::fs::lstat(path).map_err(|e| system(e.into()))?;
        let file = (stat.st_dev, stat.st_ino);
        Ok(Self { listener, path: path.to_owned(), file })
    }

    /// The next link process that may connect; others are sent away.
    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let user = stream.peer_cred()?.uid();
            if may_connect(user, rustix::process::geteuid().as_raw()) {
                return Ok(stream);
            }
            tracing::warn!(user, "a process of another user was sent away from the mesh socket");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let is_ours =
            rustix::fs::lstat(&self.path).is_ok_and(|stat| (stat.st_dev, stat.st_ino) == self.file);
        if is_ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "the mesh socket is left behind");
        }
    }
}

/// Whether a process of `user` may speak for peers to a node that runs as `own`.
pub(super) const fn may_connect(user: u32, own: u32) -> bool {
    user == own || user == 0
}

async fn make_room(path: &Path) -> Result<(), SocketError> {
    let in_use = || SocketError::InUse { path: path.to_owned() };
    let system = |source| SocketError::System { path: path.to_owned(), source };
    let stat = match rustix::fs::lstat(path) {
        Ok(stat) => stat,
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        Err(error) => return Err(system(error.into())),
    };
    if !is_own_socket(&stat) {
        return Err(SocketError::NotASocket { path: path.to_owned() });
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(system)
        }
        // also when its queue is full
        _ => Err(in_use()),
    }
}

fn is_own_socket(stat: &Stat) -> bool {
    matches!(FileType::from_raw_mode(stat.st_mode), FileType::Socket)
        && stat.st_uid == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::may_connect;

    #[test]
    fn only_the_nodes_own_user_and_root_may_speak_for_peers() {
        assert!(may_connect(1000, 1000) && may_connect(0, 1000) && may_connect(0, 0));
        for (user, own) in [(1001, 1000), (65_534, 1000), (1000, 0), (u32::MAX, 1000)] {
            assert!(!may_connect(user, own), "{user} {own}");
        }
    }
}
