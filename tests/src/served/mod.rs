//! A daemon in this process, over a real socket, with a model that does what it is told.
mod browser;
mod gated;
mod load;
mod model;
mod wire;

pub use browser::{Lines, Page};
pub use gated::Gated;
pub use load::{Figures, load};
pub use model::Obedient;
pub use wire::{Reply, raw, request};

use crate::{LAB, Lab};
use sovereign_backends::guarded;
use sovereign_core::BoxFuture;
use sovereign_core::audit::{FileAudit, StoredEntry, StoredRecord};
use sovereign_core::backend::Backend;
use sovereign_core::caller::GrantsFile;
use sovereign_core::capability::Reach;
use sovereign_core::clock::Clock;
use sovereign_core::conversation::TurnLimits;
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::executor::Administration;
use sovereign_core::files::create_private_dir;
use sovereign_core::host::{Executor, Histories, Policy, Registry};
use sovereign_core::policy::PolicyFile;
use sovereign_core::testing::{PausedClock, Replies};
use sovereign_node::serve::{Accounts, Daemon, Limits, Parts, Role};
use sovereign_system::{Checks, Health, SYSTEM, SystemSource, Volume};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The password of every account of a test.
pub const PASSWORD: &str = "correct horse battery";
/// How much space the machine of a test has left.
pub const AVAILABLE: u64 = 1_433_600;

/// A machine with known figures.
struct Known;

impl SystemSource for Known {
    fn volume(&self) -> std::io::Result<Volume> {
        Ok(Volume::from_blocks(4096, 1000, 400, 350))
    }

    fn health(&self) -> std::io::Result<Health> {
        let data_storage = self.volume()?;
        let checks = Checks::of(&data_storage, None);
        Ok(Health {
            status: checks.standing(),
            os_name: "Some OS".into(),
            os_version: None,
            uptime_seconds: Some(60),
            memory: None,
            data_storage,
            load: None,
            temperature_celsius: None,
            checks,
        })
    }
}

/// Everything a daemon stands on, apart from the process: survives a restart.
pub struct Home {
    directory: tempfile::TempDir,
    pub lab: Arc<Lab>,
    pub clock: PausedClock,
    pub limits: Limits,
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    /// A fresh one, with every category granted to operators and every capability on.
    ///
    /// # Panics
    /// When the directory cannot be made.
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (lab, clock) = (Arc::default(), PausedClock::default());
        let home = Self { directory, lab, clock, limits: Limits::default() };
        create_private_dir(&home.path()).expect("a data directory");
        drop(GrantsFile::create_default(home.path().join("grants.json")).expect("grants"));
        drop(PolicyFile::create_default(home.path().join("policy.json")).expect("policy"));
        home
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    pub fn audit(&self) -> PathBuf {
        self.path().join("audit")
    }

    /// The accounts `operator` and `vera`, a viewer; both with [`PASSWORD`].
    ///
    /// # Panics
    /// When they cannot be made.
    pub fn with_accounts(self) -> Self {
        let accounts = self.accounts();
        accounts.set_password("operator", PASSWORD).expect("a password");
        accounts.add("vera", Role::Viewer, PASSWORD).expect("an account");
        self
    }

    /// # Panics
    /// When they cannot be read.
    pub fn accounts(&self) -> Accounts {
        Accounts::open(&self.path()).expect("accounts")
    }

    /// The parts of a daemon over this home and clock, with this model.
    ///
    /// # Panics
    /// When one of them cannot be had.
    pub fn parts(&self, model: Arc<dyn Backend>, clock: Arc<dyn Clock>) -> Parts {
        let data = self.path();
        let grants = Arc::new(GrantsFile::at(data.join("grants.json")));
        let policy = Arc::new(PolicyFile::at(data.join("policy.json")));
        let audit = FileAudit::open(&self.audit(), &*clock).expect("an audit log").audit;
        let audit = Arc::new(audit);
        let out = Arc::new(Replies::reaching(Reach::public()));
        let registry = Registry::builder()
            .install(&SYSTEM, Arc::new(Known))
            .install_reaching(&LAB, Arc::clone(&self.lab), out)
            .build()
            .expect("a registry");
        let registry = Arc::new(registry);
        let switches = Policy::new(Arc::clone(&grants) as _, Arc::clone(&policy) as _);
        let executor = Executor::builder(Arc::clone(&registry), switches, Arc::clone(&audit) as _)
            .clock(Arc::clone(&clock))
            .build()
            .expect("an executor");
        let administration = Administration::new(
            Arc::clone(&grants),
            Arc::clone(&policy),
            registry,
            Arc::clone(&audit) as _,
            Arc::clone(&clock),
        );
        let histories = Histories::open(&data.join("history"), Arc::clone(&clock));
        let legs = guarded([model], &clock);
        Parts {
            executor,
            legs: Box::new(move || legs.clone()),
            histories: Some(Arc::new(histories.expect("transcripts"))),
            administration,
            grants,
            policy,
            accounts: self.accounts(),
            audit,
            audit_directory: self.audit(),
            turns: TurnLimits::default(),
            limits: self.limits,
            clock,
            entropy: Arc::new(SystemEntropy),
        }
    }

