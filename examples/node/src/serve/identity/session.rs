use super::secret::SecretHash;
use super::throttle::LOGIN_WINDOW;
use super::{Role, Secret};
use crate::serve::live::Live;
use sovereign_core::caller::CallerScope;
use sovereign_core::clock::Moment;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How many requests a session may make within [`RATE_WINDOW`].
pub(crate) const MAX_REQUESTS: usize = 240;
/// How many of them may be calls of a button: each is written into the audit log.
pub(crate) const MAX_RUNS: usize = 20;
/// See [`MAX_REQUESTS`].
pub(crate) const RATE_WINDOW: Duration = Duration::from_secs(10);
/// How many wrong passwords a session may give within [`LOGIN_WINDOW`].
pub(crate) const MAX_WRONG_PROOFS: usize = 5;

/// One login of one browser. The role is the one it came in with: with another one it is over.
pub(crate) struct Session {
    /// Names the session in scopes and logs; decides nothing.
    pub(crate) id: String,
    pub(crate) user: String,
    pub(crate) role: Role,
    pub(crate) csrf: Secret,
    /// Whether it came in with a one-time token and has set no password yet: no old one is asked for.
    pub(crate) by_token: AtomicBool,
    pub(crate) live: Live,
    pub(super) cookie: SecretHash,
    pub(super) began: (Moment, SystemTime),
    pub(super) state: Mutex<State>,
}

pub(super) struct State {
    /// Those it goes on under: one, and two while this session sets a password.
    pub(super) stamps: Vec<String>,
    pub(super) used: (Moment, SystemTime),
    pub(super) requests: VecDeque<Moment>,
    pub(super) runs: VecDeque<Moment>,
    pub(super) proofs: VecDeque<Moment>,
}

impl Session {
    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whom the executor sees.
    pub(crate) fn scope(&self) -> CallerScope {
        CallerScope::operator(self.user.as_str(), self.id.as_str())
    }

    /// This session is about to set its account's password: it goes on under the new stamp too.
    pub(crate) fn also_under(&self, stamp: &str) {
        self.state().stamps.push(stamp.to_owned());
    }

    /// It did, or it did not.
    pub(crate) fn only_under(&self, stamp: &str, done: bool) {
        self.state().stamps.retain(|other| (other == stamp) == done);
        if done {
            self.by_token.store(false, Ordering::SeqCst);
        }
    }

    /// Counts a request; false when there are too many.
    pub(crate) fn may_go_on(&self, now: Moment) -> bool {
        room(&mut self.state().requests, MAX_REQUESTS, RATE_WINDOW, now)
    }

    /// Counts a call that a button of the page makes; false when there are too many.
    pub(crate) fn may_run(&self, now: Moment) -> bool {
        room(&mut self.state().runs, MAX_RUNS, RATE_WINDOW, now)
    }

    /// Counts a password that has to prove who asks, as wrong until it is said to be right, or says how
    /// long to wait. By the session, so that strangers who fail to log in are in nobody's way here.
    pub(crate) fn may_prove(&self, now: Moment) -> Result<(), Duration> {
        let proofs = &mut self.state().proofs;
        if room(proofs, MAX_WRONG_PROOFS, LOGIN_WINDOW, now) {
            return Ok(());
        }
        let oldest = proofs.front().map_or(LOGIN_WINDOW, |oldest| now.since(*oldest));
        Err(LOGIN_WINDOW.saturating_sub(oldest))
    }

    /// The last one was right.
    pub(crate) fn proved(&self) {
        self.state().proofs.pop_back();
    }

    /// Whoever has cookie and token did something.
    pub(crate) fn is_used(&self, now: (Moment, SystemTime)) {
        self.state().used = now;
    }
}

fn room(recent: &mut VecDeque<Moment>, most: usize, within: Duration, now: Moment) -> bool {
    recent.retain(|at| now.since(*at) < within);
    let has_room = recent.len() < most;
    if has_room {
        recent.push_back(now);
    }
    has_room
}
