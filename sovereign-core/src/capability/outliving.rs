//! Work that no deadline stops: it is counted, and its coming back is told.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Told once for each piece of work that came back after its call had ended.
pub(crate) trait Late: Send + Sync {
    fn came_back(&self);
}

/// The work of one call that runs beside it.
pub(crate) struct Outliving {
    state: Mutex<State>,
    late: Box<dyn Late>,
}

#[derive(Default)]
struct State {
    running: u32,
    ended: bool,
}

impl Outliving {
    pub(crate) fn new(late: impl Late + 'static) -> Self {
        Self { state: Mutex::default(), late: Box::new(late) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more piece, until the guard is dropped.
    pub(crate) fn starts(self: &Arc<Self>) -> Piece {
        let mut state = self.state();
        state.running = state.running.saturating_add(1);
        Piece(Arc::clone(self))
    }

    /// Ends the call, and tells `end` whether something is still running. What comes back from then
    /// on is late, and is told after `end` is done.
    pub(crate) fn end<T>(&self, end: impl FnOnce(bool) -> T) -> T {
        let mut state = self.state();
        state.ended = true;
        end(state.running > 0)
    }
}

/// One piece of work that runs.
pub(crate) struct Piece(Arc<Outliving>);

impl Drop for Piece {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.running = state.running.saturating_sub(1);
        let late = state.ended;
        drop(state);
        if late {
            self.0.late.came_back();
        }
    }
}
