//! Blocks that only their provider understands, kept for the rest of a turn.
//!
//! Some models demand their thinking back, byte for byte and in order, beside the results of the calls
//! that it led to. Core's history has no place for it and shall have none, so it is remembered here: in
//! memory, bounded, and given back only beside exactly the calls that it came with.
use serde_json::value::RawValue;
use sovereign_core::backend::{BackendTurn, Message, Proposed, Stop};
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many replies are remembered, and how many bytes of them.
const MAX_REPLIES: usize = 32;
const MAX_BYTES: usize = 1 << 20;

/// What is remembered of the last replies.
#[derive(Debug, Default)]
pub(super) struct Echoes(Mutex<VecDeque<Echo>>);

#[derive(Debug)]
struct Echo {
    text: String,
    /// Provider's id, name and arguments of each call.
    calls: Vec<(String, String, String)>,
    blocks: Vec<Box<RawValue>>,
}

impl Echo {
    fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.get().len()).sum()
    }

    fn is_of(&self, text: &str, proposals: &[Proposed]) -> bool {
        self.text == text
            && self.calls.len() == proposals.len()
            && self.calls.iter().zip(proposals).all(|((id, name, arguments), p)| {
                p.wire_id.as_deref() == Some(id)
                    && p.wire_name == *name
                    && p.arguments.as_ref().is_ok_and(|a| a.as_str() == arguments)
            })
    }
}

impl Echoes {
    /// Remembers the blocks of a reply that asks for something, if it is one that its provider would
    /// take back: whole, with a different id on each call and an object in each.
    pub(super) fn keep(&self, turn: &BackendTurn, blocks: Vec<Box<RawValue>>) {
        if turn.stop != Stop::End || turn.proposals.is_empty() {
            return;
        }
        let calls = turn.proposals.iter().map(|p| {
            let arguments = p.arguments.as_ref().ok()?.as_str().to_owned();
            Some((p.wire_id.clone()?, p.wire_name.clone(), arguments))
        });
        let Some(calls) = calls.collect::<Option<Vec<_>>>() else { return };
        let ids: HashSet<_> = calls.iter().map(|(id, ..)| id).collect();
        let echo = Echo { text: turn.text.clone(), blocks, calls: calls.clone() };
        if ids.len() != calls.len() || echo.bytes() > MAX_BYTES {
            return;
        }
        let mut kept = self.kept();
        kept.push_back(echo);
        while kept.len() > MAX_REPLIES || kept.iter().map(Echo::bytes).sum::<usize>() > MAX_BYTES {
            kept.pop_front();
        }
    }

    /// The blocks of the reply that these are the prose and the calls of.
    pub(super) fn of(&self, text: &str, proposals: &[Proposed]) -> Option<Vec<Box<RawValue>>> {
        if proposals.is_empty() {
            return None;
        }
        let kept = self.kept();
        let mut found = kept.iter().filter(|echo| echo.is_of(text, proposals));
        let first = found.next()?;
        // two replies that look alike may be of two conversations
        found.next().is_none().then(|| first.blocks.clone())
    }

    /// The turn of these messages is over.
    pub(super) fn forget(&self, messages: &[Message]) {
        self.kept().retain(|echo| {
            !messages.iter().any(|message| match message {
                Message::Assistant { text, proposals } => echo.is_of(text, proposals),
                _ => false,
            })
        });
    }

    /// Every remembered block.
    #[cfg(test)]
    pub(super) fn kept_blocks(&self) -> Vec<String> {
        self.kept().iter().flat_map(|echo| &echo.blocks).map(|raw| raw.get().to_owned()).collect()
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Echo>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
