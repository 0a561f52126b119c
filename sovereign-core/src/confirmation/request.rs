use super::store::{Confirmations, Pending, Until};
use super::verdict::{Answer, Verdict};
use super::{Decision, Disclosure, NotOpen};
use crate::id::{InvocationId, PendingId};
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// How soon an expiry is noticed that only the wall clock says: a timer stands still while the
/// machine sleeps.
const GLANCE: Duration = Duration::from_secs(5);

/// One pending decision, for the person who decides: a value of its own, apart from the suspended
/// call, so that it can go to another task. It holds no token and may be shown and serialised.
#[derive(Clone)]
pub struct ConfirmationRequest {
    pub(super) pending: Arc<Pending>,
    pub(super) store: Arc<Confirmations>,
}

impl ConfirmationRequest {
    /// Names the decision; decides nothing.
    #[must_use]
    pub fn id(&self) -> PendingId {
        self.pending.id
    }

    /// What the person is shown.
    #[must_use]
    pub fn disclosure(&self) -> &Disclosure {
        &self.pending.disclosure
    }

    /// How long it can still be decided; zero when it no longer can.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        if self.is_open() { self.pending.until.remaining(self.store.now()) } else { Duration::ZERO }
    }

    /// Whether it can still be decided.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.store.is_open(self.pending.id)
    }

    /// For a front end in this process that asked the person itself, such as a terminal.
    ///
    /// # Errors
    /// When the decision is no longer open.
    pub fn decide(&self, decision: Decision) -> Result<InvocationId, NotOpen> {
        self.store.take_by_id(self.pending.id, decision)
    }
}

impl serde::Serialize for ConfirmationRequest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.pending.at(self.store.now()).serialize(serializer)
    }
}

impl fmt::Debug for ConfirmationRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pending.fmt(f)
    }
}

/// Holds the place of one open decision; leaving it closes the decision.
pub(crate) struct Place {
    pub(super) store: Arc<Confirmations>,
    pub(super) id: PendingId,
    pub(super) until: Until,
    pub(super) answer: Arc<Answer>,
}

impl Place {
    /// True when this end closed it, false when a presentation was faster.
    pub(crate) fn close(&self) -> bool {
        self.store.leave(self.id)
    }

    /// Waits for the one answer; the deadline gives it when nobody else does. An approval that is
    /// picked up after the deadline is none: it was for now.
    pub(crate) async fn verdict(&self) -> Verdict {
        loop {
            let now = self.store.now();
            let over = self.until.is_over(now);
            if over && self.close() {
                return Verdict::Expired;
            }
            let glance = self.until.moment.min(now.moment.after(GLANCE));
            let mut alarm = self.store.clock.sleep_until(glance);
            let answered = poll_fn(|cx| match self.answer.poll(cx) {
                Poll::Ready(verdict) => Poll::Ready(Some(verdict)),
                // closed by another, who is about to say how: no alarm is needed
                Poll::Pending if over => Poll::Pending,
                Poll::Pending => alarm.as_mut().poll(cx).map(|()| None),
            });
            match answered.await {
                Some(Verdict::Approved) if self.until.is_over(self.store.now()) => {
                    return Verdict::Expired;
                }
                Some(verdict) => return verdict,
                None => {}
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.close();
    }
}
