//! What a conversation leaves behind for the next turn: one bounded transcript per caller.
//!
//! Owns what is kept of a turn and what is not (the types in it have no field for anything else), the
//! files, their limits and their repair. It does not decide what a model is sent: the
//! [conversation](crate::conversation) does. Nothing of a pending decision ever comes here: a call is
//! written down by its outcome, or, once it runs, by its name.
mod aging;
mod excerpt;
mod format;
mod key;
mod notice;
mod past;
mod reading;
mod redact;
mod retention;
mod storage;
mod store;
mod transcript;

pub use excerpt::Excerpt;
pub use key::HistoryKey;
pub use notice::Notice;
pub use past::{PastCall, PastCitation, PastTurn, TurnEnd};
pub use reading::{ReadError, read};
pub(crate) use redact::{ended, scrub, started, withheld};
pub use retention::Retention;
pub use store::{Histories, Loaded};
pub(crate) use transcript::Batch;
pub use transcript::{Summary, Transcript};

use crate::clock::{Clock, SystemClock};
use crate::files::FileError;
use jiff::Timestamp;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::Storage;

/// The most characters of a result that are kept; the rest is marked as missing (F05).
pub const MAX_TOOL_RESULT_CHARS: usize = 4_000;
/// The most characters of the person's words, and of an answer.
pub const MAX_TEXT_CHARS: usize = 8_000;
/// The most characters of the running summary.
pub const MAX_SUMMARY_CHARS: usize = 2_000;
/// How many turns stay word for word at least, before the oldest are folded (F06).
pub const KEEP_VERBATIM_TURNS: usize = 6;
/// How many turns are folded at once: one summary for so many turns.
pub const FOLD_TURNS: usize = 4;
/// The most calls of one turn that are kept.
const MAX_CALLS: usize = 32;
/// The most sources of one call that are kept.
const MAX_CITATIONS: usize = 16;

/// One caller's transcript. Cheap to clone; every clone is the same transcript.
///
/// Changes count at once; [`save`](Self::save) makes them last.
#[derive(Clone)]
pub struct History(Arc<Inner>);

pub(crate) struct Inner {
    document: Mutex<Document>,
    /// What of the document is on the disk; held while a file is written, so that writes are in order.
    saved: Mutex<u64>,
    file: Option<(Arc<dyn Storage>, HistoryKey)>,
    clock: Arc<dyn Clock>,
    retention: Retention,
}

#[derive(Default)]
struct Document {
    transcript: Transcript,
    /// Counts the changes.
    version: u64,
}

impl Inner {
    fn new(
        transcript: Transcript,
        file: Option<(Arc<dyn Storage>, HistoryKey)>,
        clock: Arc<dyn Clock>,
        retention: Retention,
    ) -> Self {
        let document = Mutex::new(Document { transcript, version: 0 });
        Self { document, saved: Mutex::new(0), file, clock, retention }
    }

    fn document(&self) -> MutexGuard<'_, Document> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("History").field(&self.0.file.as_ref().map(|(_, key)| key)).finish()
    }
}

impl Default for History {
    fn default() -> Self {
        let (clock, retention) = (Arc::new(SystemClock::default()), Retention::default());
        Self(Arc::new(Inner::new(Transcript::default(), None, clock, retention)))
    }
}

impl History {
    /// Everything that is remembered, oldest first: what its own caller may see.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        self.0.document().transcript.clone()
    }

    /// The last `count` turns, oldest first.
    #[must_use]
    pub fn recent(&self, count: usize) -> Vec<PastTurn> {
        let document = self.0.document();
        let turns = &document.transcript.turns;
        turns.iter().skip(turns.len().saturating_sub(count)).cloned().collect()
    }

    /// Forgets everything of this caller, in memory and on the disk.
    ///
    /// A turn that runs meanwhile leaves nothing behind. The audit log is another store, and holds no
    /// words.
    ///
    /// # Errors
    /// When the file cannot be removed: it is forgotten in memory, and the file is still there.
    pub fn clear(&self) -> Result<(), FileError> {
        let mut saved = self.0.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let version = {
            let mut document = self.0.document();
            document.transcript.clear();
            document.version = document.version.saturating_add(1);
            document.version
        };
        if let Some((storage, key)) = &self.0.file {
            storage.remove(&key.file_name())?;
        }
        *saved = version;
        Ok(())
    }

    /// Writes what has changed, and returns when it is on the disk. Blocks.
    ///
    /// # Errors
    /// When it cannot be written: the file holds what it held, and the next save tries again.
    pub fn save(&self) -> Result<(), FileError> {
        let Some((storage, key)) = &self.0.file else { return Ok(()) };
        let mut saved = self.0.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, version) = {
            let document = self.0.document();
            if document.version == *saved {
                return Ok(());
            }
            (format::encode(&document.transcript), document.version)
        };
        storage.replace(&key.file_name(), &bytes)?;
        *saved = version;
        Ok(())
    }

    /// A turn begins: the person's words are kept from here on (C-17).
    pub(crate) fn begin(&self, user: &str) -> u64 {
        let now = timestamp(&*self.0.clock);
        let mut number = 0;
        self.change(|transcript| {
            number = transcript.begin(now, user);
            true
        });
        self.keep();
        number
    }

    /// A call of this turn runs now.
    pub(crate) fn started(&self, turn: u64, call: PastCall) {
        self.change(|transcript| transcript.started(turn, call));
    }

    /// A call of this turn has its outcome.
    pub(crate) fn settled(&self, turn: u64, call: PastCall, was_started: bool) {
        self.change(|transcript| transcript.settled(turn, call, was_started));
    }

    /// The turn is over.
    pub(crate) fn end(&self, turn: u64, text: &str, end: TurnEnd, code: Option<&str>) {
        self.change(|transcript| transcript.end(turn, text, end, code));
        self.keep();
    }

    /// The turns that the next summary takes up, when there are enough.
    pub(crate) fn to_fold(&self) -> Option<Batch> {
        self.0.document().transcript.to_fold()
    }

    /// Puts a summary in place of what went into it (F06).
    pub(crate) fn compact(&self, batch: &Batch, summary: &str) {
        self.change(|transcript| transcript.fold(batch, summary));
    }

    /// Looks at the transcript without copying it.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Transcript) -> T) -> T {
        look(&self.0.document().transcript)
    }

    /// Drops what is over the limits.
    fn keep(&self) {
        let (now, limits) = (timestamp(&*self.0.clock), self.0.retention);
        self.change(|transcript| transcript.keep(limits, now, format::size));
    }

    fn change(&self, change: impl FnOnce(&mut Transcript) -> bool) {
        let mut document = self.0.document();
        if change(&mut document.transcript) {
            document.version = document.version.saturating_add(1);
        }
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.0.file.is_some()
    }
}

fn timestamp(clock: &dyn Clock) -> Timestamp {
    Timestamp::try_from(clock.wall()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
