//! The one choke point: model proposals, RPC and buttons all come through [`Executor::submit`].
//!
//! Owns the six stages and their order, the per-turn ledger and the closed set of outcomes. It knows
//! nothing about where a proposal came from (A25). What a person is shown and how a decision is taken
//! is in [`confirmation`](crate::confirmation).
mod administration;
mod binding;
pub mod code;
mod envelope;
mod ledger;
#[cfg(test)]
mod ledger_tests;
#[cfg(test)]
mod model_tests;
mod outcome;
#[cfg(test)]
mod outcome_tests;
mod proposal;
mod remote;
mod slip;
mod stages;
mod supervise;
mod sync;

pub use administration::{Administration, AdministrationError, Switched};
pub use ledger::{MAX_ASKED_PER_TURN, TurnLedger};
pub use outcome::{Ending, Json, Outcome, Refusal};
pub use proposal::Proposal;
pub(crate) use proposal::Unparsed;
pub(crate) use remote::{Answered, Withheld};
pub use stages::Suspended;

use crate::audit::{Administrative, AdministrativeRecord, Audit, AuditError, Point, Record};
use crate::caller::CallerScope;
use crate::capability::{Confinement, Descriptor, Network};
use crate::catalog::{CatalogSnapshot, Catalogs};
use crate::clock::{Clock, Moment, SystemClock};
use crate::confirmation::{
    ConfirmationRequest, ConfirmationToken, Confirmations, Decision, NotOpen, Pending,
};
use crate::entropy::{Entropy, EntropyError, SystemEntropy};
use crate::id::{BootId, ConversationId, IdSource, InvocationId, PendingId};
use crate::policy::Policy;
use crate::registry::Registry;
use slip::Slip;
use stages::{Confirming, Refused};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How much synchronous work of capabilities runs at once.
const BLOCKING: usize = 8;

pub(crate) struct Core {
    pub(crate) ids: IdSource,
    pub(crate) registry: Arc<Registry>,
    pub(crate) policy: Policy,
    pub(crate) catalogs: Catalogs,
    pub(crate) confirmations: Arc<Confirmations>,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) blocking: Arc<Semaphore>,
    confinement: Option<Confinement>,
}

impl Core {
    /// A sink is somebody else's code: one that panics has not taken the record.
    pub(crate) fn append(&self, record: Record) -> Result<(), AuditError> {
        catch_unwind(AssertUnwindSafe(|| self.audit.append(record)))
            .unwrap_or_else(|_| Err(AuditError::new("its sink panicked")))
    }

    /// What calls of this capability run in, when they do not run here.
    fn confines(&self, d: &Descriptor) -> Option<&Confinement> {
        self.confinement.as_ref().filter(|_| matches!(d.network, Network::Local))
    }
}

/// The six stages over one registry, policy and audit log. Cheap to clone; every clone is the same
/// executor. Needs a tokio runtime around it.
///
/// # Example
/// ```
/// use sovereign_core::executor::{Executor, Proposal, Submitted};
/// use sovereign_core::host::*;
/// use sovereign_core::testing::MemoryAudit;
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::builder().build()?;
/// let policy = Policy::granting(|_| Categories::NONE);
/// let executor = Executor::builder(registry, policy, Arc::new(MemoryAudit::default())).build()?;
/// let me = CallerScope::operator("me", "terminal");
/// let Submitted::Settled(outcome) = executor.invoke(me, Proposal::new("no.such", 1, b"{}")).await
/// else { unreachable!() };
/// assert_eq!(outcome.code(), Some("unknown_capability"));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Executor {
    core: Arc<Core>,
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Executor").field(&self.core.ids.boot()).finish()
    }
}

/// What a submitted proposal comes to: an end, or a decision for a person and the call that waits for
/// it. Two values, because they usually go to two places.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is no third case")]
pub enum Submitted {
    /// It ended.
    Settled(Outcome),
    /// A person has to decide; the second value waits for that and then runs.
    Awaiting(ConfirmationRequest, Suspended),
}

