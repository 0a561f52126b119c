use super::AuditError;
use super::log::{Log, State, Waiting};
use std::time::Duration;
use tokio::sync::oneshot;

/// How somebody learns that all is on the disk.
pub(super) enum Durable<'a> {
    /// There is nothing to wait for.
    Already,
    /// From whoever seals.
    Awaits(oneshot::Receiver<Result<(), AuditError>>),
    /// By sealing it himself, if nobody else comes.
    Alone(Alone<'a>),
}

/// Whether a caller that is alone may sync in its own thread: waking another thread and being woken by it
/// takes as long as a fast disk, and nothing beside a slow one, which would hold up the runtime.
#[derive(Debug, Default)]
pub(super) struct Lone {
    /// How long syncs take: the last one, or one before that took much longer.
    pace: Option<Duration>,
    /// Whether the last sync served more than one.
    crowded: bool,
    /// How many think that they are alone.
    candidates: u32,
}

impl Lone {
    /// What a sync says that took so long, and for which, or behind which, `asked` wait.
    pub(super) fn learn(&mut self, took: Duration, asked: usize) {
        let faded = self.pace.map_or(Duration::ZERO, |pace| pace.mul_f32(0.75));
        self.pace = Some(took.max(faded));
        self.crowded = asked > 1;
    }
}

impl State {
    fn may_seal_in_place(&self, limit: Duration) -> bool {
        let fast = self.lone.pace.is_some_and(|pace| pace <= limit);
        fast && !self.lone.crowded && self.is_quiet()
    }

    fn is_quiet(&self) -> bool {
        self.is_plain() && !self.sealing && self.waiting.is_empty() && !self.closing
    }
}

impl Log {
    /// Enters whoever asks now for what is written now.
    pub(super) fn durable(&self) -> Durable<'_> {
        let mut state = self.lock();
        if !state.is_behind() {
            return Durable::Already;
        }
        let n = state.chain.n;
        if state.may_seal_in_place(self.options.in_place) {
            state.lone.candidates = state.lone.candidates.saturating_add(1);
            return Durable::Alone(Alone { log: self, n });
        }
        Durable::Awaits(self.enlist(&mut state, n))
    }

    fn enlist(&self, state: &mut State, n: u64) -> oneshot::Receiver<Result<(), AuditError>> {
        let (done, waits) = oneshot::channel();
        state.waiting.push(Waiting { n, done });
        self.work.notify_one();
        waits
    }
}

/// A caller that found nobody else there.
pub(super) struct Alone<'a> {
    log: &'a Log,
    n: u64,
}

impl Alone<'_> {
    /// Seals here, or waits for the thread when it turns out that others are there.
    pub(super) async fn seal(self) -> Result<(), AuditError> {
        // on a runtime of one thread, others come only while this one stands back
        tokio::task::yield_now().await;
        let waits = {
            let mut state = self.log.lock();
            if state.lone.candidates == 1 && state.is_quiet() && state.is_behind() {
                state = self.log.seal(state);
                if state.asleep || !state.waiting.is_empty() || state.closing {
                    self.log.work.notify_one();
                }
            }
            if state.sealed >= self.n {
                return Ok(());
            }
            if !state.is_behind() {
                return Err(state.failed.clone().unwrap_or_else(gone));
            }
            self.log.enlist(&mut state, self.n)
        };
        // counted until here, so that the next one sees that it is not alone
        drop(self);
        waits.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        let mut state = self.log.lock();
        state.lone.candidates = state.lone.candidates.saturating_sub(1);
    }
}

pub(super) fn gone() -> AuditError {
    AuditError::new("it is closed")
}
