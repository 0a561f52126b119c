//! Puts the node together: what is installed, who may use it, who answers, where it is written down.
//!
//! Every program around the node begins here: a command for one question, a conversation at a
//! terminal, and a daemon with many callers.

use crate::cli::Scope;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::{NodeError, told};
use crate::legs::{Leg, legs};
use crate::mesh::{ContactGrants, Mesh};
use crate::serve::{Accounts, Limits, Parts, ServeError};
use crate::terminal::{Tty, note};
use sovereign_backends::Guarded;
use sovereign_backends::outbound::HttpOutbound;
use sovereign_backends::routstr::Purse;
use sovereign_core::audit::{Audit, Closed, FileAudit, LogError};
use sovereign_core::backend::Backend;
use sovereign_core::caller::{Grants, GrantsFile};
use sovereign_core::capability::Reach;
use sovereign_core::clock::{Clock, SystemClock};
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::executor::{Administration, ExecutorBuilder};
use sovereign_core::history::Histories;
use sovereign_core::host::{Conversation, Executor, Policy, Registry};
use sovereign_core::policy::{PolicyFile, RemoteInference};
use sovereign_system::{HostSystem, SYSTEM};
use sovereign_web::{WEB, Web};
use std::sync::Arc;

/// Grants and switches.
pub(crate) type Authority = (Arc<GrantsFile>, Arc<PolicyFile>);

/// A node that talks: it holds the one writer's lock of its data directory.
pub(crate) struct Node {
    pub(crate) executor: Executor,
    administration: Administration,
    authority: Authority,
    data: DataDir,
    config: Config,
    legs: Arc<[Leg]>,
    kept: Kept,
    audit: Arc<dyn Audit>,
    clock: Arc<dyn Clock>,
}

/// What a node may write.
enum Kept {
    /// The audit log, and the transcripts.
    All(Arc<Histories>),
    /// Nothing, because the audit log cannot be opened: nothing runs, and nothing is remembered.
    Nothing,
}

impl Kept {
    fn histories(&self) -> Option<Arc<Histories>> {
        match self {
            Self::All(histories) => Some(Arc::clone(histories)),
            Self::Nothing => None,
        }
    }
}

/// Whether a conversation is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// It goes on from this caller's transcript and adds to it.
    Kept,
    /// It knows nothing of before and leaves nothing behind.
    None,
}

/// Whether there is somebody who can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// At a terminal.
    Attended,
    /// Nobody: what needs a person does not happen.
    Unattended,
}

impl Presence {
    pub(crate) const fn of(terminal: Option<&Tty>) -> Self {
        if terminal.is_some() { Self::Attended } else { Self::Unattended }
    }
}

