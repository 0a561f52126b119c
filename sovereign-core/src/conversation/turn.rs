use super::{Receipt, Report, Shared, Skipped};
use crate::backend::BackendIdentity;
use crate::confirmation::{ConfirmationRequest, Decision};
use crate::executor::{Outcome, TurnLedger};
use futures_core::Stream;
use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// What happens in a turn, in order. Serialisable parts hold ids, never tokens.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A piece of the model's prose. Untrusted.
    Text(String),
    /// A backend gave up; text of this round so far is void. `next` is asked once the reader goes on.
    LegFailed {
        /// Who, and why.
        skipped: Skipped,
        /// Who is asked next.
        next: Option<BackendIdentity>,
    },
    /// The model asks for something; nothing of it has run. Untrusted text.
    Proposed {
        /// The name on the wire, unmodified.
        wire_name: String,
    },
    /// A person has to decide; the turn waits.
    ConfirmationRequested(ConfirmationRequest),
    /// A proposal ended.
    Settled(Outcome),
    /// The turn is over.
    Finished(Box<Report>),
}

#[derive(Clone, Default)]
pub(super) struct Events(Arc<Mutex<VecDeque<Event>>>);

impl Events {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, event: Event) {
        self.lock().push_back(event);
    }

    /// Hands the event to the reader before anything else happens.
    pub(super) async fn emit(&self, event: Event) {
        self.push(event);
        poll_fn(|_| if self.lock().is_empty() { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

/// One exchange: an owned stream of events that runs only while it is polled and ends when it is
/// dropped. `Send + 'static`: keep it in a map between two requests, or give it to a task.
pub struct Turn {
    events: Events,
    ledger: Arc<TurnLedger>,
    shared: Arc<Shared>,
    driver: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Turn").field(&self.ledger.turn()).finish()
    }
}

impl Turn {
    pub(super) fn new(
        events: Events,
        ledger: Arc<TurnLedger>,
        shared: Arc<Shared>,
        driver: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self { events, ledger, shared, driver: Some(Box::pin(driver)) }
    }

    /// What its proposals share: its id, and every outcome so far, also those of a turn that was
    /// cancelled.
    #[must_use]
    pub const fn ledger(&self) -> &Arc<TurnLedger> {
        &self.ledger
    }

    /// The next event; nothing runs ahead of the reader. Safe to cancel.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// Runs to the end; `decide` answers for the person.
    pub async fn run(mut self, mut decide: impl FnMut(&ConfirmationRequest) -> Decision) -> Report {
        while let Some(event) = self.next().await {
            match event {
                Event::ConfirmationRequested(request) => {
                    // an answer that came too late is an outcome of its own
                    if let Err(late) = request.decide(decide(&request)) {
                        tracing::info!(%late, "a decision had no effect");
                    }
                }
                Event::Finished(report) => return *report,
                Event::Text(_)
                | Event::LegFailed { .. }
                | Event::Proposed { .. }
                | Event::Settled(_) => {}
            }
        }
        Report::default()
    }

    /// Stops here and waits until everything of this turn has its terminal record, and the transcript
    /// has it on the disk. What became of each proposal, in the order in which they ended: what ran is
    /// among it, and so is what was cut off.
    pub async fn cancel(self) -> Vec<Receipt> {
        let (ledger, shared) = (Arc::clone(&self.ledger), Arc::clone(&self.shared));
        drop(self);
        ledger.idle().await;
        drop(shared.state()); // takes up what came late
        if let Err(error) = shared.save().await {
            tracing::error!(error, "the transcript could not be saved");
        }
        ledger.outcomes().iter().map(Receipt::of).collect()
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(event) = self.events.lock().pop_front() {
                return Poll::Ready(Some(event));
            }
            let Some(driver) = &mut self.driver else { return Poll::Ready(None) };
            if driver.as_mut().poll(cx).is_ready() {
                self.driver = None;
            } else if self.events.lock().is_empty() {
                return Poll::Pending;
            }
        }
    }
}

impl Stream for Turn {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll_event(cx)
    }
}
