//! The only source of time.

use crate::BoxFuture;
use std::time::{Duration, Instant, SystemTime};

/// A point on a clock's own monotonic line, as the time since that clock's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub(crate) Duration);

impl Moment {
    /// The moment this much later.
    #[must_use]
    pub const fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// How long after `earlier` this is; zero when it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Monotonic and wall time, and a way to wait.
///
/// A program uses [`SystemClock`]; tests use `testing::PausedClock`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a clock",
    label = "not a `Clock`",
    note = "leave it out for the clock of the machine, or pass `testing::PausedClock` in tests"
)]
pub trait Clock: Send + Sync + 'static {
    /// Now, on the monotonic line.
    fn now(&self) -> Moment;
    /// Now, as the wall shows it; may jump.
    fn wall(&self) -> SystemTime;
    /// Ends when `moment` has come.
    fn sleep_until(&self, moment: Moment) -> BoxFuture<'static, ()>;
}

/// The machine's own clocks.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        Moment(self.0.elapsed())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep_until(&self, moment: Moment) -> BoxFuture<'static, ()> {
        // A moment past the end of the machine's line never comes.
        match self.0.checked_add(moment.0) {
            Some(at) => Box::pin(tokio::time::sleep_until(at.into())),
            None => Box::pin(std::future::pending()),
        }
    }
}
