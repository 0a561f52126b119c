use super::Outcome;
use super::sync::{Mutex, MutexGuard, PoisonError};
use crate::caller::CallerScope;
use crate::clock::Moment;
use crate::confirmation::Denied;
use crate::id::{ConversationId, InvocationId, TurnId};
use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

/// What all proposals of one turn share: who asks, what is left, and what each came to.
///
/// A button press is a turn of one. Outcomes arrive here also when nobody waits for them any more.
/// Made by [`Executor::open_turn`](super::Executor::open_turn).
#[derive(Debug)]
pub struct TurnLedger {
    scope: CallerScope,
    conversation: ConversationId,
    turn: TurnId,
    used: Mutex<Used>,
    denied: Arc<Denied>,
}

/// How many decisions one turn may ask of a person: whoever is asked without end says yes in the end.
pub const MAX_ASKED_PER_TURN: u16 = 8;

/// Which cap leaves no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// The capability's own.
    Capability,
    /// That of the decisions that one turn may ask for.
    Decisions,
}

#[derive(Debug, Default)]
struct Used {
    open: u32,
    asked: u16,
    outcomes: Vec<Outcome>,
    per_capability: HashMap<(&'static str, u32), u16>,
    waiting: Vec<Waker>,
    /// When the turn is over, whatever a call's own bound is.
    until: Option<Moment>,
}

impl TurnLedger {
    pub(crate) fn new(scope: CallerScope, conversation: ConversationId, turn: TurnId) -> Self {
        Self { scope, conversation, turn, used: Mutex::default(), denied: Arc::default() }
    }

    /// Who asks.
    #[must_use]
    pub const fn scope(&self) -> &CallerScope {
        &self.scope
    }

    /// The conversation this turn belongs to.
    #[must_use]
    pub const fn conversation(&self) -> ConversationId {
        self.conversation
    }

    /// The turn itself.
    #[must_use]
    pub const fn turn(&self) -> TurnId {
        self.turn
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No call of this turn goes on past `moment`.
    pub(crate) fn end_by(&self, moment: Moment) {
        self.used().until = Some(moment);
    }

    /// The turn's clock stood still for this long.
    pub(crate) fn stood_still(&self, span: Duration) {
        let mut used = self.used();
        used.until = used.until.map(|until| until.after(span));
    }

    /// The earlier of a call's own deadline and the turn's.
    pub(crate) fn within(&self, own: Moment) -> Moment {
        self.used().until.map_or(own, |until| until.min(own))
    }

    pub(crate) fn opened(&self) {
        let mut used = self.used();
        used.open = used.open.saturating_add(1);
    }

    pub(crate) fn settled(&self, outcome: Outcome) {
        let mut used = self.used();
        used.outcomes.push(outcome);
        used.open = used.open.saturating_sub(1);
        let waiting = std::mem::take(&mut used.waiting);
        drop(used);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Every outcome so far, in the order in which they ended.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.used().outcomes.clone()
    }

    pub(crate) fn outcome(&self, id: InvocationId) -> Option<Outcome> {
        self.used().outcomes.iter().find(|o| o.audit_id == id).cloned()
    }

    /// Whether every proposal so far has its outcome.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.used().open == 0
    }

    /// Ends when every proposal of this turn has its outcome.
    pub async fn idle(&self) {
        poll_fn(|cx| {
            let mut used = self.used();
            if used.open == 0 {
                return Poll::Ready(());
            }
            // a waiter that is polled often is one waiter
            if !used.waiting.iter().any(|waiting| waiting.will_wake(cx.waker())) {
                used.waiting.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    /// One use of the capability's own cap and, when a person is to be asked, of the turn's
    /// decisions: both or neither, and never given back.
    pub(crate) fn reserve(
        &self,
        capability: (&'static str, u32),
        cap: u16,
        asks: bool,
    ) -> Result<(), Full> {
        let mut used = self.used();
        let asked = used.asked.saturating_add(u16::from(asks));
        if asked > MAX_ASKED_PER_TURN {
            return Err(Full::Decisions);
        }
        let count = used.per_capability.entry(capability).or_default();
        if *count >= cap {
            return Err(Full::Capability);
        }
        *count = count.saturating_add(1);
        used.asked = asked;
        Ok(())
    }

    /// What a person said no to, so that it is not asked again in this turn.
    pub(crate) const fn denied(&self) -> &Arc<Denied> {
        &self.denied
    }

    /// One of the turn's decisions, for a question that is about no call.
    pub(crate) fn reserve_decision(&self) -> Result<(), Full> {
        let mut used = self.used();
        if used.asked >= MAX_ASKED_PER_TURN {
            return Err(Full::Decisions);
        }
        used.asked = used.asked.saturating_add(1);
        Ok(())
    }
}
