use super::identity::{Accounts, LoginTokens, Role, Session, Sessions, Throttle};
use super::limits::Limits;
use super::live::over;
use super::rpc::RpcError;
use serde_json::value::RawValue;
use sovereign_backends::Guarded;
use sovereign_core::audit::{AccountChange, Administrative, AdministrativeRecord, Audit, Record};
use sovereign_core::caller::GrantsFile;
use sovereign_core::clock::{Clock, Moment};
use sovereign_core::conversation::TurnLimits;
use sovereign_core::entropy::Entropy;
use sovereign_core::executor::Administration;
use sovereign_core::host::{Executor, Histories};
use sovereign_core::policy::PolicyFile;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedRwLockReadGuard, RwLock, Semaphore};

/// How long a session's turn may take to stop before the session is ended without it.
const STOPPING: Duration = Duration::from_secs(10);
/// How many passwords are checked at once: each takes 19 MiB.
const HASHING: usize = 2;

/// Says which backends there are now: a key may come or go while the daemon runs. Each keeps its guard,
/// so that what one conversation found out holds for all.
pub type Legs = Box<dyn Fn() -> Vec<Arc<Guarded>> + Send + Sync>;

/// What a daemon is put together from. A program takes its own; a test puts others in their place.
#[expect(clippy::exhaustive_structs, reason = "whoever builds a daemon gives all of it")]
pub struct Parts {
    /// The one choke point.
    pub executor: Executor,
    /// The backends that a conversation which begins now would ask, in order of preference.
    pub legs: Legs,
    /// The transcripts; none: nothing is remembered.
    pub histories: Option<Arc<Histories>>,
    /// The one way to change grants and switches.
    pub administration: Administration,
    /// The grants that `administration` changes and the executor asks.
    pub grants: Arc<GrantsFile>,
    /// The same for the switches.
    pub policy: Arc<PolicyFile>,
    /// Who may come in.
    pub accounts: Accounts,
    /// The log that the executor writes to; logins go there too.
    pub audit: Arc<dyn Audit>,
    /// Where that log is read from.
    pub audit_directory: PathBuf,
    /// What one turn may use.
    pub turns: TurnLimits,
    /// What one connection may use.
    pub limits: Limits,
    /// The clock of sessions, one-time tokens and login limits; the executor has its own.
    pub clock: Arc<dyn Clock>,
    /// Where cookies and tokens come from.
    pub entropy: Arc<dyn Entropy>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").field("executor", &self.executor).finish_non_exhaustive()
    }
}

/// What all requests share.
pub(crate) struct Service {
    pub(crate) parts: Parts,
    /// The port in the names that browsers must use.
    pub(crate) port: u16,
    pub(crate) sessions: Sessions,
    pub(crate) tokens: LoginTokens,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) hashing: Arc<Semaphore>,
    /// Who reads the audit log: each reads all of it.
    pub(crate) reading: Arc<Semaphore>,
    /// What backends said last.
    pub(crate) probed: tokio::sync::Mutex<Option<(Moment, Box<RawValue>)>>,
    /// The accounts as this program knows them.
    accounts: Mutex<Vec<String>>,
    /// Held by sessions that are being ended, which must be over before the program is.
    ending: Arc<RwLock<()>>,
    /// Held by changes of accounts, until they are in the log; they end sessions.
    changing: Arc<RwLock<()>>,
    closing: AtomicBool,
}

impl Service {
    pub(crate) fn new(parts: Parts, port: u16) -> Self {
        let (clock, entropy) = (Arc::clone(&parts.clock), Arc::clone(&parts.entropy));
        Self {
            sessions: Sessions::new(Arc::clone(&clock), entropy, parts.accounts.clone()),
            tokens: LoginTokens::new(Arc::clone(&clock)),
            throttle: Arc::new(Throttle::new(clock)),
            hashing: Arc::new(Semaphore::new(HASHING)),
            reading: Arc::new(Semaphore::new(parts.limits.readers)),
            probed: tokio::sync::Mutex::default(),
            accounts: Mutex::new(parts.accounts.state().unwrap_or_default()),
            ending: Arc::default(),
            changing: Arc::default(),
            closing: AtomicBool::new(false),
            parts,
            port,
        }
    }