impl Executor {
    /// Starts from what every executor needs; a registry may be shared.
    #[must_use]
    pub fn builder(
        registry: impl Into<Arc<Registry>>,
        policy: Policy,
        audit: Arc<dyn Audit>,
    ) -> ExecutorBuilder {
        ExecutorBuilder {
            registry: registry.into(),
            policy,
            audit,
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy),
            confinement: None,
        }
    }

    /// A new conversation's id.
    #[must_use]
    pub fn open_conversation(&self) -> ConversationId {
        self.core.ids.conversation()
    }

    /// Opens a turn: the ledger that its proposals share.
    #[must_use]
    pub fn open_turn(&self, scope: CallerScope, conversation: ConversationId) -> Arc<TurnLedger> {
        Arc::new(TurnLedger::new(scope, conversation, self.core.ids.turn()))
    }

    /// The six stages, in order, for one proposal. Every input, however hostile, ends in exactly one
    /// terminal outcome with exactly one terminal audit record.
    pub async fn submit(&self, turn: &Arc<TurnLedger>, proposal: Proposal) -> Submitted {
        match self.admit(turn, proposal) {
            Ok(Confirming::Cleared(cleared)) => Submitted::Settled(cleared.execute().await),
            Ok(Confirming::Awaiting(request, suspended)) => Submitted::Awaiting(request, suspended),
            Err(refused) => Submitted::Settled(refused.settle()),
        }
    }

    fn admit(
        &self,
        turn: &Arc<TurnLedger>,
        proposal: Proposal,
    ) -> Result<Confirming, Box<Refused>> {
        let slip = Slip::open(&self.core, turn, &proposal);
        stages::parse(slip, proposal)?.resolve()?.validate()?.permit()?.confirm()
    }

    /// Writes down a proposal that the turn never submitted.
    pub(crate) fn settle(
        &self,
        turn: &Arc<TurnLedger>,
        proposal: &Proposal,
        point: Point,
        ending: Ending,
    ) -> Outcome {
        let mut slip = Slip::open(&self.core, turn, proposal);
        let slot = proposal.version.and_then(|v| self.core.registry.lookup(&proposal.name, v));
        slip.descriptor = slot.map(|s| s.descriptor());
        slip.point = point;
        slip.close(ending)
    }

    /// A button, an RPC: a turn of one proposal, through the same stages.
    pub async fn invoke(&self, scope: CallerScope, proposal: Proposal) -> Submitted {
        let turn = self.open_turn(scope, self.open_conversation());
        self.submit(&turn, proposal).await
    }

    /// What this scope has open; nothing in it decides.
    #[must_use]
    pub fn pending(&self, scope: &CallerScope) -> Vec<Pending> {
        self.core.confirmations.pending(scope)
    }

    /// Mints a token for one surface of the session that was asked; the one place that does.
    ///
    /// # Errors
    /// When nothing is open under this id for this scope, or it has its eight tokens.
    pub fn surface(
        &self,
        scope: &CallerScope,
        id: PendingId,
    ) -> Result<ConfirmationToken, NotOpen> {
        self.core.confirmations.surface(scope, id)
    }

    /// Answers a pending decision from outside the task that waits for it, with the token of one of
    /// its surfaces; says which call it was.
    ///
    /// # Errors
    /// When the token decides nothing. A valid token under another id or from another session closes
    /// its decision, and the call ends as `void`.
    pub fn decide(
        &self,
        scope: &CallerScope,
        id: PendingId,
        token: &ConfirmationToken,
        decision: Decision,
    ) -> Result<InvocationId, NotOpen> {
        self.core.confirmations.take(scope, id, token, decision)
    }

    /// Session end, logout: withdraws what is open for this scope; says how many.
    pub fn void(&self, scope: &CallerScope) -> usize {
        self.void_if(|open| open == scope)
    }

    /// Role change: withdraws what is open for the scopes that `which` names, such as every session of one
    /// account; says how many. The decisions are locked meanwhile, so `which` must not ask the executor.
    pub fn void_if(&self, which: impl Fn(&CallerScope) -> bool) -> usize {
        self.withdrawn(self.core.confirmations.void(which))
    }

    /// Shutdown: withdraws everything that is open; says how many.
    pub fn void_all(&self) -> usize {
        self.void_if(|_| true)
    }

    /// That decisions were withdrawn is an event of its own; each call has its own ending besides.
    fn withdrawn(&self, decisions: usize) -> usize {
        if decisions > 0 {
            let (at, boot) = (self.core.clock.wall(), Some(self.core.ids.boot()));
            let event = Administrative::Voided { decisions };
            let record = Record::Administrative(AdministrativeRecord { at, boot, event });
            if let Err(error) = self.core.append(record) {
                tracing::error!(%error, "withdrawn decisions could not be recorded");
            }
        }
        decisions
    }

    /// This run.
    #[must_use]
    pub fn boot(&self) -> BootId {
        self.core.ids.boot()
    }

    /// Everything that is installed.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.core.registry
    }

    /// Who may use what.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.core.policy
    }

    /// What one caller's model may see, now (A01).
    #[must_use]
    pub fn catalog(&self, scope: &CallerScope) -> CatalogSnapshot {
        self.core.catalogs.of(&self.core.registry, &self.core.policy, scope)
    }

    pub(crate) fn now(&self) -> Moment {
        self.core.clock.now()
    }

    pub(crate) async fn sleep_until(&self, moment: Moment) {
        self.core.clock.sleep_until(moment).await;
    }

    /// Ends when everything that happened so far is on the disk.
    ///
    /// # Errors
    /// When the audit log does not take it.
    pub async fn durable(&self) -> Result<(), AuditError> {
        self.core.audit.durable().await
    }
}

/// See [`Executor::builder`].
pub struct ExecutorBuilder {
    registry: Arc<Registry>,
    policy: Policy,
    audit: Arc<dyn Audit>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    confinement: Option<Confinement>,
}

impl fmt::Debug for ExecutorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExecutorBuilder").field(&self.registry).finish()
    }
}

impl ExecutorBuilder {
    /// Another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Another source of randomness than the system's.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Runs the code of `network = local` capabilities on threads that can open no socket and start no
    /// process; off unless it is asked for.
    #[cfg(all(feature = "seccomp", target_os = "linux"))]
    #[must_use]
    pub fn confine_local(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }

    /// Closes the executor.
    ///
    /// # Errors
    /// When the random source gives nothing: no id and no token could be trusted then.
    pub fn build(self) -> Result<Executor, EntropyError> {
        let Self { registry, policy, audit, clock, entropy, confinement } = self;
        let ids = IdSource::new(&*entropy)?;
        let confirmations = Arc::new(Confirmations::new(Arc::clone(&clock), entropy));
        let blocking = Arc::new(Semaphore::new(BLOCKING));
        let catalogs = Catalogs::default();
        let core = Core {
            ids,
            registry,
            policy,
            catalogs,
            confirmations,
            audit,
            clock,
            blocking,
            confinement,
        };
        Ok(Executor { core: Arc::new(core) })
    }
}
