//! What goes on in one session: its conversation, the turn that runs, and who watches.

use super::stream::Watchers;
use serde::Serialize;
use serde_json::value::RawValue;
use sovereign_core::backend::Backend;
use sovereign_core::conversation::{Conversation, Receipt};
use sovereign_core::id::{InvocationId, PendingId, TurnId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The most bytes of a running turn's prose that a page that comes later gets to see.
const MAX_TEXT: usize = 256 << 10;

/// Where a turn stands.
#[derive(Clone)]
pub(crate) enum Phase {
    Going,
    Awaiting(Waiting),
    Over(Arc<Over>),
}

/// A turn that has ended.
#[derive(Serialize)]
pub(crate) struct Over {
    pub(crate) turn: TurnId,
    /// Core's report.
    pub(crate) report: Box<RawValue>,
    /// Whether somebody stopped it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cancelled: bool,
    #[serde(skip)]
    pub(crate) receipts: Vec<Receipt>,
}

/// A decision that is open.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) id: PendingId,
    pub(crate) audit_id: InvocationId,
}

pub(crate) struct Running {
    pub(crate) turn: TurnId,
    pub(crate) text: String,
    pub(crate) waiting: Option<Waiting>,
    pub(crate) phase: watch::Sender<Phase>,
    /// Set once somebody wants it to stop.
    pub(crate) stop: watch::Sender<bool>,
}

impl Running {
    pub(crate) fn push(&mut self, delta: &str) {
        if self.text.len().saturating_add(delta.len()) <= MAX_TEXT {
            self.text.push_str(delta);
        }
    }
}

#[derive(Default)]
pub(crate) struct State {
    /// With the backends that it was opened with.
    pub(crate) conversation: Option<(Conversation, Vec<Arc<dyn Backend>>)>,
    pub(crate) running: Option<Running>,
    pub(crate) last: Option<Arc<Over>>,
    pub(crate) watchers: Watchers,
    /// The session is over: no turn begins here any more.
    pub(crate) closed: bool,
}

/// Shared by the requests of one session, its event streams and the task of its turn.
pub(crate) struct Live {
    state: Mutex<State>,
    /// Moves whenever a turn begins, stands still or ends.
    moved: watch::Sender<()>,
}

impl Default for Live {
    fn default() -> Self {
        Self { state: Mutex::default(), moved: watch::Sender::new(()) }
    }
}

impl Live {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The decision that the running turn waits for.
    pub(crate) fn waiting(&self) -> Option<Waiting> {
        self.state().running.as_ref().and_then(|running| running.waiting)
    }

    pub(crate) fn moved(&self) -> watch::Receiver<()> {
        self.moved.subscribe()
    }

    pub(crate) fn tell_moved(&self) {
        self.moved.send_replace(());
    }

    /// A decision is no longer open; whoever notices first says so.
    pub(crate) fn resolved(&self, id: PendingId, how: &'static str) {
        let mut state = self.state();
        let Some(running) = &mut state.running else { return };
        if running.waiting.take_if(|waiting| waiting.id == id).is_none() {
            return;
        }
        running.phase.send_replace(Phase::Going);
        let turn = running.turn;
        state.watchers.tell(&Resolved { r#type: "resolved", turn, id, how });
        drop(state);
        self.tell_moved();
    }

    /// A turn has ended; a later one, and what that one asks, is none of its business.
    pub(crate) fn finish(&self, over: &Arc<Over>) {
        let is_own = |running: &&Running| running.turn == over.turn;
        let waiting = {
            let state = self.state();
            state.running.as_ref().filter(is_own).and_then(|running| running.waiting)
        };
        if let Some(waiting) = waiting {
            self.resolved(waiting.id, "withdrawn");
        }
        let mut state = self.state();
        let running = state.running.take_if(|running| running.turn == over.turn);
        let Some(running) = running else { return };
        state.last = Some(Arc::clone(over));
        state.watchers.tell(&Finished { r#type: "finished", over });
        running.phase.send_replace(Phase::Over(Arc::clone(over)));
        drop(state);
        self.tell_moved();
    }

    /// Tells every stream that the session is over, and ends it.
    pub(crate) fn log_out(&self) {
        let mut state = self.state();
        state.watchers.tell(&LoggedOut { r#type: "logged_out" });
        state.watchers.clear();
    }

    /// No turn begins here any more; stops the one that runs, and gives what waits for its end.
    pub(crate) fn close(&self) -> Option<watch::Receiver<Phase>> {
        let mut state = self.state();
        state.closed = true;
        let running = state.running.as_ref()?;
        running.stop.send_replace(true);
        Some(running.phase.subscribe())
    }
}

#[derive(Serialize)]
struct Finished<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    over: &'a Over,
}

#[derive(Serialize)]
struct LoggedOut {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Resolved {
    r#type: &'static str,
    turn: TurnId,
    id: PendingId,
    how: &'static str,
}

/// Ends when the turn is over.
pub(crate) async fn over(mut phase: watch::Receiver<Phase>) -> Option<Arc<Over>> {
    let ended = phase.wait_for(|phase| matches!(phase, Phase::Over(_))).await.ok()?;
    match &*ended {
        Phase::Over(over) => Some(Arc::clone(over)),
        Phase::Going | Phase::Awaiting(_) => None,
    }
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
