//! One caller's transcript as a value: what may happen to it, without any input or output.
use super::past::is_zero;
use super::{
    Excerpt, FOLD_TURNS, KEEP_VERBATIM_TURNS, MAX_CALLS, MAX_SUMMARY_CHARS, MAX_TEXT_CHARS,
    PastCall, PastTurn, Retention, TurnEnd,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What one caller said and was answered, redacted: a summary of the oldest turns, then the recent
/// ones.
///
/// **Shape**: `{next, summary?{text{text, of_chars?}, turns, at}, dropped?, turns[]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Transcript {
    /// The number of the next turn.
    pub(super) next: u64,
    /// What a model made of turns that are no longer here. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// How many turns were dropped without a summary, or with one that is gone too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Oldest first.
    pub turns: VecDeque<PastTurn>,
}

/// The running summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Summary {
    /// A model's words about a redacted transcript: untrusted like any other of its words.
    pub text: Excerpt,
    /// How many turns went into it.
    pub turns: u64,
    /// When the last of them began (RFC 3339, UTC).
    pub at: String,
}

/// The turns that the next summary takes up, and the summary that it extends.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) summary: Option<Summary>,
    pub(crate) turns: Vec<PastTurn>,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { next: 1, summary: None, dropped: 0, turns: VecDeque::new() }
    }
}

impl Transcript {
    /// Nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.summary.is_none() && self.dropped == 0 && self.turns.is_empty()
    }

    pub(super) fn begin(&mut self, at: Timestamp, user: &str) -> u64 {
        let number = self.next;
        self.next = number.saturating_add(1);
        self.turns.push_back(PastTurn {
            number,
            at: at.to_string(),
            user: Excerpt::of(user, MAX_TEXT_CHARS),
            calls: Vec::new(),
            more_calls: 0,
            assistant: Excerpt::default(),
            end: None,
            code: None,
        });
        number
    }

    /// A turn that was cleared away in the meantime takes nothing any more.
    fn turn(&mut self, number: u64) -> Option<&mut PastTurn> {
        self.turns.iter_mut().rfind(|turn| turn.number == number)
    }

    pub(super) fn started(&mut self, number: u64, call: PastCall) -> bool {
        let Some(turn) = self.turn(number) else { return false };
        push(turn, call);
        true
    }

    /// Puts an outcome where its call was opened, or behind the others.
    pub(super) fn settled(&mut self, number: u64, call: PastCall, was_started: bool) -> bool {
        let Some(turn) = self.turn(number) else { return false };
        match turn.calls.iter_mut().find(|c| was_started && c.is_open()) {
            Some(open) => *open = call,
            None => push(turn, call),
        }
        true
    }

    pub(super) fn end(
        &mut self,
        number: u64,
        text: &str,
        end: TurnEnd,
        code: Option<&str>,
    ) -> bool {
        let Some(turn) = self.turn(number) else { return false };
        turn.assistant = Excerpt::of(text, MAX_TEXT_CHARS);
        turn.end = Some(end);
        turn.code = code.map(str::to_owned);
        true
    }

    /// Ends what a stopped program left open; says how many turns and calls that were. Nothing of it
    /// runs again: a call without an outcome may have had its effect.
    pub(super) fn repair(&mut self, code: &str) -> (u64, u64) {
        let (mut turns, mut calls) = (0_u64, 0_u64);
        for turn in self.turns.iter_mut() {
            for call in turn.calls.iter_mut().filter(|call| call.is_open()) {
                call.end_unknown(code);
                calls = calls.saturating_add(1);
            }
            if turn.end.is_none() {
                turn.end = Some(TurnEnd::Interrupted);
                turns = turns.saturating_add(1);
            }
        }
        (turns, calls)
    }

    /// Drops what is over the limits; says whether there was anything. `bytes` measures the file.
    pub(super) fn keep(
        &mut self,
        limits: Retention,
        now: Timestamp,
        bytes: impl Fn(&Self) -> usize,
    ) -> bool {
        let before = (self.dropped, self.turns.len());
        let is_old = |at: &str| at.parse().is_ok_and(|at: Timestamp| limits.is_over(at, now));
        if let Some(gone) = self.summary.take_if(|summary| is_old(&summary.at)) {
            self.dropped = self.dropped.saturating_add(gone.turns);
        }
        while self.turns.front().is_some_and(|turn| turn.end.is_some() && is_old(&turn.at)) {
            self.drop_oldest();
        }
        while self.turns.len() > limits.max_turns() {
            self.drop_oldest();
        }
        while self.turns.len() > 1 && bytes(self) > limits.max_bytes() {
            self.drop_oldest();
        }
        let one_too_long = bytes(self) > limits.max_bytes();
        if one_too_long {
            for call in self.turns.iter_mut().flat_map(|turn| turn.calls.iter_mut()) {
                call.arguments = None;
                call.citations.clear();
                if let Some(result) = &mut call.result {
                    result.cut(0);
                }
            }
        }
        one_too_long || before != (self.dropped, self.turns.len())
    }

    fn drop_oldest(&mut self) {
        if self.turns.pop_front().is_some() {
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// The oldest turns, once there are enough of them; the recent ones stay as they are.
    pub(super) fn to_fold(&self) -> Option<Batch> {
        let enough = KEEP_VERBATIM_TURNS.saturating_add(FOLD_TURNS);
        let oldest: Vec<_> = self.turns.iter().take(FOLD_TURNS).cloned().collect();
        let ended = oldest.iter().all(|turn| turn.end.is_some());
        let ready = self.turns.len() >= enough && ended;
        ready.then(|| Batch { summary: self.summary.clone(), turns: oldest })
    }

    /// Puts `text` in place of the batch, unless the transcript has changed below it.
    pub(super) fn fold(&mut self, batch: &Batch, text: &str) -> bool {
        let unchanged = self.summary == batch.summary
            && self
                .turns
                .iter()
                .map(|t| t.number)
                .take(batch.turns.len())
                .eq(batch.turns.iter().map(|t| t.number));
        let (true, Some(last)) = (unchanged, batch.turns.last()) else { return false };
        let folded = u64::try_from(batch.turns.len()).unwrap_or(u64::MAX);
        let before = batch.summary.as_ref().map_or(0, |summary| summary.turns);
        self.summary = Some(Summary {
            text: Excerpt::of(text, MAX_SUMMARY_CHARS),
            turns: before.saturating_add(folded),
            at: last.at.clone(),
        });
        self.turns.drain(..batch.turns.len());
        true
    }

    /// Forgets everything. Numbers go on, so that nothing old is taken for something new.
    pub(super) fn clear(&mut self) {
        *self = Self { next: self.next, ..Self::default() };
    }
}

fn push(turn: &mut PastTurn, call: PastCall) {
    if turn.calls.len() < MAX_CALLS {
        turn.calls.push(call);
    } else {
        turn.more_calls = turn.more_calls.saturating_add(1);
    }
}
