//! One open turn, from the person's words to the report.

use super::consent::Consents;
use super::dropped::{Dropped, UnderWay};
use super::leg::Legs;
use super::reply::Round;
use super::report::{Report, TurnError};
use super::turn::{Event, Events};
use super::{Busy, Receipt, SYSTEM_PROMPT_VERSION, Shared};
use crate::audit::Point;
use crate::backend::{Backend, BackendTurn, CallId, Message, Proposed, Stop, WireProposal};
use crate::catalog::CatalogSnapshot;
use crate::clock::Moment;
use crate::confirmation::ConfirmationRequest;
use crate::executor::{
    Ending, Outcome, Proposal, Submitted, Suspended, TurnLedger, Unparsed, code,
};
use crate::history::{TurnEnd, scrub, withheld};
use crate::id::InvocationId;
use crate::schema::RawArguments;
use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// One proposal of the current reply.
struct Waiting {
    call: CallId,
    wire_name: String,
    proposal: Proposal,
}

impl Waiting {
    fn arguments(&self) -> Option<RawArguments> {
        self.proposal.arguments.as_ref().ok().cloned()
    }
}

/// Frees the conversation and leaves no proposal without an outcome, however it ends.
pub(super) struct OpenTurn {
    pub(super) shared: Arc<Shared>,
    pub(super) ledger: Arc<TurnLedger>,
    /// Counts the turns of this conversation.
    number: u32,
    /// Its number in the transcript.
    pub(super) place: u64,
    /// Not submitted yet.
    waiting: VecDeque<Waiting>,
    /// Submitted, its outcome not told yet.
    under_way: Option<UnderWay>,
    told: HashSet<InvocationId>,
    /// Argument values that the transcript must not get from the model's prose either.
    withheld: Vec<String>,
    /// Who gave the last reply.
    pub(super) answered: Option<Arc<dyn Backend>>,
    /// What the person agreed to send off the device in this turn.
    pub(super) consents: Consents,
    /// What comes into the transcript behind the call that is under way.
    after: Vec<Message>,
    /// The transcript has its end.
    ended: bool,
    pub(super) report: Report,
}

impl Drop for OpenTurn {
    fn drop(&mut self) {
        let under_way = self.under_way.take();
        if let Some(call) = under_way.as_ref().filter(|call| !call.started) {
            self.shared.started(self.place, call);
        }
        let waiting = std::mem::take(&mut self.waiting);
        for waiting in waiting {
            let (executor, ending) = (&self.shared.executor, Ending::NotAttempted);
            let outcome = executor.settle(&self.ledger, &waiting.proposal, Point::Budget, ending);
            self.told.insert(outcome.audit_id);
            self.shared.keep(self.place, &outcome, waiting.arguments().as_ref(), false);
            self.after.push(Message::Outcome { call: waiting.call, outcome });
        }
        self.end(TurnEnd::Cancelled, None);
        Dropped {
            ledger: Arc::clone(&self.ledger),
            place: self.place,
            under_way,
            known: std::mem::take(&mut self.told),
            after: std::mem::take(&mut self.after),
        }
        .leave_to(&self.shared);
    }
}

impl OpenTurn {
    pub(super) fn new(
        shared: Arc<Shared>,
        ledger: Arc<TurnLedger>,
        number: u32,
        place: u64,
    ) -> Self {
        Self {
            shared,
            ledger,
            number,
            place,
            waiting: VecDeque::new(),
            under_way: None,
            told: HashSet::new(),
            withheld: Vec::new(),
            answered: None,
            consents: Consents::default(),
            after: Vec::new(),
            ended: false,
            report: Report { system_prompt: SYSTEM_PROMPT_VERSION, ..Report::default() },
        }
    }

