//! Puts the node together: what is installed, who may use it, where it is written down.

use crate::cli::Scope;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::NodeError;
use crate::serve::{Accounts, Parts, ServeError};
use crate::terminal::note;
use sovereign_backends::local_first;
use sovereign_backends::outbound::HttpOutbound;
use sovereign_core::BoxFuture;
use sovereign_core::audit::{Audit, AuditError, FileAudit, Record};
use sovereign_core::backend::Backend;
use sovereign_core::caller::GrantsFile;
use sovereign_core::capability::Reach;
use sovereign_core::clock::{Clock, SystemClock};
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::executor::Administration;
use sovereign_core::host::{Conversation, Executor, Histories, Policy, Registry};
use sovereign_core::policy::PolicyFile;
use sovereign_system::{HostSystem, SYSTEM};
use sovereign_web::{WEB, Web};
use std::future::ready;
use std::sync::Arc;

/// A node that talks: it holds the one writer's lock of its data directory.
pub(crate) struct Node {
    pub(crate) executor: Executor,
    legs: Vec<Arc<dyn Backend>>,
    config: Config,
}

/// What is installed. Each plugin's way off the device stands here.
fn registry(data: &DataDir) -> Result<Registry, NodeError> {
    let machine = Arc::new(HostSystem::new(data.path()));
    let public = Reach::public();
    let web = Arc::new(Web::new(public.clone()));
    let registry = Registry::builder().install(&SYSTEM, machine).install_reaching(
        &WEB,
        web,
        Arc::new(HttpOutbound::new(public)?),
    );
    Ok(registry.build()?)
}

impl Node {
    /// What a daemon needs of it, and what it needs besides.
    pub(crate) fn parts(data: &DataDir, config: &Config) -> Result<Parts, NodeError> {
        let (grants, policy) = data.authority()?;
        let clock = Arc::new(SystemClock::default());
        let audit = open_audit(data, &*clock)?;
        let registry = Arc::new(registry(data)?);
        let switches = Policy::new(Arc::clone(&grants) as _, Arc::clone(&policy) as _);
        let executor =
            Executor::builder(Arc::clone(&registry), switches, Arc::clone(&audit) as _).build()?;
        let changed = (Arc::clone(&grants), Arc::clone(&policy));
        let legs = local_first(config.ollama.clone())?;
        Ok(Parts {
            executor,
            legs: Box::new(move || legs.clone()),
            histories: Some(Histories::open(&data.history(), Arc::clone(&clock) as _)?),
            administration: Administration::new(
                changed.0,
                changed.1,
                registry,
                Arc::clone(&audit) as _,
                Arc::clone(&clock) as _,
            ),
            grants,
            policy,
            accounts: Accounts::open(&data.secrets()).map_err(ServeError::from)?,
            audit,
            audit_directory: data.audit(),
            limits: config.limits,
            clock,
            entropy: Arc::new(SystemEntropy),
        })
    }

    pub(crate) fn open(data: &DataDir, config: Config) -> Result<Self, NodeError> {
        let authority = data.authority()?;
        let audit = open_audit(data, &SystemClock::default())?;
        let executor = executor(registry(data)?, authority, audit)?;
        let legs = local_first(config.ollama.clone())?;
        Ok(Self { executor, legs, config })
    }

    /// A conversation with the person at this terminal.
    pub(crate) fn conversation(&self) -> Conversation {
        let (legs, scope) = (self.legs.clone(), Scope::Operator.caller());
        Conversation::limited(&self.executor, legs, scope, self.config.limits)
    }
}

/// The node for whoever only looks: it takes no lock and can run nothing.
pub(crate) fn looking(data: &DataDir) -> Result<(Executor, Arc<GrantsFile>), NodeError> {
    let (grants, policy) = data.authority()?;
    let executor = executor(registry(data)?, (Arc::clone(&grants), policy), Arc::new(NoAudit))?;
    Ok((executor, grants))
}

/// The one way to change grants and policy; takes the writer's lock.
pub(crate) fn administration(data: &DataDir) -> Result<(Administration, Arc<Registry>), NodeError> {
    let (grants, policy) = data.authority()?;
    let clock = Arc::new(SystemClock::default());
    let audit = open_audit(data, &*clock)?;
    let registry = Arc::new(registry(data)?);
    let all = Administration::new(grants, policy, Arc::clone(&registry), audit, clock);
    Ok((all, registry))
}

fn executor(
    registry: Registry,
    (grants, policy): (Arc<GrantsFile>, Arc<PolicyFile>),
    audit: Arc<dyn Audit>,
) -> Result<Executor, NodeError> {
    Ok(Executor::builder(registry, Policy::new(grants, policy), audit).build()?)
}

fn open_audit(data: &DataDir, clock: &dyn Clock) -> Result<Arc<FileAudit>, NodeError> {
    let opened = FileAudit::open(&data.audit(), clock)?;
    opened.notices.iter().for_each(note);
    Ok(Arc::new(opened.audit))
}

/// Takes nothing, so that nothing can run.
struct NoAudit;

impl NoAudit {
    fn no() -> AuditError {
        AuditError::new("this command only reads")
    }
}

impl Audit for NoAudit {
    fn append(&self, _: Record) -> Result<(), AuditError> {
        Err(Self::no())
    }

    fn ready(&self) -> Result<(), AuditError> {
        Err(Self::no())
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(ready(Err(Self::no())))
    }
}
