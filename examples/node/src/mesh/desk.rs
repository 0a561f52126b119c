use super::config::WINDOW;
use super::message::Message;
use super::{MeshConfig, Peer};
use sovereign_core::clock::{Clock, Moment};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Where every message is judged before anything of it costs more than being read: who asks, how long
/// it is, how often, how many at once.
pub(super) struct Desk {
    config: MeshConfig,
    clock: Arc<dyn Clock>,
    /// Turns that run or wait.
    places: Arc<Semaphore>,
    /// Turns that run.
    running: Arc<Semaphore>,
    accounts: Mutex<HashMap<Account, State>>,
}

/// Whom a turn counts against. There are as many as contacts, and one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Account {
    Contact(Peer),
    /// Everybody else together.
    Others,
}

#[derive(Debug, Default)]
struct State {
    /// The turns of the last hour.
    turns: VecDeque<Moment>,
    is_open: bool,
    /// What it was told since its last turn: airtime is not spent on saying it again.
    told: HashSet<&'static str>,
}

/// Why a message opens no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NotAdmitted,
    TooLong,
    Busy,
    RateLimited,
    Overloaded,
}

impl Refusal {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::NotAdmitted => "not_admitted",
            Self::TooLong => "message_too_long",
            Self::Busy => "busy",
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
        }
    }

    /// What the peer is told. Who may not ask is not answered at all.
    const fn words(self) -> &'static str {
        match self {
            Self::NotAdmitted => "",
            Self::TooLong => "the message is too long",
            Self::Busy => "your last question is still being answered",
            Self::RateLimited => "too many questions in an hour",
            Self::Overloaded => "too many are asking: try again later",
        }
    }
}

/// The right to one turn; dropping it makes room for the next.
pub(super) struct Ticket {
    desk: Arc<Desk>,
    account: Account,
    _place: OwnedSemaphorePermit,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(state) = self.desk.accounts().get_mut(&self.account) {
            state.is_open = false;
        }
    }
}

impl Ticket {
    /// Waits for the turn's place among those that run.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.desk.running).acquire_owned().await.ok()
    }

    /// Whether it is the ticket of a contact.
    pub(super) const fn is_contacts(&self) -> bool {
        matches!(self.account, Account::Contact(_))
    }
}

impl Desk {
    pub(super) fn new(config: MeshConfig, clock: Arc<dyn Clock>) -> Self {
        let concurrent = config.concurrent.max(1);
        let places = concurrent.saturating_add(config.queued).min(Semaphore::MAX_PERMITS);
        Self {
            config,
            clock,
            places: Arc::new(Semaphore::new(places)),
            running: Arc::new(Semaphore::new(concurrent.min(Semaphore::MAX_PERMITS))),
            accounts: Mutex::default(),
        }
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<Account, State>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a message in, or says why not and in which words, if in any.
    pub(super) fn admit(
        self: &Arc<Self>,
        message: &Message,
    ) -> Result<Ticket, (Refusal, &'static str)> {
        let contacts = &self.config.contacts;
        if contacts.categories(&message.peer).is_none() {
            return Err((Refusal::NotAdmitted, Refusal::NotAdmitted.words()));
        }
        let account = if contacts.is_contact(&message.peer) {
            Account::Contact(message.peer.clone())
        } else {
            Account::Others
        };
        let mut accounts = self.accounts();
        let state = accounts.entry(account.clone()).or_default();
        match self.take(state, message) {
            Ok(place) => {
                state.is_open = true;
                state.told.clear();
                Ok(Ticket { desk: Arc::clone(self), account, _place: place })
            }
            Err(refusal) => {
                let is_news = state.told.insert(refusal.code());
                Err((refusal, if is_news { refusal.words() } else { "" }))
            }
        }
    }

    fn take(&self, state: &mut State, message: &Message) -> Result<OwnedSemaphorePermit, Refusal> {
        if message.text.len() > self.config.message_bytes {
            return Err(Refusal::TooLong);
        }
        if state.is_open {
            return Err(Refusal::Busy);
        }
        let now = self.clock.now();
        state.turns.retain(|began| now.since(*began) < WINDOW);
        if state.turns.len() >= self.config.turns_per_hour {
            return Err(Refusal::RateLimited);
        }
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| Refusal::Overloaded)?;
        state.turns.push_back(now);
        Ok(place)
    }
}