    pub(super) async fn drive(mut self, events: Events) {
        self.shared.save_soon(); // the person's words are kept while the turn runs
        let mut deadline = self.shared.executor.now().after(self.shared.limits.max_time());
        match self.rounds(&mut deadline, &events).await {
            Ok(()) => self.end(TurnEnd::Answered, None),
            Err(error) => {
                self.report.error = Some(error);
                self.end(TurnEnd::Failed, Some(error.code()));
            }
        }
        if let Some(leg) = self.answered.take() {
            self.fold(&leg, deadline).await;
        }
        let mut report = std::mem::take(&mut self.report);
        for outcome in self.ledger.outcomes() {
            report.citations.extend_from_slice(outcome.citations());
            report.receipts.push(Receipt::of(&outcome));
        }
        if !report.receipts.is_empty() && self.shared.executor.durable().await.is_err() {
            report.error = Some(TurnError::AuditUnavailable);
        }
        report.unsaved = self.shared.save().await.err();
        drop(self);
        events.push(Event::Finished(Box::new(report)));
    }

    /// The transcript is told how the turn ended, once.
    fn end(&mut self, end: TurnEnd, code: Option<&str>) {
        if !std::mem::replace(&mut self.ended, true) {
            let text = scrub(&self.report.text, &self.withheld);
            self.shared.history.end(self.place, &text, end, code);
        }
    }

    async fn rounds(&mut self, deadline: &mut Moment, events: &Events) -> Result<(), TurnError> {
        let shared = Arc::clone(&self.shared);
        let limits = shared.limits;
        let mut legs = Legs::new(&shared.legs);
        self.ledger.end_by(*deadline);
        let mut closing = false;
        loop {
            let catalog = shared.executor.catalog(&shared.scope);
            let round = Round { catalog: &catalog, closing };
            let reply = self.reply(&mut legs, round, deadline, events).await?;
            let silent = reply.text.trim().is_empty();
            self.take_up(reply, &catalog);
            if closing {
                self.exhaust(code::ROUND_BUDGET, events).await;
                return if silent { Err(TurnError::OutOfRounds) } else { Ok(()) };
            }
            if self.waiting.is_empty() {
                return Ok(());
            }
            self.submit_all(deadline, events).await;
            let used = self.report.limits;
            closing = used.rounds_used >= limits.max_rounds()
                || used.proposals_used >= limits.max_proposals();
        }
    }

    /// The reply goes into the transcript, its proposals into the queue.
    fn take_up(&mut self, reply: BackendTurn, catalog: &CatalogSnapshot) {
        let used = &mut self.report.limits;
        let round = used.rounds_used;
        used.rounds_used = round.saturating_add(1);
        let count = u16::try_from(reply.proposals.len()).unwrap_or(u16::MAX);
        used.proposals_used = used.proposals_used.saturating_add(count);
        self.report.backend.identity = Some(reply.identity);
        // words beside a call stay the answer when nothing is said after it
        if !reply.text.trim().is_empty() {
            self.report.text.clone_from(&reply.text);
        }
        let truncated = reply.stop == Stop::Length;
        let mut proposals = Vec::new();
        for (index, wire) in (0_u16..).zip(reply.proposals) {
            let call = CallId::new(self.number, round, index);
            let WireProposal { wire_id, wire_name, arguments } = wire;
            // a reply that was cut off yields no proposal: what looks whole may not be
            let heard = match &arguments {
                _ if truncated => Err(Unparsed {
                    code: code::TRUNCATED_REPLY,
                    reason: "the reply was cut off by a length limit".to_owned(),
                }),
                Ok(raw) => Ok(raw.clone()),
                Err(malformed) => Err(Unparsed::from(*malformed)),
            };
            let wire = wire_name.clone();
            if let (Some(d), Ok(raw)) = (catalog.resolve(&wire), &arguments) {
                self.withheld.extend(withheld(d, raw));
            }
            proposals.push(Proposed { call, wire_id, wire_name: wire, arguments });
            // wire names end here
            let proposal = match catalog.resolve(&wire_name) {
                Some(d) => Proposal::listed(d.name(), d.version(), heard),
                None => Proposal::unlisted(&wire_name, heard),
            };
            self.waiting.push_back(Waiting { call, wire_name, proposal });
        }
        self.remember(Message::Assistant { text: reply.text, proposals });
    }

