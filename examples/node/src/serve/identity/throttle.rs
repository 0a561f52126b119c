use super::secret::SecretHash;
use sovereign_core::clock::{Clock, Moment};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a failed login counts.
pub(crate) const LOGIN_WINDOW: Duration = Duration::from_secs(300);
/// How many failed logins of one name may count at a time.
pub(crate) const MAX_FAILURES: usize = 5;
/// How many failed logins may count at a time, whatever the names.
pub(crate) const MAX_FAILURES_OVERALL: usize = 20;

/// Counts failed logins, by name and overall. An attempt counts from its beginning, so that many at
/// once are no way around it; one that succeeds is taken back.
pub(crate) struct Throttle {
    clock: Arc<dyn Clock>,
    attempts: Mutex<Attempts>,
}

#[derive(Default)]
struct Attempts {
    next: u64,
    recent: VecDeque<Recent>,
}

struct Recent {
    number: u64,
    at: Moment,
    name: SecretHash,
}

/// One attempt that was let through; failed unless it is said to have succeeded.
#[must_use]
pub(crate) struct Attempt<'a> {
    throttle: &'a Throttle,
    number: u64,
}

impl Throttle {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, attempts: Mutex::default() }
    }

    fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an attempt under `name` through, or says how long to wait.
    pub(crate) fn begin(&self, name: &str) -> Result<Attempt<'_>, Duration> {
        let (now, name) = (self.clock.now(), SecretHash::of(name));
        let mut attempts = self.attempts();
        attempts.recent.retain(|recent| now.since(recent.at) < LOGIN_WINDOW);
        let of_name: Vec<_> = attempts.recent.iter().filter(|r| r.name.is(&name)).collect();
        let oldest = if of_name.len() >= MAX_FAILURES {
            of_name.first().copied()
        } else if attempts.recent.len() >= MAX_FAILURES_OVERALL {
            attempts.recent.front()
        } else {
            None
        };
        if let Some(oldest) = oldest {
            return Err(LOGIN_WINDOW.saturating_sub(now.since(oldest.at)));
        }
        attempts.next = attempts.next.saturating_add(1);
        let number = attempts.next;
        attempts.recent.push_back(Recent { number, at: now, name });
        drop(attempts);
        Ok(Attempt { throttle: self, number })
    }
}

impl Attempt<'_> {
    /// It was the right person.
    pub(crate) fn succeeded(self) {
        let mut attempts = self.throttle.attempts();
        attempts.recent.retain(|recent| recent.number != self.number);
    }
}
