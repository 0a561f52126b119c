//! The turn loop: bounded context, backend, proposals one by one through the executor, outcomes back
//! into context, until an answer or a limit.
//!
//! Owns turns, rounds and their limits, and the event stream that an application consumes. It never
//! judges arguments (A08) and never runs anything: the [executor](crate::executor) does.
mod budget;
mod builder;
mod consent;
mod context;
mod counts;
mod drive;
mod dropped;
mod fold;
mod follow;
mod leg;
mod limits;
mod memory;
mod payload;
mod prompt;
mod receipt;
mod reply;
mod report;
mod turn;

pub use budget::ContextBudget;
pub use builder::ConversationBuilder;
pub use follow::{Followed, Pause};
pub use limits::TurnLimits;
pub use prompt::{SYSTEM_PROMPT, SYSTEM_PROMPT_VERSION};
pub use receipt::Receipt;
pub use report::{Answered, Report, Skipped, TurnError, Used};
pub use turn::{Event, Turn};

use crate::backend::{Backend, Locality, Message};
use crate::caller::CallerScope;
use crate::confirmation::Disclosure;
use crate::executor::{Executor, Outcome};
use crate::history::{self, History, KEEP_VERBATIM_TURNS};
use crate::id::ConversationId;
use crate::schema::RawArguments;
use context::Context;
use counts::Counts;
use drive::OpenTurn;
use dropped::{Dropped, UnderWay};
use memory::Said;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use turn::Events;

/// Why a message is not taken now (B27, C-15).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "a conversation is idle, running, or waiting")]
pub enum Busy {
    /// The previous turn still runs.
    #[error("the previous message is still being answered")]
    TurnRunning,
    /// The previous turn waits for a decision, which is untouched by the new message.
    #[error("a decision is outstanding: {}", .0.subject())]
    DecisionOutstanding(Box<Disclosure>),
}

struct Shared {
    executor: Executor,
    legs: Vec<Arc<dyn Backend>>,
    scope: CallerScope,
    limits: TurnLimits,
    budget: Option<ContextBudget>,
    history: History,
    /// Nobody is here who could be asked.
    unattended: bool,
    id: ConversationId,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The recent turns of this run, as they were exchanged.
    said: Said,
    /// The turn that runs, by its number in the transcript.
    open: Option<u64>,
    turns: u32,
    /// How the legs' servers count tokens.
    counts: Counts,
    busy: Option<Busy>,
    /// A turn that was dropped while a call ran: its outcomes come into the transcript later.
    dropped: Option<Dropped>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dropped) = state.dropped.take_if(|d| d.is_idle()) {
            let said = state.said.entry(dropped.place).or_default();
            dropped.take_up(self, said);
            context::settle(said);
            state.busy = None;
            state.open = None;
        }
        state
    }

    /// What could be sent there while turn `open` runs.
    fn context(&self, open: Option<u64>, locality: Locality) -> Context {
        let state = self.state();
        self.history.look(|transcript| memory::context(transcript, &state.said, open, locality))
    }

    /// What this leg is sent at most: its own window where that is known, and never more than the
    /// application says.
    fn budget(&self, leg: &dyn Backend) -> ContextBudget {
        let own = leg.window().map(|window| ContextBudget::of(window.tokens, window.reply));
        let budget = match (self.budget, own) {
            (Some(set), Some(own)) if own.tokens() < set.tokens() => own,
            (Some(set), _) => set,
            (None, own) => own.unwrap_or_default(),
        };
        self.state().counts.scaled(&leg.identity(), budget)
    }

    /// A call of this turn runs: its name is kept.
    fn started(&self, turn: u64, call: &UnderWay) {
        let Some((name, version)) = &call.named else { return };
        if let Some(slot) = self.executor.registry().lookup(name, *version) {
            self.history.started(turn, history::started(slot.descriptor()));
        }
    }

    /// A call of this turn has ended: what may be kept of it is.
    fn keep(&self, turn: u64, outcome: &Outcome, arguments: Option<&RawArguments>, started: bool) {
        let named = outcome.capability.zip(outcome.version);
        let slot = named.and_then(|(name, v)| self.executor.registry().lookup(name, v));
        let descriptor = slot.map(|slot| slot.descriptor());
        self.history.settled(turn, history::ended(descriptor, outcome, arguments), started);
    }

    /// Writes the transcript on the side; whoever saves next waits for it.
    fn save_soon(&self) {
        if !self.history.is_kept() {
            return;
        }
        let history = self.history.clone();
        let save = move || {
            if let Err(error) = history.save() {
                tracing::error!(error = error.line(), "the transcript could not be saved");
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(save)),
            Err(_) => save(),
        }
    }

    /// Writes the transcript; when it cannot be written, says why in one line.
    async fn save(&self) -> Result<(), String> {
        if !self.history.is_kept() {
            return Ok(());
        }
        let history = self.history.clone();
        match tokio::task::spawn_blocking(move || history.save()).await {
            Ok(saved) => saved.map_err(|error| error.line()),
            Err(_) => Err("saving was cut off".to_owned()),
        }
    }
}

