//! The signals that stop a run.

use std::io;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// Which signal came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// Asked to end.
    Terminate,
    /// The terminal went away.
    Hangup,
}

impl Signal {
    /// 128 and the signal's number, as a shell reports it.
    pub(crate) const fn status(self) -> u8 {
        match self {
            Self::Hangup => 129,
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

/// From here on the signals no longer end the process: whoever holds this has to.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hangup: Stream,
}

impl Signals {
    /// Needs a runtime around it.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hangup.recv() => Signal::Hangup,
        }
    }
}
