//! A turn that runs in a task of its own while others look on: what a daemon needs.

use super::{Event, Report, Turn};
use crate::confirmation::ConfirmationRequest;
use std::sync::Arc;
use tokio::sync::watch;

/// Where a turn stands still: it needs a person, or it is over.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_enums, reason = "a turn stands still for nothing else")]
pub enum Pause {
    /// A decision is open.
    Decision(Arc<ConfirmationRequest>),
    /// The turn is over.
    Finished(Arc<Report>),
}

/// A view of a running turn; clones see the same.
#[derive(Debug, Clone)]
pub struct Followed(watch::Receiver<Option<Pause>>);

impl Turn {
    /// Splits into a view and the future that drives the turn: spawn the second, and keep its handle
    /// if the turn shall be cancellable. `on_event` sees every event first.
    pub fn follow(
        mut self,
        mut on_event: impl FnMut(&Event) + Send + 'static,
    ) -> (Followed, impl Future<Output = ()> + Send + 'static) {
        let (sender, view) = watch::channel(None);
        let drive = async move {
            while let Some(event) = self.next().await {
                on_event(&event);
                sender.send_replace(match event {
                    Event::ConfirmationRequested(request) => {
                        Some(Pause::Decision(Arc::new(request)))
                    }
                    Event::Finished(report) => Some(Pause::Finished(Arc::from(report))),
                    Event::Text(_)
                    | Event::LegFailed { .. }
                    | Event::Proposed { .. }
                    | Event::Settled(_) => None,
                });
            }
        };
        (Followed(view), drive)
    }
}

impl Followed {
    /// The next standstill; a decision that was already taken is none. `None`: the turn was dropped.
    pub async fn pause(&mut self) -> Option<Pause> {
        let stands = |pause: &Option<Pause>| match pause {
            Some(Pause::Decision(request)) => request.is_open(),
            Some(Pause::Finished(_)) => true,
            None => false,
        };
        self.0.wait_for(stands).await.ok().and_then(|pause| pause.clone())
    }
}
