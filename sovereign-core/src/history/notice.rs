use crate::files::shown;
use std::fmt;
use std::path::PathBuf;

/// What was found when a transcript was opened: for an operator, one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The file was no whole transcript; it stands aside, untouched, and a new one is begun.
    Quarantined {
        /// Where the damaged file is now.
        path: PathBuf,
        /// What was wrong with it.
        why: String,
    },
    /// The program had stopped in the middle of a turn.
    Interrupted {
        /// How many turns had no end.
        turns: u64,
        /// How many calls had no outcome; each is told as `unknown_effect`, and none is run again.
        calls: u64,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quarantined { path, why } => write!(
                f,
                "the transcript was damaged ({why}) and is set aside as `{}`; a new one is begun",
                shown(path)
            ),
            Self::Interrupted { turns, calls } => write!(
                f,
                "the program had stopped in the middle of a turn ({turns} without an end, {calls} calls without an outcome); nothing of it is run again"
            ),
        }
    }
}
