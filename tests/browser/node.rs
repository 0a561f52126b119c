//! A daemon with a scripted model, put together from the public parts as the program puts together its
//! own. What the program cannot have is its reach: here `web.fetch` goes to one server on this machine.

use sovereign_backends::guarded;
use sovereign_backends::outbound::HttpOutbound;
use sovereign_core::audit::{FileAudit, LogReader, StoredEntry};
use sovereign_core::caller::{GrantsFile, ScopeKind};
use sovereign_core::capability::Reach;
use sovereign_core::clock::{Clock, SystemClock};
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::executor::Administration;
use sovereign_core::files::create_private_dir;
use sovereign_core::host::{Backend, Executor, Histories, Policy, Registry, TurnLimits};
use sovereign_core::policy::PolicyFile;
use sovereign_core::testing::Replies;
use sovereign_node::serve::{Accounts, Daemon, Limits, Parts};
use sovereign_system::{HostSystem, SYSTEM};
use sovereign_tests::{LAB, Lab};
use sovereign_web::{WEB, Web};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// What a node is made of, before it runs.
pub struct Plan {
    pub directory: PathBuf,
    pub model: Arc<dyn Backend>,
    /// Where `web.fetch` may go.
    pub reach: Vec<SocketAddr>,
    /// 0 takes any.
    pub port: u16,
    pub clock: Arc<dyn Clock>,
}

pub struct Node {
    pub port: u16,
    pub lab: Arc<Lab>,
    /// What lets the first operator in.
    pub link: String,
    audit: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<()>>,
}

impl Plan {
    pub fn new(directory: &Path, model: impl Backend) -> Self {
        let clock = Arc::new(SystemClock::default());
        Self {
            directory: directory.join("data"),
            model: Arc::new(model),
            reach: Vec::new(),
            port: 0,
            clock,
        }
    }

    /// Runs it in a thread of its own until it is stopped.
    pub fn start(self) -> Node {
        let audit = self.directory.join("audit");
        let lab = Arc::new(Lab::default());
        let of = Arc::clone(&lab);
        let (ready, started) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let running = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                let parts = self.parts(of).await;
                let daemon = Daemon::bind(parts, self.port, None).await.expect("an address");
                let link = daemon.first_login().expect("accounts").expect("nobody has a password");
                let link = link.reveal().to_owned();
                ready.send((daemon.address().port(), link)).expect("somebody waits");
                daemon.run(async { drop(stopped.await) }, std::future::pending()).await;
            });
        });
        let (port, link) = started.recv().expect("it started");
        Node { port, lab, link, audit, stop: Some(stop), running: Some(running) }
    }

    async fn parts(&self, lab: Arc<Lab>) -> Parts {
        create_private_dir(&self.directory).expect("a directory");
        let at = |name: &str| self.directory.join(name);
        let opened = FileAudit::open(&at("audit"), &*self.clock).expect("a log");
        let audit = Arc::new(opened.audit);
        if !at("grants.json").exists() {
            GrantsFile::create_default(at("grants.json")).expect("grants");
            PolicyFile::create_default(at("policy.json")).expect("a policy");
        }
        let grants = Arc::new(GrantsFile::at(at("grants.json")));
        let policy = Arc::new(PolicyFile::at(at("policy.json")));
        let reach = Reach::only(self.reach.clone());
        let out = Arc::new(HttpOutbound::new(reach.clone()).expect("a client"));
        let registry = Registry::builder()
            .install(&SYSTEM, Arc::new(HostSystem::new(&self.directory)))
            .install_reaching(&WEB, Arc::new(Web::new(reach)), out)
            .install_reaching(&LAB, lab, Arc::new(Replies::reaching(Reach::public())));
        let registry = Arc::new(registry.build().expect("a registry"));
        let switches = Policy::new(Arc::clone(&grants) as _, Arc::clone(&policy) as _);
        let executor = Executor::builder(Arc::clone(&registry), switches, Arc::clone(&audit) as _)
            .clock(Arc::clone(&self.clock))
            .build()
            .expect("an executor");
        let administration = Administration::new(
            Arc::clone(&grants),
            Arc::clone(&policy),
            registry,
            Arc::clone(&audit) as _,
            Arc::clone(&self.clock),
        );
        for category in ["search", "notes"] {
            administration.grant(ScopeKind::Operator, category).await.expect("a grant");
        }
        for target in ["web.*", "lab.*"] {
            administration.enable(target).await.expect("a switch");
        }
        let legs = guarded([Arc::clone(&self.model)], &self.clock);
        Parts {
            executor,
            legs: Box::new(move || legs.clone()),
            histories: Some(Arc::new(
                Histories::open(&at("history"), Arc::clone(&self.clock)).expect("histories"),
            )),
            administration,
            grants,
            policy,
            accounts: Accounts::open(&self.directory).expect("accounts"),
            audit,
            audit_directory: at("audit"),
            turns: TurnLimits::default(),
            limits: Limits::default(),
            clock: Arc::clone(&self.clock),
            entropy: Arc::new(SystemEntropy),
        }
    }
}

impl Node {
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn frame_origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    /// How the calls of this capability ended, in order.
    pub fn ends(&self, capability: &str) -> Vec<String> {
        let log = LogReader::open(&self.audit).expect("a log");
        let ends = log.filter_map(|record| match record.expect("a record").entry {
            StoredEntry::Call(call) if call.capability == capability => call.outcome,
            _ => None,
        });
        ends.map(|word| word.into_owned()).collect()
    }

    /// Stops it in an orderly way, and waits for its end.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(running) = self.running.take() {
            running.join().expect("it ends well");
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(running) = self.running.take() {
            drop(running.join());
        }
    }
}