/// What is installed. Each plugin's way off the device stands here.
pub(crate) fn registry(data: &DataDir) -> Result<Registry, NodeError> {
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
    /// Takes the writer's lock. When the audit log cannot be opened the node is
    /// [read-only](Self::is_read_only), and says so.
    pub(crate) fn open(data: DataDir, config: Config) -> Result<Self, NodeError> {
        let authority = data.authority()?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let (audit, kept): (Arc<dyn Audit>, _) = match open_audit(&data, &*clock) {
            Ok(audit) => {
                let histories = Histories::open(&data.history(), Arc::clone(&clock))?;
                (audit, Kept::All(Arc::new(histories.retention(config.retention))))
            }
            // another program writes here, and goes on doing so
            Err(error @ NodeError::Log(LogError::InUse { .. })) => return Err(error),
            Err(error) => {
                let why = told(&error);
                error.note();
                note("going on read-only: nothing runs, nothing is changed, nothing is remembered");
                (Arc::new(Closed::because(&why)), Kept::Nothing)
            }
        };
        let registry = Arc::new(registry(&data)?);
        // of what mesh callers are granted, a peer holds what its contact says; without a link nobody is one
        let contacts = config.mesh.as_ref().map(|mesh| mesh.contacts.clone()).unwrap_or_default();
        let grants = Arc::new(ContactGrants::new(Arc::<GrantsFile>::clone(&authority.0), contacts));
        let executor = executor(&registry, grants, &authority.1, Arc::clone(&audit));
        let executor = config.local.applied(executor)?.build()?;
        let administration =
            administering(authority.clone(), &registry, Arc::clone(&audit), Arc::clone(&clock));
        let legs = legs(&config.backends, &clock, &|| Purse::open(&data.purse()))?.into();
        Ok(Self { executor, administration, authority, data, config, legs, kept, audit, clock })
    }

    /// The mesh side of a daemon, where the operator wants one.
    pub(crate) fn mesh(&self) -> Option<Mesh> {
        let (config, legs) = (self.config.mesh.clone()?, Arc::clone(&self.legs));
        Some(Mesh::new(crate::mesh::Parts {
            executor: self.executor.clone(),
            legs: Box::new(move || unnamed(wanted(&legs))),
            histories: self.kept.histories(),
            clock: Arc::clone(&self.clock),
            config,
        }))
    }

    /// What a daemon is put together from.
    pub(crate) fn into_parts(self) -> Result<Parts, NodeError> {
        let Self { executor, administration, authority, data, config, legs, kept, audit, clock } =
            self;
        let (grants, policy) = authority;
        Ok(Parts {
            executor,
            legs: Box::new(move || wanted(&legs)),
            histories: kept.histories(),
            administration,
            grants,
            policy,
            accounts: Accounts::open(data.path()).map_err(ServeError::from)?,
            audit,
            audit_directory: data.audit(),
            turns: config.limits,
            limits: Limits::default(),
            clock,
            entropy: Arc::new(SystemEntropy),
        })
    }

    /// Whether nothing can run and nothing is kept.
    pub(crate) const fn is_read_only(&self) -> bool {
        matches!(self.kept, Kept::Nothing)
    }

    /// Whether a turn may leave the device.
    pub(crate) fn remote_inference(&self) -> RemoteInference {
        self.authority.1.remote_inference()
    }

    /// The backends, with what is known of each.
    pub(crate) fn all_legs(&self) -> &[Leg] {
        &self.legs
    }

    /// A conversation with the operator at this device. What is to be heard of the transcript is said.
    pub(crate) fn conversation(
        &self,
        memory: Memory,
        presence: Presence,
    ) -> Result<Conversation, NodeError> {
        let builder = Conversation::builder(&self.executor, Scope::Operator.caller())
            .legs(unnamed(wanted(&self.legs)))
            .limits(self.config.limits);
        let builder = match presence {
            Presence::Attended => builder,
            Presence::Unattended => builder.unattended(),
        };
        let builder = match (&self.kept, memory) {
            (Kept::All(histories), Memory::Kept) => {
                let (builder, notices) = builder.remembered_in(histories)?;
                notices.iter().for_each(note);
                builder
            }
            _ => builder,
        };
        Ok(builder.open())
    }
}

/// A key may come or go while the node runs.
fn wanted(legs: &[Leg]) -> Vec<Arc<Guarded>> {
    let wanted = legs.iter().filter(|leg| leg.is_wanted());
    wanted.map(|leg| Arc::clone(&leg.backend)).collect()
}

fn unnamed(legs: Vec<Arc<Guarded>>) -> Vec<Arc<dyn Backend>> {
    legs.into_iter().map(|leg| leg as _).collect()
}

/// The node for whoever only looks: it takes no lock and can run nothing.
pub(crate) fn looking(data: &DataDir) -> Result<(Executor, Authority), NodeError> {
    let authority = data.authority()?;
    let closed = Arc::new(Closed::because(&"this command only reads"));
    let grants = Arc::<GrantsFile>::clone(&authority.0);
    let executor = executor(&Arc::new(registry(data)?), grants, &authority.1, closed).build()?;
    Ok((executor, authority))
}

/// The one way to change grants and policy; takes the writer's lock.
pub(crate) fn administration(data: &DataDir) -> Result<(Administration, Arc<Registry>), NodeError> {
    administration_of(data, data.authority()?)
}

/// The same where grants or policy may say nothing.
pub(crate) fn administration_of(
    data: &DataDir,
    authority: Authority,
) -> Result<(Administration, Arc<Registry>), NodeError> {
    let clock = Arc::new(SystemClock::default());
    let audit = open_audit(data, &*clock)?;
    let registry = Arc::new(registry(data)?);
    Ok((administering(authority, &registry, audit, clock), registry))
}

fn administering(
    (grants, policy): Authority,
    registry: &Arc<Registry>,
    audit: Arc<dyn Audit>,
    clock: Arc<dyn Clock>,
) -> Administration {
    Administration::new(grants, policy, Arc::clone(registry), audit, clock)
}

fn executor(
    registry: &Arc<Registry>,
    grants: Arc<dyn Grants>,
    policy: &Arc<PolicyFile>,
    audit: Arc<dyn Audit>,
) -> ExecutorBuilder {
    let policy = Policy::new(grants, Arc::<PolicyFile>::clone(policy));
    Executor::builder(Arc::clone(registry), policy, audit)
}

/// Holds the writer's lock as long as the log is open.
pub(crate) fn open_audit(data: &DataDir, clock: &dyn Clock) -> Result<Arc<FileAudit>, NodeError> {
    let opened = FileAudit::open(&data.audit(), clock)?;
    opened.notices.iter().for_each(note);
    Ok(Arc::new(opened.audit))
}
