use super::lock;
use crate::BoxFuture;
use crate::clock::{Clock, Moment};
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::{Duration, SystemTime};

/// Stands still until told to move. Clones are the same clock.
///
/// It starts at zero on its monotonic line and at 2026-01-01T00:00:00Z on its wall.
#[derive(Debug, Clone, Default)]
pub struct PausedClock(Arc<Mutex<Paused>>);

#[derive(Debug)]
struct Paused {
    now: Duration,
    wall: SystemTime,
    sleepers: Vec<Waker>,
}

impl Default for Paused {
    fn default() -> Self {
        let start = Duration::from_secs(1_767_225_600);
        let wall = SystemTime::UNIX_EPOCH.checked_add(start).unwrap_or(SystemTime::UNIX_EPOCH);
        Self { now: Duration::ZERO, wall, sleepers: Vec::new() }
    }
}

impl PausedClock {
    /// Moves both lines forward and wakes who sleeps.
    pub fn advance(&self, by: Duration) {
        self.advance_wall(by);
        self.advance_monotonic(by);
    }

    /// Moves the monotonic line alone: the wall clock was set back by as much.
    pub fn advance_monotonic(&self, by: Duration) {
        let mut paused = lock(&self.0);
        paused.now = paused.now.saturating_add(by);
        let sleepers = std::mem::take(&mut paused.sleepers);
        drop(paused);
        sleepers.into_iter().for_each(Waker::wake);
    }

    /// Moves the wall alone: the machine was suspended.
    pub fn advance_wall(&self, by: Duration) {
        let mut paused = lock(&self.0);
        paused.wall = paused.wall.checked_add(by).unwrap_or(paused.wall);
    }

    /// Moves the wall back: somebody set the clock.
    pub fn set_wall_back(&self, by: Duration) {
        let mut paused = lock(&self.0);
        paused.wall = paused.wall.checked_sub(by).unwrap_or(paused.wall);
    }

    /// How many sleep.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        lock(&self.0).sleepers.len()
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Moment {
        Moment(lock(&self.0).now)
    }

    fn wall(&self) -> SystemTime {
        lock(&self.0).wall
    }

    fn sleep_until(&self, moment: Moment) -> BoxFuture<'static, ()> {
        let clock = Arc::clone(&self.0);
        Box::pin(poll_fn(move |cx| {
            let mut paused = lock(&clock);
            if paused.now >= moment.0 {
                return Poll::Ready(());
            }
            paused.sleepers.push(cx.waker().clone());
            Poll::Pending
        }))
    }
}
