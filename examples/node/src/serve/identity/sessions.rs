use super::secret::{SecretHash, hex};
use super::session::State;
use super::{Accounts, Role, Secret, Session};
use crate::serve::live::Live;
use sovereign_core::clock::Clock;
use sovereign_core::entropy::{Entropy, EntropyError};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a session lasts at most.
pub(crate) const SESSION_LIFE: Duration = Duration::from_secs(8 * 60 * 60);
/// How long a session lasts without a request.
pub(crate) const IDLE_LIFE: Duration = Duration::from_secs(2 * 60 * 60);
/// How many sessions there are at most.
pub(crate) const MAX_SESSIONS: usize = 256;
/// How many of them one account may have: one more, and the longest idle one is over.
pub(crate) const MAX_PER_ACCOUNT: usize = 16;

/// The sessions of this run, by the hash of their cookie; none outlives the program.
pub(crate) struct Sessions {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    accounts: Accounts,
    open: Mutex<HashMap<SecretHash, Arc<Session>>>,
}

/// Who comes in.
pub(crate) struct Entering {
    pub(crate) user: String,
    pub(crate) role: Role,
    pub(crate) stamp: String,
    pub(crate) by_token: bool,
}

impl Sessions {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        accounts: Accounts,
    ) -> Self {
        Self { clock, entropy, accounts, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SecretHash, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session under a new cookie; `None` when there are too many.
    pub(crate) fn begin(
        &self,
        who: Entering,
    ) -> Result<Option<(Secret, Arc<Session>)>, EntropyError> {
        let (cookie, csrf) = (Secret::random(&*self.entropy)?, Secret::random(&*self.entropy)?);
        let mut id = [0; 8];
        self.entropy.fill(&mut id)?;
        let now = (self.clock.now(), self.clock.wall());
        let (requests, runs, proofs) = Default::default();
        let state = State { stamps: vec![who.stamp], used: now, requests, runs, proofs };
        let session = Arc::new(Session {
            id: hex(&id),
            user: who.user,
            role: who.role,
            csrf,
            by_token: AtomicBool::new(who.by_token),
            live: Live::default(),
            cookie: cookie.hash(),
            began: now,
            state: Mutex::new(state),
        });
        let mut open = self.open();
        if open.len() >= MAX_SESSIONS {
            return Ok(None);
        }
        open.insert(session.cookie, Arc::clone(&session));
        Ok(Some((cookie, session)))
    }

    /// The session of this cookie. One that is over is no session any more, though it is still to be
    /// ended: [`Sessions::over`] gives it out. Looking does not count as use: a cookie alone proves
    /// nothing.
    pub(crate) fn find(&self, cookie: &str) -> Option<Arc<Session>> {
        let hash = SecretHash::of(cookie);
        let found = self.open().get(&hash).filter(|s| s.cookie.is(&hash)).map(Arc::clone)?;
        (!self.is_over(&found)).then_some(found)
    }

    /// Whether it is still a session; looking does not count as use.
    pub(crate) fn is_open(&self, session: &Session) -> bool {
        self.open().contains_key(&session.cookie) && !self.is_over(session)
    }

    /// The session that has to end for one more of this account, if one has to.
    pub(crate) fn surplus(&self, user: &str) -> Option<Arc<Session>> {
        let own: Vec<_> = self.all().into_iter().filter(|s| s.user == user).collect();
        let is_full = own.len() >= MAX_PER_ACCOUNT;
        is_full.then(|| own.into_iter().min_by_key(|session| session.state().used.0)).flatten()
    }

    /// Takes a session out; true for the one who did.
    pub(crate) fn take(&self, session: &Session) -> bool {
        self.open().remove(&session.cookie).is_some()
    }

    /// Those that are over and not yet taken out.
    pub(crate) fn over(&self) -> Vec<Arc<Session>> {
        self.all().into_iter().filter(|session| self.is_over(session)).collect()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.open().values().cloned().collect()
    }

    /// Either clock, or the account, says so.
    fn is_over(&self, session: &Session) -> bool {
        let (now, wall) = (self.clock.now(), self.clock.wall());
        let since = |(moment, at): (_, std::time::SystemTime)| {
            now.since(moment).max(wall.duration_since(at).unwrap_or_default())
        };
        let (used, stamps) = {
            let state = session.state();
            (state.used, state.stamps.clone())
        };
        if since(session.began) >= SESSION_LIFE || since(used) >= IDLE_LIFE {
            return true;
        }
        // accounts that cannot be read let nobody in
        let now = self.accounts.now(&session.user).ok().flatten();
        now.is_none_or(|account| !stamps.contains(&account.stamp))
    }
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
