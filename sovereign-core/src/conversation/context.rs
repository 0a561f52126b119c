//! What of a conversation fits into one request: pure, and always within the budget.
//!
//! Cut or left out, in this order, until the rest fits: results of earlier turns, earlier turns from
//! the oldest on, results of this turn's earlier rounds, the summary, results of its last round, its
//! earlier rounds, its last one. A round that is left out leaves a record of what it came to. The
//! instructions, the tools and the person's open request stay as they are; a call and its outcome stay
//! or go together.
use super::budget::{ContextBudget, least, message};
use crate::backend::{Message, Recalled};
use crate::executor::{Ending, Json, Outcome, code};
use crate::history::MAX_TOOL_RESULT_CHARS;
use serde::Serialize;
use std::cell::OnceCell;

/// A turn or a round: stays or goes as a whole. Its cost is counted when it is asked for, and once.
#[derive(Debug)]
pub(super) struct Part {
    messages: Vec<Message>,
    tokens: OnceCell<usize>,
}

impl From<Vec<Message>> for Part {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, tokens: OnceCell::new() }
    }
}

impl Part {
    fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| cost(&self.messages))
    }
}

/// What there is to send.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// What is said of turns that are no longer there.
    pub(super) head: Option<Recalled>,
    /// How many of the earlier turns were left out to fit.
    pub(super) left_out: usize,
    /// Earlier turns, oldest first, each whole.
    pub(super) earlier: Vec<Part>,
    /// The open request, then its rounds.
    pub(super) request: Vec<Message>,
    pub(super) rounds: Vec<Part>,
}

/// The instructions, the tools and the open request alone are too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// To how many characters results are cut, step by step.
const SHORTER: [usize; 3] = [2_000, 400, 0];
/// How many calls a record of folded rounds names.
const NAMED: usize = 12;

impl Context {
    /// Sorts the messages of the open turn: what stands before the first reply is the request.
    pub(super) fn open(&mut self, messages: Vec<Message>) {
        let mut rounds: Vec<Vec<Message>> = Vec::new();
        for message in messages {
            match (&message, rounds.last_mut()) {
                (Message::Assistant { .. }, _) => rounds.push(vec![message]),
                (_, Some(round)) => round.push(message),
                (_, None) => self.request.push(message),
            }
        }
        self.rounds = rounds.into_iter().map(Part::from).collect();
    }

    /// Everything, oldest first.
    pub(super) fn whole(self) -> Vec<Message> {
        let note = self.note();
        let head = self.head.into_iter().chain(note).map(Message::Recalled);
        let earlier = self.earlier.into_iter().flat_map(|turn| turn.messages);
        let rounds = self.rounds.into_iter().flat_map(|round| round.messages);
        head.chain(earlier).chain(self.request).chain(rounds).collect()
    }

    /// What fits beside `fixed` tokens of instructions and tools.
    pub(super) fn fit(
        mut self,
        budget: ContextBudget,
        fixed: usize,
    ) -> Result<Vec<Message>, TooLong> {
        let room = budget.tokens().saturating_sub(fixed);
        if cost(&self.request) > room {
            return Err(TooLong);
        }
        for chars in SHORTER {
            if self.fits(room) {
                return Ok(self.whole());
            }
            self.earlier.iter_mut().for_each(|turn| shorten(turn, chars));
        }
        let over = self.cost().saturating_sub(room);
        self.left_out = usize::from(over > 0); // the note has to fit as well
        let mut over = self.cost().saturating_sub(room);
        let gone = self.earlier.iter().take_while(|turn| {
            let still = over > 0;
            over = over.saturating_sub(turn.tokens());
            still
        });
        let gone = gone.count();
        self.earlier.drain(..gone);
        self.left_out = gone;
        for chars in SHORTER {
            if self.fits(room) {
                return Ok(self.whole());
            }
            let before_last = self.rounds.len().saturating_sub(1);
            self.rounds.iter_mut().take(before_last).for_each(|round| shorten(round, chars));
        }
        if !self.fits(room) {
            self.head = None;
        }
        for chars in SHORTER {
            if self.fits(room) {
                return Ok(self.whole());
            }
            self.rounds.iter_mut().for_each(|round| shorten(round, chars));
        }
        self.fold_rounds(room)
    }

