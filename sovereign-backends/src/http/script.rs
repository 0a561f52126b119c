//! Answers that a test wrote down, in place of a network.
use super::Incoming;
use sovereign_core::backend::{BackendError, FailureClass};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Answers for one endpoint, each used once; every other endpoint is not there.
#[derive(Debug)]
pub(crate) struct Script {
    endpoint: &'static str,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: VecDeque<Scene>,
    requests: Vec<String>,
}

/// One answer.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) pieces: Pieces,
}

/// A body in the pieces in which it arrives, and how it ends.
#[derive(Debug)]
pub(crate) struct Pieces {
    pub(crate) bytes: VecDeque<Vec<u8>>,
    /// How long each piece lets wait for itself.
    pub(crate) pause: Duration,
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As HTTP says.
    Clean,
    /// The connection breaks.
    Reset,
    /// Nothing more ever comes.
    Silence,
}

impl Pieces {
    /// The next piece; between two of them other tasks get their turn, as on a network.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, BackendError> {
        if self.pause.is_zero() {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(self.pause).await;
        }
        if let Some(piece) = self.bytes.pop_front() {
            return Ok(Some(piece));
        }
        match self.end {
            End::Clean => Ok(None),
            End::Reset => Err(BackendError::new(
                FailureClass::Interrupted,
                "the connection broke before the reply was complete",
            )),
            End::Silence => std::future::pending().await,
        }
    }
}

impl Script {
    pub(crate) const fn new(endpoint: &'static str) -> Self {
        let state = State { answers: VecDeque::new(), requests: Vec::new() };
        Self { endpoint, state: Mutex::new(state) }
    }

    pub(crate) fn add(&self, scene: Scene) {
        self.state().answers.push_back(scene);
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    pub(super) fn open(
        &self,
        endpoint: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Incoming, BackendError> {
        if endpoint != self.endpoint {
            let pieces = Pieces { bytes: VecDeque::new(), pause: Duration::ZERO, end: End::Clean };
            return Ok(Incoming::script(404, String::new(), pieces));
        }
        let mut state = self.state();
        let body = String::from_utf8_lossy(&body.unwrap_or_default()).into_owned();
        state.requests.push(body);
        match state.answers.pop_front() {
            Some(Scene { status, content_type, pieces }) => {
                Ok(Incoming::script(status, content_type.to_owned(), pieces))
            }
            None => Err(BackendError::new(FailureClass::Unreachable, "the script is over")),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
