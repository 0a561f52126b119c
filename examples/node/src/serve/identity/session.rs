use super::secret::SecretHash;
use super::{Role, Secret};
use crate::serve::live::Live;
use sovereign_core::caller::CallerScope;
use sovereign_core::clock::Moment;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How many requests a session may make within [`RATE_WINDOW`].
pub(crate) const MAX_REQUESTS: usize = 240;
/// See [`MAX_REQUESTS`].
pub(crate) const RATE_WINDOW: Duration = Duration::from_secs(10);

/// One login of one browser. The role is the one it came in with: with another one it is over.
pub(crate) struct Session {
    /// Names the session in scopes and logs; decides nothing.
    pub(crate) id: String,
    pub(crate) user: String,
    pub(crate) role: Role,
    pub(crate) csrf: Secret,
    /// Whether it came in with a one-time token, so that no old password is asked for.
    pub(crate) by_token: bool,
    pub(crate) live: Live,
    pub(super) cookie: SecretHash,
    pub(super) began: (Moment, SystemTime),
    pub(super) state: Mutex<State>,
}

pub(super) struct State {
    pub(super) stamp: String,
    pub(super) used: (Moment, SystemTime),
    pub(super) requests: VecDeque<Moment>,
}

impl Session {
    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whom the executor sees.
    pub(crate) fn scope(&self) -> CallerScope {
        CallerScope::operator(self.user.as_str(), self.id.as_str())
    }

    /// The account's password was set by this session: it goes on under the new stamp.
    pub(crate) fn restamp(&self, stamp: String) {
        self.state().stamp = stamp;
    }

    /// Counts a request; false when there are too many.
    pub(crate) fn may_go_on(&self, now: Moment) -> bool {
        let mut state = self.state();
        state.requests.retain(|at| now.since(*at) < RATE_WINDOW);
        let has_room = state.requests.len() < MAX_REQUESTS;
        if has_room {
            state.requests.push_back(now);
        }
        has_room
    }
}
