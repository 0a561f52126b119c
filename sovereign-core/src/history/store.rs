use super::storage::{Disk, Storage};
use super::{History, HistoryKey, Inner, Notice, Retention, Transcript, aging, format, timestamp};
use crate::audit::RESTART;
use crate::caller::CallerScope;
use crate::clock::Clock;
use crate::files::FileError;
use jiff::Timestamp;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// All transcripts of a device: one bounded file per caller in one private directory.
///
/// Two conversations of one caller share one transcript. A second program must not open the same
/// directory at the same time: it would replace what the first one wrote.
///
/// # Example
/// ```
/// use sovereign_core::caller::CallerScope;
/// use sovereign_core::clock::SystemClock;
/// use sovereign_core::history::Histories;
/// use std::sync::Arc;
/// # let home = tempfile::tempdir().unwrap();
/// let directory = home.path().join("history");
/// let histories = Histories::open(&directory, Arc::new(SystemClock::default())).unwrap();
/// let loaded = histories.load(&CallerScope::operator("alice", "session-1")).unwrap();
/// assert!(loaded.history.transcript().is_empty() && loaded.notices.is_empty());
/// ```
pub struct Histories {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    retention: Retention,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    loaded: HashMap<HistoryKey, Weak<Inner>>,
    /// When it was last looked for what is too old.
    swept: Option<Timestamp>,
}

impl fmt::Debug for Histories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histories").field("retention", &self.retention).finish_non_exhaustive()
    }
}

/// A transcript as it was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded {
    /// The transcript.
    pub history: History,
    /// What an operator has to hear of it.
    pub notices: Vec<Notice>,
}

impl Histories {
    /// The transcripts in `directory`, which is made when it is missing (0700).
    ///
    /// # Errors
    /// When it is no private directory of this user.
    pub fn open(directory: &Path, clock: Arc<dyn Clock>) -> Result<Self, FileError> {
        Ok(Self::on(Arc::new(Disk::open(directory)?), clock))
    }

    pub(super) fn on(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock, retention: Retention::default(), open: Mutex::default() }
    }

    /// With other limits; they count when a transcript is loaded and at each turn.
    #[must_use]
    pub const fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// This caller's own transcript, and no other's (F03).
    ///
    /// Once a day it also takes away what is too old of others, who may never come back.
    ///
    /// A file that is not whole is set aside, with a notice. A turn that was open when the program
    /// stopped is ended, with a notice.
    ///
    /// # Errors
    /// When the file cannot be read, is open to others, belongs to somebody else or is a symbolic
    /// link: it is left as it is.
    pub fn load(&self, scope: &CallerScope) -> Result<Loaded, FileError> {
        let key = HistoryKey::of(scope);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.sweep(&mut open, key);
        if let Some(inner) = open.loaded.get(&key).and_then(Weak::upgrade) {
            return Ok(Loaded { history: History(inner), notices: Vec::new() });
        }
        let (mut transcript, mut notices) = self.read(key)?;
        let (turns, calls) = transcript.repair(RESTART);
        if turns > 0 || calls > 0 {
            notices.push(Notice::Interrupted { turns, calls });
        }
        let history = History(Arc::new(Inner::new(
            transcript,
            Some((Arc::clone(&self.storage), key)),
            Arc::clone(&self.clock),
            self.retention,
        )));
        history.change(|_| !notices.is_empty());
        history.keep();
        open.loaded.retain(|_, other| other.strong_count() > 0);
        open.loaded.insert(key, Arc::downgrade(&history.0));
        for notice in &notices {
            tracing::warn!(%notice, "transcript");
        }
        Ok(Loaded { history, notices })
    }

    /// Once a day: the limit of age holds for whoever does not come back as well.
    fn sweep(&self, open: &mut Open, loading: HistoryKey) {
        let now = timestamp(&*self.clock);
        if !aging::is_due(open.swept, now) {
            return;
        }
        open.swept = Some(now);
        let live = open.loaded.iter().filter(|(_, inner)| inner.strong_count() > 0);
        let keys = live.map(|(key, _)| *key).chain([loading]);
        let names: Vec<_> = keys.map(HistoryKey::file_name).collect();
        aging::sweep(&*self.storage, self.retention, now, |name| names.iter().any(|n| n == name));
    }

    fn read(&self, key: HistoryKey) -> Result<(Transcript, Vec<Notice>), FileError> {
        let name = key.file_name();
        let Some(bytes) = self.storage.read(&name)? else { return Ok(Default::default()) };
        match format::decode(&bytes) {
            Ok(transcript) => Ok((transcript, Vec::new())),
            Err(why) => {
                let aside = aging::aside(&name, timestamp(&*self.clock));
                let path = self.storage.set_aside(&name, &aside)?;
                let notice = Notice::Quarantined { path, why: why.to_string() };
                Ok((Transcript::default(), vec![notice]))
            }
        }
    }
}
