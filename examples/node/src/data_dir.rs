//! The one directory that holds everything: where it is, what is in it, its first use.

use sovereign_core::audit::{FileAudit, LogError};
use sovereign_core::caller::{GrantsFile, ScopeKind, Unavailable};
use sovereign_core::clock::SystemClock;
use sovereign_core::display::Visible;
use sovereign_core::files::{self, FileError};
use sovereign_core::policy::PolicyFile;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A private directory (0700) with `grants.json`, `policy.json`, `audit/`, and perhaps `config.toml`,
/// `history/`, `secrets/` and `purse/`.
#[derive(Debug, Clone)]
pub(crate) struct DataDir(PathBuf);

/// Files among the secrets that are no keys, though they look like one: none is sent to a server.
pub(crate) const OWN_SECRETS: [&str; 2] = ["login-token", "aiui-dev-link"];

/// Why the data directory cannot be used. Nothing in it was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DataDirError {
    #[error("no place for the data: give `--data-dir DIR`, or set `SOVEREIGN_DATA_DIR` or `HOME`")]
    NoHome,
    #[error("the data directory cannot be used")]
    Unusable(#[from] FileError),
    #[error(
        "`{}` is missing, though this directory was in use: put it back from a backup, or move `{}` \
         away to start anew with the defaults",
        Visible(&path.to_string_lossy()), Visible(&directory.to_string_lossy())
    )]
    Lost { path: PathBuf, directory: PathBuf },
    #[error(
        "the audit log `{}` is gone, though this directory was in use: put it back from a backup; \
         `sovereign-node audit start-anew` begins a new one, which knows nothing of the past",
        Visible(&path.to_string_lossy())
    )]
    LogLost { path: PathBuf },
    #[error(
        "there is no data directory `{}`: `sovereign-node ask` makes one at its first use",
        Visible(&path.to_string_lossy())
    )]
    Missing { path: PathBuf },
    #[error("the audit log cannot be begun")]
    Log(#[from] LogError),
    #[error("{0}")]
    Closed(#[from] Unavailable),
}

impl DataDirError {
    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }
}

impl DataDir {
    /// What the flag or its variable says; else below the home directory, as the XDG base directory
    /// specification has it.
    pub(crate) fn locate(named: Option<&Path>) -> Result<PathBuf, DataDirError> {
        if let Some(path) = named {
            return Ok(path.to_owned());
        }
        let absolute =
            |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let share = absolute("XDG_DATA_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
        Ok(share.ok_or(DataDirError::NoHome)?.join("sovereign"))
    }

    /// Checks the directory and, at its first use, makes it: an empty audit log, and what a fresh
    /// install grants. From then on nothing in it is made again by itself: what is missing was lost.
    pub(crate) fn open(path: PathBuf) -> Result<Self, DataDirError> {
        files::create_private_dir(&path)?;
        let directory = Self(path);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let [audit, grants, policy] =
            [directory.audit(), directory.grants_path(), directory.policy_path()];
        if ![&audit, &grants, &policy].into_iter().any(|path| is_there(path)) {
            drop(FileAudit::open(&audit, &SystemClock::default())?);
            PolicyFile::create_default(policy)?;
            GrantsFile::create_default(grants)?;
            return Ok(directory);
        }
        if let Some(lost) = [grants, policy].into_iter().find(|path| !is_there(path)) {
            return Err(DataDirError::Lost { path: lost, directory: directory.0 });
        }
        if is_there(&audit) { Ok(directory) } else { Err(DataDirError::LogLost { path: audit }) }
    }

    /// The directory for whoever only reads the log: nothing is made.
    pub(crate) fn existing(path: PathBuf) -> Result<Self, DataDirError> {
        match files::check_private_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(FileError::Missing { .. }) => Err(DataDirError::Missing { path }),
            Err(error) => Err(error.into()),
        }
    }

    /// Grants and switches, which must both say something now: a run that could only refuse is not
    /// begun.
    pub(crate) fn authority(&self) -> Result<(Arc<GrantsFile>, Arc<PolicyFile>), DataDirError> {
        let (grants, policy) = self.files();
        grants.held(ScopeKind::Operator)?;
        policy.check()?;
        Ok((grants, policy))
    }

    /// Unchecked.
    #[cfg(test)]
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    pub(crate) fn audit(&self) -> PathBuf {
        self.0.join("audit")
    }

    /// What nobody but this user may read, keys and accounts.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.0.join("secrets")
    }

    /// Where the first login of `serve` waits when nobody is at a terminal.
    pub(crate) fn login_link(&self) -> PathBuf {
        self.secrets().join(OWN_SECRETS[0])
    }

    /// The same for the chat without a node.
    pub(crate) fn dev_link(&self) -> PathBuf {
        self.secrets().join(OWN_SECRETS[1])
    }

    /// Cash.
    pub(crate) fn purse(&self) -> PathBuf {
        self.0.join("purse")
    }

    /// The transcripts.
    pub(crate) fn history(&self) -> PathBuf {
        self.0.join("history")
    }

    /// Where link processes connect.
    pub(crate) fn mesh_socket(&self) -> PathBuf {
        self.0.join("mesh.sock")
    }

    /// Grants and switches, whether they say anything or not.
    pub(crate) fn files(&self) -> (Arc<GrantsFile>, Arc<PolicyFile>) {
        let grants = Arc::new(GrantsFile::at(self.grants_path()));
        (grants, Arc::new(PolicyFile::at(self.policy_path())))
    }

    fn grants_path(&self) -> PathBuf {
        self.0.join("grants.json")
    }

    fn policy_path(&self) -> PathBuf {
        self.0.join("policy.json")
    }
}
