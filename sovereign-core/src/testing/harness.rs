use super::{CountedEntropy, MemoryAudit, PausedClock, Scripted};
use crate::BoxFuture;
use crate::caller::{CallerScope, Categories};
use crate::capability::{Capability, Descriptor, Outbound, Plugin};
use crate::confirmation::Decision;
use crate::conversation::Conversation;
use crate::executor::{Executor, ExecutorBuilder, Outcome, Proposal, Submitted};
use crate::policy::{Policy, RemoteInference};
use crate::registry::{Registry, RegistryBuilder};
use std::sync::Arc;

/// The real executor with doubles around it: a clock that stands still, an audit log in memory, and by
/// default everything granted and switched on. Every stage still runs.
///
/// # Example
/// ```
/// use serde_json::json;
/// use sovereign_core::prelude::*;
/// use sovereign_core::testing::Harness;
/// use std::sync::Arc;
///
/// /// Doubles a number.
/// #[capability(name = "sums.double", side_effect = read_only, network = local, category = notes)]
/// struct Double {
///     /// The number.
///     #[arg(range(max = 1000))]
///     n: u32,
/// }
///
/// impl Run for Double {
///     type State = ();
///     type Output = u32;
///     async fn run(self, _: Call<'_, Self>) -> Result<u32, Failure> {
///         Ok(self.n * 2)
///     }
/// }
///
/// static SUMS: Plugin<()> = Plugin::new("sums", &[Double::ENTRY]);
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let lab = Harness::install(&SUMS, Arc::default()).build();
/// assert_eq!(lab.call::<Double>(json!({"n": 21})).await.result(), Some("42"));
/// assert_eq!(lab.call::<Double>(json!({"n": 2000})).await.code(), Some("invalid_arguments"));
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Harness {
    /// The executor under test.
    pub executor: Executor,
    /// What it wrote down.
    pub audit: Arc<MemoryAudit>,
    /// Its clock.
    pub clock: PausedClock,
    /// Who asks, unless a test says otherwise.
    pub scope: CallerScope,
}

/// Collects plugins and the policy of a [`Harness`].
#[derive(Debug)]
pub struct HarnessBuilder {
    registry: RegistryBuilder,
    granted: Option<Categories>,
    policy: Option<Policy>,
    remote: Option<RemoteInference>,
}

impl HarnessBuilder {
    const fn over(registry: RegistryBuilder) -> Self {
        Self { registry, granted: None, policy: None, remote: None }
    }

    /// One more plugin.
    #[must_use]
    pub fn install<S: ?Sized + Send + Sync + 'static>(
        mut self,
        plugin: &'static Plugin<S>,
        state: Arc<S>,
    ) -> Self {
        self.registry = self.registry.install(plugin, state);
        self
    }

    /// One more plugin that reaches out.
    #[must_use]
    pub fn install_reaching<S: ?Sized + Send + Sync + 'static>(
        mut self,
        plugin: &'static Plugin<S>,
        state: Arc<S>,
        outbound: Arc<dyn Outbound>,
    ) -> Self {
        self.registry = self.registry.install_reaching(plugin, state, outbound);
        self
    }

    /// These categories only, in place of all.
    #[must_use]
    pub fn granted(mut self, categories: impl Into<Categories>) -> Self {
        self.granted = Some(categories.into());
        self
    }

    /// This policy, in place of everything granted and on.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Whether turns may leave the device, whatever the policy says.
    #[must_use]
    pub const fn remote(mut self, remote: RemoteInference) -> Self {
        self.remote = Some(remote);
        self
    }

    /// Closes the harness.
    ///
    /// # Panics
    /// When the registry does not build: a test wants to stop there.
    #[must_use]
    pub fn build(self) -> Harness {
        self.build_with(|builder| builder)
    }

    /// The same, with a last word on the executor.
    ///
    /// # Panics
    /// When the registry does not build: a test wants to stop there.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test wants to stop there")]
    pub fn build_with(self, more: impl FnOnce(ExecutorBuilder) -> ExecutorBuilder) -> Harness {
        let registry = self.registry.build().expect("the registry builds");
        let policy = self.policy.unwrap_or_else(|| everything(&registry, self.granted));
        let policy = match self.remote {
            Some(remote) => policy.remote(remote),
            None => policy,
        };
        let audit = Arc::new(MemoryAudit::default());
        let clock = PausedClock::default();
        let builder = Executor::builder(registry, policy, Arc::<MemoryAudit>::clone(&audit))
            .clock(Arc::new(clock.clone()))
            .entropy(Arc::new(CountedEntropy::default()));
        let executor = more(builder).build().expect("counted entropy never fails");
        Harness { executor, audit, clock, scope: CallerScope::operator("tester", "test-session") }
    }
}