    /// Each proposal alone and in order (A09).
    async fn submit_all(&mut self, deadline: &mut Moment, events: &Events) {
        let shared = Arc::clone(&self.shared);
        let executor = &shared.executor;
        // proposals of earlier rounds were within the cap; this reply may cross it
        let waiting = u16::try_from(self.waiting.len()).unwrap_or(u16::MAX);
        let before = self.report.limits.proposals_used.saturating_sub(waiting);
        let mut room = shared.limits.max_proposals().saturating_sub(before);
        while let Some(next) = self.waiting.front() {
            if room == 0 {
                return self.exhaust(code::PROPOSAL_BUDGET, events).await;
            }
            room = room.saturating_sub(1);
            if executor.now() >= *deadline {
                return self.exhaust(code::TIME_BUDGET, events).await;
            }
            events.emit(Event::Proposed { wire_name: next.wire_name.clone() }).await;
            let Some(waiting) = self.waiting.pop_front() else { return };
            self.under_way = Some(UnderWay {
                call: waiting.call,
                arguments: waiting.arguments(),
                named: waiting.proposal.version.map(|v| (waiting.proposal.name.clone(), v)),
                started: false,
            });
            let outcome = match executor.submit(&self.ledger, waiting.proposal).await {
                Submitted::Settled(outcome) => outcome,
                Submitted::Awaiting(request, suspended) => {
                    let disclosure = Box::new(request.disclosure().clone());
                    self.busy(Busy::DecisionOutstanding(disclosure));
                    let watched = request.clone();
                    events.emit(Event::ConfirmationRequested(request)).await;
                    let (outcome, took) = self.settle(&watched, suspended).await;
                    self.busy(Busy::TurnRunning);
                    // the turn's clock stands still while a person decides
                    *deadline = deadline.after(took);
                    outcome
                }
            };
            let Some(call) = self.under_way.take() else { return };
            let UnderWay { call, arguments, started, .. } = call;
            self.tell(call, outcome, arguments.as_ref(), started, events).await;
        }
    }

    /// Waits for the decision and the call. While the decision is open nothing of it is kept; once the
    /// call runs, the transcript has its name, so that a crash leaves more than a request without an
    /// answer.
    async fn settle(
        &mut self,
        request: &ConfirmationRequest,
        suspended: Suspended,
    ) -> (Outcome, Duration) {
        let mut settling = pin!(suspended.settle());
        poll_fn(|cx| {
            let polled = settling.as_mut().poll(cx);
            if let (Poll::Pending, Some(call)) = (&polled, &mut self.under_way)
                && !call.started
                && !request.is_open()
            {
                call.started = true;
                self.shared.started(self.place, call);
                self.shared.save_soon();
            }
            polled
        })
        .await
    }

    /// Everything that still waits ends at the turn's budget.
    async fn exhaust(&mut self, code: &'static str, events: &Events) {
        while let Some(waiting) = self.waiting.pop_front() {
            let (executor, ending) = (&self.shared.executor, Ending::BudgetExhausted { code });
            let outcome = executor.settle(&self.ledger, &waiting.proposal, Point::Budget, ending);
            let arguments = waiting.arguments();
            self.tell(waiting.call, outcome, arguments.as_ref(), false, events).await;
        }
    }

    async fn tell(
        &mut self,
        call: CallId,
        outcome: Outcome,
        arguments: Option<&RawArguments>,
        started: bool,
        events: &Events,
    ) {
        self.told.insert(outcome.audit_id);
        self.shared.keep(self.place, &outcome, arguments, started);
        self.remember(Message::Outcome { call, outcome: outcome.clone() });
        self.shared.save_soon();
        events.emit(Event::Settled(outcome)).await;
    }

    pub(super) fn busy(&self, busy: Busy) {
        self.shared.state().busy = Some(busy);
    }

    fn remember(&self, message: Message) {
        self.shared.state().said.entry(self.place).or_default().push(message);
    }
}
