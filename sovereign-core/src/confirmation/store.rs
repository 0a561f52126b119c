use super::denied::Denied;
use super::request::{ConfirmationRequest, Place};
use super::sync::{Mutex, MutexGuard, PoisonError};
use super::token::TokenHash;
use super::verdict::{Answer, Verdict};
use super::{ConfirmationToken, Decision, Disclosure, NotOpen};
use crate::caller::CallerScope;
use crate::clock::{Clock, Moment};
use crate::entropy::Entropy;
use crate::id::{ConversationId, InvocationId, PendingId};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a decision stays open (A19).
pub const WINDOW: Duration = Duration::from_secs(120);
/// How many surfaces may show one decision, each with a token of its own.
pub const MAX_SURFACINGS: usize = 8;
/// How many decisions one session may have open, over all its conversations.
pub const MAX_OPEN_PER_SESSION: usize = 8;
/// How many decisions may be open in all.
pub const MAX_OPEN: usize = 64;
/// How many tokens of closed decisions are remembered, to tell their session so.
pub(super) const MAX_SPENT: usize = 4 * MAX_OPEN * MAX_SURFACINGS;

/// What a list shows; nothing in it decides.
#[derive(Debug, Clone, serde::Serialize)]
#[non_exhaustive]
pub struct Pending {
    /// Names the decision.
    pub id: PendingId,
    /// Names the call.
    pub audit_id: InvocationId,
    /// What the person is shown.
    pub disclosure: Disclosure,
    /// How long it stays open, at the time of asking; a begun second counts.
    pub expires_in_seconds: u64,
    #[serde(skip)]
    pub(super) until: Until,
}

impl Pending {
    /// As it is now.
    pub(super) fn at(&self, now: Now) -> Self {
        let left = self.until.remaining(now);
        let begun = u64::from(left.subsec_nanos() > 0);
        Self { expires_in_seconds: left.as_secs().saturating_add(begun), ..self.clone() }
    }
}

/// Why no decision was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskError {
    /// One is open in this conversation, or a cap is reached.
    TooMany,
    /// The person said no to the same in this turn.
    AlreadyDenied,
}

struct Open {
    scope: CallerScope,
    conversation: ConversationId,
    until: Until,
    pending: Arc<Pending>,
    tokens: Vec<TokenHash>,
    answer: Arc<Answer>,
    question: [u8; 32],
    denied: Arc<Denied>,
}

/// Over as soon as either clock says so: the monotonic one stands still while a machine sleeps, the
/// wall clock may be set back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    pub(super) moment: Moment,
    wall: SystemTime,
}

#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) moment: Moment,
    wall: SystemTime,
}

impl Until {
    pub(super) fn is_over(&self, now: Now) -> bool {
        now.moment >= self.moment || now.wall >= self.wall
    }

    pub(super) fn remaining(&self, now: Now) -> Duration {
        let wall = self.wall.duration_since(now.wall).unwrap_or_default();
        self.moment.since(now.moment).min(wall)
    }

    /// Before this nothing of both is over.
    fn earliest(self, other: Self) -> Self {
        Self { moment: self.moment.min(other.moment), wall: self.wall.min(other.wall) }
    }
}

struct Spent {
    scope: CallerScope,
    until: Until,
}

#[derive(Default)]
struct Book {
    open: HashMap<PendingId, Open>,
    tokens: HashMap<TokenHash, PendingId>,
    /// Tokens of closed decisions, until the original deadline.
    spent: HashMap<TokenHash, Spent>,
    /// Before this there is nothing to sweep: what is open or remembered costs nobody else anything.
    due: Option<Until>,
}

impl Book {
    /// The one way out of `open`: all tokens of the decision die with it.
    fn close(&mut self, id: PendingId) -> Option<Open> {
        let open = self.open.remove(&id)?;
        for token in &open.tokens {
            self.tokens.remove(token);
            if self.spent.len() < MAX_SPENT {
                let spent = Spent { scope: open.scope.clone(), until: open.until };
                self.spent.insert(*token, spent);
            }
        }
        Some(open)
    }