fn everything(registry: &Registry, granted: Option<Categories>) -> Policy {
    let all = registry.descriptors().map(Descriptor::category).collect();
    let granted: Categories = granted.unwrap_or(all);
    let policy = Policy::granting(move |_| granted.clone());
    registry.descriptors().fold(policy, |policy, d| policy.enabled(d.name()))
}

impl Harness {
    /// Starts with a plugin that reaches nothing.
    #[must_use]
    pub fn install<S: ?Sized + Send + Sync + 'static>(
        plugin: &'static Plugin<S>,
        state: Arc<S>,
    ) -> HarnessBuilder {
        let registry = Registry::builder().install(plugin, state);
        HarnessBuilder::over(registry)
    }

    /// Starts with a plugin that reaches out; `outbound` is usually [`Replies`](super::Replies).
    #[must_use]
    pub fn install_reaching<S: ?Sized + Send + Sync + 'static>(
        plugin: &'static Plugin<S>,
        state: Arc<S>,
        outbound: Arc<dyn Outbound>,
    ) -> HarnessBuilder {
        let registry = Registry::builder().install_reaching(plugin, state, outbound);
        HarnessBuilder::over(registry)
    }

    /// One call of `C` with these arguments, as a model would send them.
    pub fn call<C: Capability>(&self, arguments: impl std::fmt::Display) -> HarnessCall<'_> {
        let d = &C::DECLARATION;
        self.propose(Proposal::new(d.name, d.version, arguments.to_string().as_bytes()))
    }

    /// Any proposal, also a hostile one.
    pub fn propose(&self, proposal: Proposal) -> HarnessCall<'_> {
        let (scope, decision) = (self.scope.clone(), Decision::Deny);
        HarnessCall { harness: self, scope, proposal, decision }
    }

    /// A conversation of the harness's caller with one scripted backend.
    #[must_use]
    pub fn conversation(&self, script: &Scripted) -> Conversation {
        Conversation::new(&self.executor, Arc::new(script.clone()), self.scope.clone())
    }
}

/// Awaits to the one outcome. Without [`approved`](Self::approved) a decision that is asked for is
/// denied.
#[derive(Debug)]
#[must_use = "nothing is proposed until it is awaited"]
pub struct HarnessCall<'a> {
    harness: &'a Harness,
    scope: CallerScope,
    proposal: Proposal,
    decision: Decision,
}

impl HarnessCall<'_> {
    /// The person says yes.
    pub fn approved(mut self) -> Self {
        self.decision = Decision::Approve;
        self
    }

    /// Somebody else asks.
    pub fn by(mut self, scope: CallerScope) -> Self {
        self.scope = scope;
        self
    }
}

impl<'a> IntoFuture for HarnessCall<'a> {
    type Output = Outcome;
    type IntoFuture = BoxFuture<'a, Outcome>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Self { harness, scope, proposal, decision } = self;
            match harness.executor.invoke(scope, proposal).await {
                Submitted::Settled(outcome) => outcome,
                Submitted::Awaiting(request, suspended) => {
                    // a decision that came too late shows in the outcome
                    let _late = request.decide(decision);
                    suspended.outcome().await
                }
            }
        })
    }
}
