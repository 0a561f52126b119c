//! How a run ends: the exit status, and what is said when it ends badly.

use crate::config::ConfigError;
use crate::confinement::ConfinedError;
use crate::data_dir::DataDirError;
use crate::serve::ServeError;
use crate::signals::Signal;
use crate::terminal::note;
use sovereign_backends::KeyError;
use sovereign_backends::outbound::OutboundError;
use sovereign_backends::routstr::PurseError;
use sovereign_core::audit::{AuditError, LogError, OutcomeKind};
use sovereign_core::backend::BackendError;
use sovereign_core::conversation::{Report, TurnError};
use sovereign_core::entropy::EntropyError;
use sovereign_core::executor::AdministrationError;
use sovereign_core::files::FileError;
use sovereign_core::history::ReadError;
use sovereign_core::registry::RegistryError;
use std::error::Error;
use std::io;
use std::process::ExitCode;

/// The exit statuses; the help text lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// There is an answer, or what was asked for is done.
    Answered,
    /// Something inside failed.
    Internal,
    /// The command line or the configuration is wrong.
    Usage,
    /// Something was proposed, and nothing of it ran to its end.
    NotDone,
    /// No backend gave an answer.
    NoBackend,
    /// A signal stopped it.
    Stopped(Signal),
}

impl Exit {
    /// The status of one turn.
    pub(crate) fn of(report: &Report) -> Self {
        let outcomes: Vec<_> = report.receipts.iter().map(|receipt| receipt.outcome).collect();
        Self::judge(report.error, &outcomes)
    }

    fn judge(error: Option<TurnError>, outcomes: &[OutcomeKind]) -> Self {
        match error {
            Some(TurnError::AuditUnavailable) => return Self::Internal,
            // no words came, for whatever reason
            Some(_) => return Self::NoBackend,
            None => {}
        }
        let executed = outcomes.contains(&OutcomeKind::Executed);
        if outcomes.is_empty() || executed { Self::Answered } else { Self::NotDone }
    }

    const fn status(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::NotDone => 3,
            Self::NoBackend => 4,
            Self::Stopped(signal) => signal.status(),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

/// Why a command came to no result. Each names what to do, where something can be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NodeError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    Administration(#[from] AdministrationError),
    #[error("{0}")]
    Usage(String),
    #[error("the audit log cannot be used")]
    Log(#[from] LogError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error("the transcript cannot be used")]
    History(#[from] FileError),
    #[error("the transcript cannot be shown")]
    Transcript(#[from] ReadError),
    #[error("the key cannot be kept")]
    Key(#[from] KeyError),
    #[error("the HTTP client cannot be set up")]
    Outbound(#[from] OutboundError),
    #[error(transparent)]
    Purse(#[from] PurseError),
    #[error(transparent)]
    Confined(#[from] ConfinedError),
    #[error("the HTTP client for the model cannot be set up")]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    #[error("nothing was changed")]
    NotRecorded(#[source] AuditError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("peers on a radio link cannot be heard")]
    Mesh(#[from] crate::mesh::SocketError),
    #[error("the output cannot be written")]
    Output(#[source] io::Error),
    #[error("the system refuses what a run needs")]
    System(#[source] io::Error),
}

impl NodeError {
    /// What to do next, where the error itself cannot know.
    const fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Log(LogError::Damaged(_)) => Some(
                "keep a copy of the `audit` directory for whoever finds out what happened; once it \
                 is moved away, `sovereign-node audit start-anew` begins a new log",
            ),
            Self::Log(LogError::InUse { .. }) => Some(
                "a `serve`, `ask` or `chat` is running there: use that one, or end it and try again",
            ),
            Self::Purse(PurseError::InUse) => Some(
                "a `serve`, `ask` or `chat` that may pay from it is running there: end it and try \
                 again; `sovereign-node purse list` works meanwhile",
            ),
            _ => None,
        }
    }

    /// Says it on standard error, with what caused it and what to do.
    pub(crate) fn note(&self) {
        note(told(self));
        if let Some(advice) = self.advice() {
            note(advice);
        }
    }

    /// Says it on standard error, and gives the status.
    pub(crate) fn tell(&self) -> Exit {
        if let Self::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            // whoever read the output has seen enough
            return Exit::Answered;
        }
        self.note();
        match self {
            Self::Config(_)
            | Self::Usage(_)
            | Self::DataDir(DataDirError::NoHome)
            | Self::Key(KeyError::Malformed)
            | Self::Purse(PurseError::Token(_) | PurseError::Missing { .. })
            | Self::Administration(
                AdministrationError::UnknownCategory(_) | AdministrationError::UnknownTarget(_),
            ) => Exit::Usage,
            _ => Exit::Internal,
        }
    }
}

/// An error on one line, with what caused it.
pub(crate) fn told(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Exit;
    use sovereign_core::audit::OutcomeKind::{self, *};
    use sovereign_core::conversation::TurnError;

    fn judge(error: Option<TurnError>, outcomes: &[OutcomeKind]) -> u8 {
        Exit::judge(error, outcomes).status()
    }

    #[test]
    fn answer_without_proposals_or_with_one_that_ran_is_0() {
        assert_eq!(judge(None, &[]), 0);
        assert_eq!(judge(None, &[Executed]), 0);
        assert_eq!(judge(None, &[Refused, Executed, Denied]), 0);
    }

    #[test]
    fn nothing_but_what_did_not_run_is_3() {
        for outcome in OutcomeKind::ALL.into_iter().filter(|o| *o != Executed) {
            assert_eq!(judge(None, &[outcome]), 3, "{outcome:?}");
        }
        assert_eq!(judge(None, &[Refused, Denied]), 3);
    }

    #[test]
    fn no_answer_is_4_and_a_log_that_takes_nothing_is_1() {
        for error in [TurnError::NoBackend, TurnError::OutOfTime, TurnError::OutOfRounds] {
            assert_eq!(judge(Some(error), &[Executed]), 4);
        }
        assert_eq!(judge(Some(TurnError::AuditUnavailable), &[]), 1);
    }
}
