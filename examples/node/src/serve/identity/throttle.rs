use super::Secret;
use super::secret::SecretHash;
use sovereign_core::clock::{Clock, Moment};
use sovereign_core::entropy::{Entropy, EntropyError};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a login counts.
pub(crate) const LOGIN_WINDOW: Duration = Duration::from_secs(300);
/// How many failed logins of one name, or of one known browser, may count at a time.
pub(crate) const MAX_FAILURES: usize = 5;
/// How many failed logins of browsers that nobody knows may count at a time, whatever the names.
pub(crate) const MAX_FAILURES_OVERALL: usize = 20;
/// How many logins of one account may succeed: each costs a hash.
const MAX_SUCCESSES: usize = 64;
/// How many browsers are remembered.
const MAX_BROWSERS: usize = 256;

/// Counts logins with a password. An attempt counts as failed from its beginning, so that many at once
/// are no way around it.
///
/// A browser that has logged in before counts by itself: whoever only reaches the port can shut an
/// account to strangers, and not to the people of the house.
pub(crate) struct Throttle {
    clock: Arc<dyn Clock>,
    attempts: Mutex<Attempts>,
}

#[derive(Default)]
struct Attempts {
    next: u64,
    recent: VecDeque<Recent>,
    /// Whose browser it is, by what it was given.
    browsers: HashMap<SecretHash, (SecretHash, Moment)>,
}

struct Recent {
    number: u64,
    at: Moment,
    whose: Whose,
    failed: bool,
}

/// What an attempt counts for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// A name, from a browser that nobody knows.
    Name(SecretHash),
    /// No account can have this name.
    Nobody,
    /// A browser that has been in under this name.
    Browser(SecretHash),
}

/// One attempt that was let through; failed unless it is said to have succeeded.
#[must_use]
pub(crate) struct Attempt {
    throttle: Arc<Throttle>,
    number: u64,
    name: SecretHash,
}

impl Throttle {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, attempts: Mutex::default() }
    }

    fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an attempt under `name` through, or says how long to wait; one of `browsers` may be what an
    /// earlier login gave it.
    pub(crate) fn begin(
        self: &Arc<Self>,
        name: &str,
        is_name: bool,
        browsers: &[&str],
    ) -> Result<Attempt, Duration> {
        let (now, name) = (self.clock.now(), SecretHash::of(name));
        let mut attempts = self.attempts();
        attempts.recent.retain(|recent| now.since(recent.at) < LOGIN_WINDOW);
        let browser = browsers.iter().map(|browser| SecretHash::of(browser)).find(|browser| {
            attempts.browsers.get(browser).is_some_and(|(owner, _)| owner.is(&name))
        });
        let whose = match browser {
            Some(browser) => Whose::Browser(browser),
            None if is_name => Whose::Name(name),
            None => Whose::Nobody,
        };
        let strangers = |r: &&Recent| r.failed && !matches!(r.whose, Whose::Browser(_));
        let own = |r: &&Recent| r.failed && r.whose == whose && whose != Whose::Nobody;
        let succeeded = |r: &&Recent| !r.failed && r.whose == Whose::Name(name);
        let oldest = [
            attempts.full(MAX_FAILURES, own),
            attempts.full(MAX_FAILURES_OVERALL, |r| browser.is_none() && strangers(r)),
            attempts.full(MAX_SUCCESSES, succeeded),
        ];
        if let Some(oldest) = oldest.into_iter().flatten().next() {
            return Err(LOGIN_WINDOW.saturating_sub(now.since(oldest)));
        }
        attempts.next = attempts.next.saturating_add(1);
        let number = attempts.next;
        attempts.recent.push_back(Recent { number, at: now, whose, failed: true });
        drop(attempts);
        Ok(Attempt { throttle: Arc::clone(self), number, name })
    }
}

impl Attempts {
    /// When the oldest of these was, if there are as many as may count.
    fn full(&self, most: usize, which: impl Fn(&&Recent) -> bool) -> Option<Moment> {
        let mut counted = self.recent.iter().filter(which);
        let oldest = counted.next()?;
        (counted.count() >= most.saturating_sub(1)).then_some(oldest.at)
    }
}

impl Attempt {
    /// It was the right person; the browser is known by what this gives.
    pub(crate) fn succeeded(self, entropy: &dyn Entropy) -> Result<Secret, EntropyError> {
        let browser = Secret::random(entropy)?;
        let now = self.throttle.clock.now();
        let mut attempts = self.throttle.attempts();
        for recent in attempts.recent.iter_mut().filter(|recent| recent.number == self.number) {
            (recent.failed, recent.whose) = (false, Whose::Name(self.name));
        }
        if attempts.browsers.len() >= MAX_BROWSERS {
            let oldest = attempts.browsers.iter().min_by_key(|(_, (_, at))| *at);
            let oldest = oldest.map(|(browser, _)| *browser);
            oldest.and_then(|browser| attempts.browsers.remove(&browser));
        }
        attempts.browsers.insert(browser.hash(), (self.name, now));
        Ok(browser)
    }
}
