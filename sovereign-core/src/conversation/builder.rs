use super::{ContextBudget, Conversation, Shared, TurnLimits};
use crate::backend::Backend;
use crate::caller::CallerScope;
use crate::executor::Executor;
use crate::files::FileError;
use crate::history::{Histories, History, Notice};
use std::fmt;
use std::sync::{Arc, Mutex};

/// See [`Conversation::builder`].
///
/// # Example
/// ```
/// use sovereign_core::clock::SystemClock;
/// use sovereign_core::history::Histories;
/// use sovereign_core::host::*;
/// use sovereign_core::testing::{MemoryAudit, Scripted};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let home = tempfile::tempdir()?;
/// # let registry = Registry::builder().build()?;
/// # let policy = Policy::granting(|_| Categories::NONE);
/// # let executor = Executor::builder(registry, policy, Arc::new(MemoryAudit::default())).build()?;
/// let histories = Histories::open(&home.path().join("history"), Arc::new(SystemClock::default()))?;
/// let alice = CallerScope::operator("alice", "session-1");
/// let (builder, notices) = Conversation::builder(&executor, alice.clone())
///     .leg(Arc::new(Scripted::new().says("Hello, Alice.")))
///     .remembered_in(&histories)?;
/// assert!(notices.is_empty());
/// builder.open().say("hello")?.run(|_| Decision::Deny).await;
/// let turns = histories.load(&alice)?.history.recent(1);
/// assert_eq!(turns[0].assistant.text, "Hello, Alice.");
/// # Ok(()) }
/// ```
#[must_use]
pub struct ConversationBuilder {
    executor: Executor,
    scope: CallerScope,
    legs: Vec<Arc<dyn Backend>>,
    limits: TurnLimits,
    budget: Option<ContextBudget>,
    history: History,
    unattended: bool,
}

impl fmt::Debug for ConversationBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversationBuilder")
            .field("legs", &self.legs.len())
            .field("history", &self.history)
            .finish_non_exhaustive()
    }
}

impl ConversationBuilder {
    pub(super) fn new(executor: &Executor, scope: CallerScope) -> Self {
        Self {
            executor: executor.clone(),
            scope,
            legs: Vec::new(),
            limits: TurnLimits::default(),
            budget: None,
            history: History::default(),
            unattended: false,
        }
    }

    /// One more backend, behind the others.
    pub fn leg(mut self, leg: Arc<dyn Backend>) -> Self {
        self.legs.push(leg);
        self
    }

    /// More backends, in order of preference.
    pub fn legs(mut self, legs: impl IntoIterator<Item = Arc<dyn Backend>>) -> Self {
        self.legs.extend(legs);
        self
    }

    /// Lower limits for each turn.
    pub const fn limits(mut self, limits: TurnLimits) -> Self {
        self.limits = limits;
        self
    }

    /// A bound on what any model is sent. Without it a leg is sent what its window holds, where that is
    /// known, and else what [`ContextBudget::default`] says.
    pub const fn budget(mut self, budget: ContextBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Nobody is here who could be asked, as when a program is run without a terminal: where policy
    /// says `ask` about a model off this device, that means no.
    pub const fn unattended(mut self) -> Self {
        self.unattended = true;
        self
    }

    /// Goes on from this caller's own transcript and adds to it; without this the conversation is
    /// forgotten with the program. The second value is what an operator has to hear of it.
    ///
    /// # Errors
    /// As [`Histories::load`].
    pub fn remembered_in(
        mut self,
        histories: &Histories,
    ) -> Result<(Self, Vec<Notice>), FileError> {
        let loaded = histories.load(&self.scope)?;
        self.history = loaded.history;
        Ok((self, loaded.notices))
    }

    /// Opens the conversation.
    #[must_use]
    pub fn open(self) -> Conversation {
        let Self { executor, scope, legs, limits, budget, history, unattended } = self;
        let (id, state) = (executor.open_conversation(), Mutex::default());
        let shared =
            Shared { executor, legs, scope, limits, budget, history, unattended, id, state };
        Conversation(Arc::new(shared))
    }
}