    /// Puts an event into the log. One that cannot be written is said aloud; the executor runs nothing
    /// then.
    pub(crate) async fn record(&self, event: Administrative) {
        let (at, boot) = (self.parts.clock.wall(), Some(self.parts.executor.boot()));
        let record = Record::Administrative(AdministrativeRecord { at, boot, event });
        let written = match self.parts.audit.append(record) {
            Ok(()) => self.parts.audit.durable().await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            tracing::error!(%error, "an event could not be recorded");
        }
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Ends a session: withdraws its decisions, stops its turn, ends its streams, and records `event`.
    /// It is carried through even if whoever asked goes away. True for the one who did it.
    pub(crate) async fn end(
        self: &Arc<Self>,
        session: &Arc<Session>,
        event: Option<Administrative>,
    ) -> bool {
        if !self.sessions.take(session) {
            return false;
        }
        let scope = session.scope();
        // first, so that the decision ends as withdrawn and not for want of its turn
        self.parts.executor.void(&scope);
        let stopping = session.live.close();
        self.parts.executor.void(&scope);
        let (service, session) = (Arc::clone(self), Arc::clone(session));
        let unfinished = Arc::clone(&self.ending).read_owned().await;
        let rest = tokio::spawn(async move {
            let _unfinished = unfinished;
            service.stopped(stopping.into_iter().collect()).await;
            session.live.log_out();
            if let Some(event) = event {
                service.record(event).await;
            }
            tracing::info!(session = session.id, "session ended");
        });
        rest.await.is_ok()
    }

    /// Ends what has run out, also when nobody asks.
    pub(crate) async fn sweep(self: &Arc<Self>) {
        self.tokens.sweep(false);
        // by `passwd`, say, which cannot write to the log while this runs; accounts that cannot be read
        // have not changed
        let now = self.parts.accounts.state();
        if now.is_ok_and(|now| *self.known() != now) {
            self.accounts_changed(AccountChange::Elsewhere, None).await;
        }
        for session in self.sessions.over() {
            self.end(&session, None).await;
        }
    }

    /// A change of accounts begins: a daemon that stops waits until this is dropped.
    pub(crate) async fn changing(&self) -> Result<OwnedRwLockReadGuard<()>, RpcError> {
        let unfinished = Arc::clone(&self.changing).read_owned().await;
        if self.is_closing() { Err(RpcError::STOPPING) } else { Ok(unfinished) }
    }

    fn known(&self) -> MutexGuard<'_, Vec<String>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a change of accounts into the log.
    pub(crate) async fn accounts_changed(&self, change: AccountChange, role: Option<Role>) {
        if let Ok(now) = self.parts.accounts.state() {
            *self.known() = now;
        }
        let role = role.map(Role::word);
        tracing::info!(?change, role, "accounts changed");
        self.record(Administrative::AccountsChanged { change, role }).await;
    }

    /// The program ends: withdraws all decisions, stops all turns, ends all streams.
    pub(crate) async fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.tokens.sweep(true);
        let sessions = self.sessions.all();
        let voided = self.parts.executor.void_all();
        let stopping: Vec<_> = sessions.iter().filter_map(|s| s.live.close()).collect();
        tracing::info!(sessions = sessions.len(), turns = stopping.len(), voided, "stopping");
        self.parts.executor.void_all();
        self.stopped(stopping).await;
        for session in sessions {
            self.sessions.take(&session);
            session.live.state().watchers.clear();
        }
        // what was under way when the stop came; changes first, which may be ending sessions
        let unfinished = async {
            drop(self.changing.write().await);
            drop(self.ending.write().await);
        };
        if tokio::time::timeout(STOPPING, unfinished).await.is_err() {
            tracing::warn!("a change of accounts, or the end of a session, did not end in time");
        }
        if let Err(error) = self.parts.executor.durable().await {
            tracing::error!(%error, "what happened last could not be recorded");
        }
    }

    async fn stopped(&self, turns: Vec<tokio::sync::watch::Receiver<super::live::Phase>>) {
        let all = async {
            for turn in turns {
                over(turn).await;
            }
        };
        if tokio::time::timeout(STOPPING, all).await.is_err() {
            tracing::warn!("a turn did not stop in time");
        }
    }
}
