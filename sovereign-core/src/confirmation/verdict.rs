use super::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Approved,
    Denied,
    Expired,
    /// Session end, logout, shutdown.
    Withdrawn,
    /// A valid token, presented where it does not belong.
    WrongContext,
}

/// One answer, from whoever decides to whoever waits: the first verdict stands. Free of any runtime,
/// so that it can be modelled.
#[derive(Default)]
pub(super) struct Answer(Mutex<(Option<Verdict>, Option<Waker>)>);

impl Answer {
    pub(super) fn give(&self, verdict: Verdict) {
        let mut answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answer.0.get_or_insert(verdict);
        let waker = answer.1.take();
        drop(answer);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Verdict> {
        let mut answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answer.0 {
            Some(verdict) => Poll::Ready(verdict),
            None => {
                answer.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