    fn enter(&mut self, id: PendingId, open: Open) {
        let until = open.until;
        self.due = Some(self.due.map_or(until, |due| due.earliest(until)));
        self.open.insert(id, open);
    }

    /// Takes out what is over.
    fn sweep(&mut self, now: Now) -> Vec<Open> {
        if !self.due.is_some_and(|due| due.is_over(now)) {
            return Vec::new();
        }
        let over = self.open.iter().filter(|(_, o)| o.until.is_over(now)).map(|(id, _)| *id);
        let over: Vec<_> = over.collect();
        let over = over.into_iter().filter_map(|id| self.close(id)).collect();
        self.spent.retain(|_, spent| !spent.until.is_over(now));
        let open = self.open.values().map(|o| o.until);
        self.due = open.chain(self.spent.values().map(|s| s.until)).reduce(Until::earliest);
        over
    }
}

pub(crate) struct Confirmations {
    pub(super) clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    book: Mutex<Book>,
}

impl Confirmations {
    pub(crate) fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy, book: Mutex::default() }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what is over, whether or not anybody waits for it: it takes no place of another. Who waited
    /// is woken while nothing is locked.
    fn swept(&self, now: Now) -> MutexGuard<'_, Book> {
        let mut book = self.book();
        let over = book.sweep(now);
        if over.is_empty() {
            return book;
        }
        drop(book);
        over.iter().for_each(|o| o.answer.give(Verdict::Expired));
        self.book()
    }

    pub(super) fn now(&self) -> Now {
        Now { moment: self.clock.now(), wall: self.clock.wall() }
    }

    pub(crate) fn ask(
        self: &Arc<Self>,
        id: PendingId,
        scope: &CallerScope,
        conversation: ConversationId,
        audit_id: InvocationId,
        disclosure: Disclosure,
        denied: &Arc<Denied>,
    ) -> Result<(ConfirmationRequest, Place), AskError> {
        let now = self.now();
        let question = disclosure.question();
        let answer = Arc::<Answer>::default();
        let wall = now.wall.checked_add(WINDOW).unwrap_or(now.wall);
        let until = Until { moment: now.moment.after(WINDOW), wall };
        let expires_in_seconds = WINDOW.as_secs();
        let pending = Arc::new(Pending { id, audit_id, disclosure, expires_in_seconds, until });
        let open = Open {
            scope: scope.clone(),
            conversation,
            until,
            pending: Arc::clone(&pending),
            tokens: Vec::new(),
            answer: Arc::clone(&answer),
            question,
            denied: Arc::clone(denied),
        };
        let mut book = self.swept(now);
        if denied.holds(&question) {
            return Err(AskError::AlreadyDenied);
        }
        let same_session = book.open.values().filter(|o| o.scope == *scope).count();
        let same_conversation = book.open.values().any(|o| o.conversation == conversation);
        if same_conversation || same_session >= MAX_OPEN_PER_SESSION || book.open.len() >= MAX_OPEN
        {
            return Err(AskError::TooMany);
        }
        book.enter(id, open);
        drop(book);
        let request = ConfirmationRequest { pending, store: Arc::clone(self) };
        let place = Place { store: Arc::clone(self), id, until, answer };
        Ok((request, place))
    }

    pub(super) fn is_open(&self, id: PendingId) -> bool {
        let now = self.now();
        self.book().open.get(&id).is_some_and(|o| !o.until.is_over(now))
    }

    /// A token for one surface of the session that was asked.
    pub(crate) fn surface(
        &self,
        scope: &CallerScope,
        id: PendingId,
    ) -> Result<ConfirmationToken, NotOpen> {
        let now = self.now();
        let token = ConfirmationToken::random(&*self.entropy).map_err(|_| NotOpen::NotPending)?;
        let hash = token.hash();
        let mut book = self.swept(now);
        let open = book.open.get_mut(&id).filter(|o| o.scope == *scope && !o.until.is_over(now));
        let open = open.filter(|o| o.tokens.len() < MAX_SURFACINGS).ok_or(NotOpen::NotPending)?;
        open.tokens.push(hash);
        book.tokens.insert(hash, id);
        Ok(token)
    }

    /// One atomic step: the first valid token closes the decision, for good or ill, and kills the
    /// others.
    pub(crate) fn take(
        &self,
        scope: &CallerScope,
        id: PendingId,
        token: &ConfirmationToken,
        decision: Decision,
    ) -> Result<InvocationId, NotOpen> {
        let now = self.now();
        let hash = token.hash();
        let mut book = self.swept(now);
        let known = book.tokens.get_key_value(&hash).filter(|(kept, _)| kept.is(&hash));
        let Some((_, named)) = known.map(|(kept, id)| (*kept, *id)) else {
            return Err(match book.spent.get(&hash) {
                Some(spent) if spent.scope == *scope => NotOpen::AlreadyResolved,
                _ => NotOpen::NotPending,
            });
        };
        let open = book.close(named).ok_or(NotOpen::NotPending)?;
        let rightful = open.scope == *scope && named == id;
        Self::decide(book, &open, rightful, now, decision)
    }

    /// In-process: whoever holds the request is the application itself.
    pub(super) fn take_by_id(
        &self,
        id: PendingId,
        decision: Decision,
    ) -> Result<InvocationId, NotOpen> {
        let now = self.now();
        let mut book = self.swept(now);
        let open = book.close(id).ok_or(NotOpen::AlreadyResolved)?;
        Self::decide(book, &open, true, now, decision)
    }

    fn decide(
        book: MutexGuard<'_, Book>,
        open: &Open,
        rightful: bool,
        now: Now,
        decision: Decision,
    ) -> Result<InvocationId, NotOpen> {
        let verdict = match decision {
            // swept before it was found; asked once more, where it is decided
            _ if open.until.is_over(now) => Verdict::Expired,
            _ if !rightful => Verdict::WrongContext,
            Decision::Approve => Verdict::Approved,
            Decision::Deny => Verdict::Denied,
        };
        // while nobody else can ask: whoever waits may pick the answer up much later
        if verdict == Verdict::Denied {
            open.denied.add(open.question);
        }
        drop(book);
        open.answer.give(verdict);
        match verdict {
            Verdict::Approved | Verdict::Denied => Ok(open.pending.audit_id),
            Verdict::Expired | Verdict::Withdrawn | Verdict::WrongContext => {
                Err(NotOpen::NotPending)
            }
        }
    }

    /// Whoever waited stops waiting.
    pub(super) fn leave(&self, id: PendingId) -> bool {
        self.book().close(id).is_some()
    }

    /// Session end, logout, shutdown.
    pub(crate) fn void(&self, which: impl Fn(&CallerScope) -> bool) -> usize {
        let now = self.now();
        let mut book = self.swept(now);
        let ids = book.open.iter().filter(|(_, o)| which(&o.scope)).map(|(id, _)| *id);
        let ids: Vec<_> = ids.collect();
        let gone: Vec<_> = ids.into_iter().filter_map(|id| book.close(id)).collect();
        drop(book);
        gone.iter().for_each(|o| o.answer.give(Verdict::Withdrawn));
        gone.len()
    }

    pub(crate) fn pending(&self, scope: &CallerScope) -> Vec<Pending> {
        let now = self.now();
        let book = self.book();
        let open = book.open.values().filter(|o| o.scope == *scope && !o.until.is_over(now));
        let mut pending: Vec<_> = open.map(|o| o.pending.at(now)).collect();
        drop(book);
        pending.sort_by_key(|p| p.id);
        pending
    }

    #[cfg(test)]
    pub(super) fn is_locked(&self) -> bool {
        self.book.try_lock().is_err()
    }

    #[cfg(test)]
    pub(super) fn sizes(&self) -> (usize, usize, usize) {
        let book = self.book();
        (book.open.len(), book.tokens.len(), book.spent.len())
    }
}
