use super::Secret;
use super::secret::SecretHash;
use sovereign_core::clock::{Clock, Moment};
use sovereign_core::entropy::{Entropy, EntropyError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// How long a one-time token lets somebody in.
pub(crate) const TOKEN_LIFE: Duration = Duration::from_secs(600);

/// The one-time token for a login: at most one at a time, in memory as its hash.
pub(crate) struct LoginTokens {
    clock: Arc<dyn Clock>,
    open: Mutex<Option<Open>>,
}

struct Open {
    hash: SecretHash,
    user: String,
    moment: Moment,
    wall: SystemTime,
    /// The file that holds it, where there was no terminal to print it to.
    file: Option<PathBuf>,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(path) = &self.file {
            // it lets nobody in any longer, whether or not it can be removed
            drop(std::fs::remove_file(path));
        }
    }
}

impl LoginTokens {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new token for `user`; an earlier one is void.
    pub(crate) fn mint(&self, user: String, entropy: &dyn Entropy) -> Result<Secret, EntropyError> {
        let token = Secret::random(entropy)?;
        let wall = self.clock.wall();
        let open = Open {
            hash: token.hash(),
            user,
            moment: self.clock.now().after(TOKEN_LIFE),
            wall: wall.checked_add(TOKEN_LIFE).unwrap_or(wall),
            file: None,
        };
        *self.open() = Some(open);
        Ok(token)
    }

    /// The token lies in this file, which goes with it.
    pub(crate) fn kept_in(&self, file: PathBuf) {
        if let Some(open) = &mut *self.open() {
            open.file = Some(file);
        }
    }

    /// Whose token it is; it is used up by this. A wrong one uses up nothing.
    pub(crate) fn take(&self, presented: &str) -> Option<String> {
        let mut open = self.open();
        self.forget_old(&mut open);
        let fits = |open: &mut Open| open.hash.is(&SecretHash::of(presented));
        open.take_if(fits).map(|open| open.user.clone())
    }

    /// Forgets what is over, or, at the end of the program, all.
    pub(crate) fn sweep(&self, all: bool) {
        let mut open = self.open();
        if all {
            *open = None;
        } else {
            self.forget_old(&mut open);
        }
    }

    /// Over as soon as either clock says so.
    fn forget_old(&self, open: &mut Option<Open>) {
        let (now, wall) = (self.clock.now(), self.clock.wall());
        drop(open.take_if(|open| now >= open.moment || wall >= open.wall));
    }
}