/// One conversation of one caller. Cheap to clone; every clone is the same conversation.
#[derive(Clone)]
pub struct Conversation(Arc<Shared>);

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conversation").field(&self.0.id).finish()
    }
}

impl Conversation {
    /// With one backend.
    #[must_use]
    pub fn new(executor: &Executor, backend: Arc<dyn Backend>, scope: CallerScope) -> Self {
        Self::with_legs(executor, vec![backend], scope)
    }

    /// With backends in order of preference. The driver owns the order, because a change of leg is an
    /// event that the reader sees before anything is sent.
    #[must_use]
    pub fn with_legs(executor: &Executor, legs: Vec<Arc<dyn Backend>>, scope: CallerScope) -> Self {
        Self::limited(executor, legs, scope, TurnLimits::default())
    }

    /// The same with lower limits.
    #[must_use]
    pub fn limited(
        executor: &Executor,
        legs: Vec<Arc<dyn Backend>>,
        scope: CallerScope,
        limits: TurnLimits,
    ) -> Self {
        ConversationBuilder::new(executor, scope).legs(legs).limits(limits).open()
    }

    /// Step by step: with a transcript that outlives the conversation, or another context budget.
    pub fn builder(executor: &Executor, scope: CallerScope) -> ConversationBuilder {
        ConversationBuilder::new(executor, scope)
    }

    /// Names the conversation.
    #[must_use]
    pub fn id(&self) -> ConversationId {
        self.0.id
    }

    /// What is remembered of this conversation's caller; clearing it counts for the next turn.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.0.history
    }

    /// Takes a message and opens a turn; nothing happens until the turn is polled. The text is a
    /// message and nothing else: "yes" decides nothing.
    ///
    /// # Errors
    /// While a turn of this conversation is open; the message is not taken.
    pub fn say(&self, text: impl Into<String>) -> Result<Turn, Busy> {
        let mut state = self.0.state();
        if let Some(busy) = &state.busy {
            return Err(busy.clone());
        }
        state.busy = Some(Busy::TurnRunning);
        let text = text.into();
        let place = self.0.history.begin(&text);
        state.open = Some(place);
        state.said.insert(place, vec![Message::User(text)]);
        // older ones are sent as they are remembered, and those that are forgotten not at all
        while state.said.len() > KEEP_VERBATIM_TURNS.saturating_add(1) {
            state.said.pop_first();
        }
        state.turns = state.turns.saturating_add(1);
        let number = state.turns;
        drop(state);
        let events = Events::default();
        let ledger = self.0.executor.open_turn(self.0.scope.clone(), self.0.id);
        let open = OpenTurn::new(Arc::clone(&self.0), Arc::clone(&ledger), number, place);
        Ok(Turn::new(events.clone(), ledger, Arc::clone(&self.0), open.drive(events)))
    }

    /// What the next round would be sent on this device if everything fitted, oldest first.
    #[must_use]
    pub fn transcript(&self) -> Vec<Message> {
        let open = self.0.state().open;
        self.0.context(open, Locality::Local).whole()
    }
}