    /// Puts records in place of rounds, from the oldest on.
    fn fold_rounds(self, room: usize) -> Result<Vec<Message>, TooLong> {
        let all = self.rounds.len();
        for folded in 1..=all {
            let (old, kept) = self.rounds.split_at_checked(folded).unwrap_or_default();
            let record = Message::Recalled(record(old.iter().flat_map(|round| &round.messages)));
            let rest = kept.iter().map(Part::tokens).fold(0, usize::saturating_add);
            let needed = cost(&self.request).saturating_add(message(&record)).saturating_add(rest);
            if needed <= room {
                let kept = kept.iter().flat_map(|round| &round.messages).cloned();
                return Ok(self.request.iter().cloned().chain([record]).chain(kept).collect());
            }
        }
        // without a word of what ran the model would go on blindly
        Err(TooLong)
    }

    /// Long results are not spelled out only to see that they are too long.
    fn fits(&self, room: usize) -> bool {
        let parts = self.earlier.iter().chain(&self.rounds);
        let least = parts.map(|part| least(&part.messages)).fold(0, usize::saturating_add);
        least <= room && self.cost() <= room
    }

    fn note(&self) -> Option<Recalled> {
        #[derive(Serialize)]
        struct LeftOut {
            earlier_turns_left_out: usize,
        }
        let data = LeftOut { earlier_turns_left_out: self.left_out };
        (self.left_out > 0).then(|| Recalled::new("turns that did not fit here", &data))
    }

    fn cost(&self) -> usize {
        let head = self.head.iter().cloned().chain(self.note()).map(Message::Recalled);
        let head = head.map(|record| message(&record)).fold(0, usize::saturating_add);
        let turns = self.earlier.iter().chain(&self.rounds).map(Part::tokens);
        turns.fold(head.saturating_add(cost(&self.request)), usize::saturating_add)
    }
}

fn cost(messages: &[Message]) -> usize {
    messages.iter().map(message).fold(0, usize::saturating_add)
}

/// A turn that is over is not sent in full length again, nor held in memory: its results are as long
/// as those of a transcript.
pub(super) fn settle(messages: &mut [Message]) {
    for message in messages {
        if let Message::Outcome { outcome, .. } = message
            && let Some(short) = cut(outcome, MAX_TOOL_RESULT_CHARS)
        {
            *outcome = short;
        }
    }
}

fn shorten(part: &mut Part, chars: usize) {
    let mut any = false;
    for message in &mut part.messages {
        if let Message::Outcome { outcome, .. } = message
            && let Some(short) = cut(outcome, chars)
        {
            *outcome = short;
            any = true;
        }
    }
    if any {
        part.tokens = OnceCell::new();
    }
}

/// The same outcome with the beginning of its result, as a text; its code says so, outside the data.
fn cut(outcome: &Outcome, chars: usize) -> Option<Outcome> {
    let Ending::Executed { result: Some(result), changed, citations, code } = &outcome.ending
    else {
        return None;
    };
    // what was cut before is a text within a text: cut what it holds
    let whole = if *code == Some(code::CUT_TO_FIT) {
        serde_json::from_str::<String>(result.as_str()).unwrap_or_default()
    } else {
        result.as_str().to_owned()
    };
    let (end, _) = whole.char_indices().nth(chars)?;
    let beginning = whole.get(..end)?;
    let ending = Ending::Executed {
        result: Json::checked(serde_json::to_vec(beginning).ok()?),
        code: Some(code::CUT_TO_FIT),
        changed: *changed,
        citations: citations.clone(),
    };
    Some(Outcome { ending, ..outcome.clone() })
}

/// What calls came to, without their data.
#[derive(Serialize)]
struct Folded {
    calls: Vec<FoldedCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_calls: Option<usize>,
}

#[derive(Serialize)]
struct FoldedCall {
    invocation: String,
    capability: Option<&'static str>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
}

fn record<'m>(messages: impl Iterator<Item = &'m Message>) -> Recalled {
    let mut named = Vec::new();
    let mut calls: Vec<_> = messages
        .filter_map(|message| match message {
            Message::Outcome { outcome, .. } => {
                named.extend(outcome.named());
                Some(FoldedCall {
                    invocation: outcome.audit_id.to_string(),
                    capability: outcome.capability,
                    outcome: outcome.kind().word(),
                    code: outcome.code(),
                    changed: outcome.changed(),
                })
            }
            Message::User(_) | Message::Assistant { .. } | Message::Recalled(_) => None,
        })
        .collect();
    let more = calls.len().saturating_sub(NAMED);
    // the latest say most about where the turn stands
    calls.drain(..more);
    let folded = Folded { calls, more_calls: (more > 0).then_some(more) };
    Recalled::new(
        "earlier rounds of this turn, which were too long to be repeated: what each call came to, \
         without its result. Do not propose them again.",
        &folded,
    )
    .telling_of(named)
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