    /// Serves with the obedient model and this home's clock, which stands still.
    pub async fn serve(&self) -> Served {
        self.serve_with(Arc::new(Obedient), Arc::new(self.clock.clone())).await
    }

    /// Serves with this model and clock.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn serve_with(&self, model: Arc<dyn Backend>, clock: Arc<dyn Clock>) -> Served {
        self.serve_parts(self.parts(model, clock)).await
    }

    /// Serves what somebody else put together.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn serve_parts(&self, parts: Parts) -> Served {
        for category in ["notes", "search"] {
            let granted =
                parts.administration.grant(sovereign_core::caller::ScopeKind::Operator, category);
            granted.await.expect("a grant");
        }
        parts.administration.enable("lab.*").await.expect("switches");
        let daemon = Daemon::bind(parts, 0, None).await.expect("an address");
        Served::start(daemon, self.audit())
    }
}

/// A daemon that runs.
pub struct Served {
    pub address: SocketAddr,
    /// The one-time token of a first start.
    pub token: Option<String>,
    audit: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    hurry: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<()>>,
}

impl Served {
    fn start(daemon: Daemon, audit: PathBuf) -> Self {
        let address = daemon.address();
        let link = daemon.first_login().expect("accounts");
        let token = link.and_then(|link| {
            link.reveal().split_once("#token=").map(|(_, token)| token.to_owned())
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let (hurry, hurried) = oneshot::channel::<()>();
        let serving = async move {
            daemon.run(async { drop(stopped.await) }, async { drop(hurried.await) }).await;
        };
        let running = Some(tokio::spawn(serving));
        Self { address, token, audit, stop: Some(stop), hurry: Some(hurry), running }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The name under which the node page is served.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    /// A page of this account.
    pub async fn login(&self, user: &str) -> Page {
        let params = serde_json::json!({ "user": user, "password": PASSWORD });
        Page::login(self.address, params).await.expect("a session")
    }

    pub async fn operator(&self) -> Page {
        self.login("operator").await
    }

    /// Stops in order, as a signal would.
    ///
    /// # Panics
    /// When the daemon does.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        if let Some(running) = self.running.take() {
            running.await.expect("an orderly end");
        }
    }

    /// What the log holds; it must be whole.
    pub fn records(&self) -> Vec<StoredRecord> {
        records(&self.audit)
    }

    /// The administrative events in the log, in order.
    pub fn events(&self) -> Vec<String> {
        events(&self.audit)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop((self.stop.take(), self.hurry.take()));
    }
}

/// What the log in this directory holds; it must be whole.
///
/// # Panics
/// When it is not.
pub fn records(audit: &Path) -> Vec<StoredRecord> {
    let reader = sovereign_core::audit::LogReader::open(audit).expect("a log");
    reader.map(|record| record.expect("a whole log")).collect()
}

/// Its administrative events.
pub fn events(audit: &Path) -> Vec<String> {
    let event = |record: StoredRecord| match record.entry {
        StoredEntry::Administrative(event) => Some(event.event.into_owned()),
        StoredEntry::Call(_) => None,
    };
    records(audit).into_iter().filter_map(event).collect()
}

/// Ends with what `work` gives, or fails: no test waits for ever.
///
/// # Panics
/// After half a minute.
pub fn within<'a, T>(work: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, T> {
    let limit = std::time::Duration::from_secs(30);
    Box::pin(async move { tokio::time::timeout(limit, work).await.expect("an end in time") })
}
