//! One reply of a turn: from the first leg that can give one and may be sent to.

use super::SYSTEM_PROMPT;
use super::budget::{ContextBudget, fixed};
use super::drive::OpenTurn;
use super::leg::Legs;
use super::payload::payload;
use super::report::TurnError;
use super::turn::{Event, Events};
use crate::backend::{
    Backend, BackendError, BackendTurn, DeltaSink, FailureClass, Locality, Request, Stop,
};
use crate::catalog::CatalogSnapshot;
use crate::clock::Moment;
use crate::executor::Withheld;
use std::sync::Arc;

/// What is asked in one round, whoever is asked.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) catalog: &'a CatalogSnapshot,
    pub(super) closing: bool,
}

struct Deltas<'a> {
    events: &'a Events,
    any: bool,
}

impl DeltaSink for Deltas<'_> {
    fn text(&mut self, delta: &str) {
        self.any = true;
        self.events.push(Event::Text(delta.to_owned()));
    }
}

/// How many proposals one reply may hold: far more than a turn takes, far less than a flood.
const MAX_PROPOSALS_IN_REPLY: usize = 64;

/// A reply that can be taken up; a flood, or silence where words are due, is a leg that failed.
pub(super) fn sound(reply: BackendTurn, first: bool) -> Result<BackendTurn, BackendError> {
    let count = reply.proposals.len();
    if count > MAX_PROPOSALS_IN_REPLY {
        let most = MAX_PROPOSALS_IN_REPLY;
        let reason = format!("its reply holds {count} proposals, and at most {most} are taken");
        return Err(BackendError::new(FailureClass::Protocol, reason));
    }
    if first && count == 0 && reply.text.trim().is_empty() && reply.stop != Stop::Refusal {
        return Err(BackendError::new(FailureClass::Protocol, "its reply is empty"));
    }
    Ok(reply)
}

fn withheld(no: Withheld) -> BackendError {
    BackendError::new(FailureClass::Withheld, no.to_string())
}

impl OpenTurn {
    /// One reply, from the first leg that gives one.
    pub(super) async fn reply(
        &mut self,
        legs: &mut Legs<'_>,
        round: Round<'_>,
        deadline: &mut Moment,
        events: &Events,
    ) -> Result<BackendTurn, TurnError> {
        loop {
            let Some(leg) = legs.current() else {
                let too_long = legs.found_too_long();
                return Err(if too_long { TurnError::TooLong } else { TurnError::NoBackend });
            };
            let no = self.shut(&leg.identity()).map(withheld);
            let ready = match no.or_else(|| legs.barred()) {
                Some(no) => Err(no),
                None => self.in_time(*deadline, legs.admit()).await?,
            };
            if let Err(error) = ready {
                self.skip(legs, &error, events).await;
                continue;
            }
            match self.ask(leg, round, deadline, events).await? {
                Ok(reply) => {
                    self.answered = Some(Arc::clone(leg));
                    return Ok(reply);
                }
                Err(error) => self.skip(legs, &error, events).await,
            }
        }
    }

    /// What `leg` says to this round, if it may be sent there.
    async fn ask(
        &mut self,
        leg: &Arc<dyn Backend>,
        round: Round<'_>,
        deadline: &mut Moment,
        events: &Events,
    ) -> Result<Result<BackendTurn, BackendError>, TurnError> {
        let identity = leg.identity();
        let context = self.shared.context(Some(self.place), identity.locality);
        let budget = self.shared.budget(&**leg);
        let room = fixed(SYSTEM_PROMPT, round.catalog);
        let Ok(messages) = context.fit(budget, room) else {
            self.shared.state().counts.relax(&identity);
            let reason = format!("it is sent {} tokens at most, and this is more", budget.tokens());
            return Ok(Err(BackendError::new(FailureClass::TooLong, reason)));
        };
        if identity.locality == Locality::Remote {
            let payload = payload(SYSTEM_PROMPT, &messages, round.catalog);
            let cleared = self.clear(&identity, payload, round, deadline, events).await;
            // what answers now may be another than the person was asked about
            let cleared = match cleared {
                Ok(()) if leg.identity() != identity => Err(Withheld::Changed),
                cleared => cleared,
            };
            if let Err(no) = cleared {
                return Ok(Err(withheld(no)));
            }
        }
        let left = deadline.since(self.shared.executor.now());
        let request = Request::new(SYSTEM_PROMPT, &messages, round.catalog, left);
        let request = request.of_turn(self.ledger.turn());
        let request = if round.closing { request.closing() } else { request };
        let mut deltas = Deltas { events, any: false };
        let reply = self.in_time(*deadline, leg.send(request, &mut deltas)).await?;
        let reply = reply.and_then(|reply| sound(reply, self.ledger.outcomes().is_empty()));
        let sent = ContextBudget::estimate(SYSTEM_PROMPT, &messages, round.catalog);
        self.shared.state().counts.learn(&identity, sent, &reply);
        if let Ok(reply) = &reply
            && !deltas.any
            && !reply.text.is_empty()
        {
            events.push(Event::Text(reply.text.clone()));
        }
        Ok(reply)
    }

    async fn in_time<T>(
        &self,
        deadline: Moment,
        work: impl Future<Output = T>,
    ) -> Result<T, TurnError> {
        let executor = &self.shared.executor;
        if executor.now() >= deadline {
            return Err(TurnError::OutOfTime);
        }
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = executor.sleep_until(deadline) => Err(TurnError::OutOfTime),
        }
    }

    async fn skip(&mut self, legs: &mut Legs<'_>, error: &BackendError, events: &Events) {
        if let Some(skipped) = legs.fail(error) {
            self.report.backend.skipped.push(skipped.clone());
            let next = legs.current().map(|leg| leg.identity());
            events.emit(Event::LegFailed { skipped, next }).await;
        }
    }
}
