//! What is known of a reply so far.
use super::wire::{CallPart, WireUsage};
use serde_json::value::RawValue;
use sovereign_core::backend::{BackendIdentity, BackendTurn, Stop, Usage, WireProposal};
use sovereign_core::schema::{Malformed, RawArguments};
use std::collections::HashMap;

/// Gathers prose, calls and the reason to stop; a turn comes of it only when all has been seen.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    /// The prose is, or goes on as, a refusal.
    refused: bool,
    calls: Vec<Call>,
    /// Where the call with this index of the stream stands.
    slots: HashMap<usize, usize>,
    /// The call that the stream spoke of last.
    open: Option<usize>,
    finish: Option<String>,
    usage: Usage,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: Arguments,
}

#[derive(Debug, Default)]
enum Arguments {
    /// Absent, null.
    #[default]
    None,
    Text(String),
    /// Something else than a string.
    Wrong,
}

/// The most calls that a stream may open: each of its frames looks for its call among them.
const MAX_CALLS: usize = 1024;

/// A stream that opens more calls than that.
#[derive(Debug)]
pub(super) struct TooMany;

impl Draft {
    /// The next piece of prose and of a refusal; gives back what of it is to be shown.
    pub(super) fn text(&mut self, content: &str, refusal: &str) -> String {
        let mut shown = content.to_owned();
        if !refusal.is_empty() {
            let begins = self.text.is_empty() && shown.is_empty();
            if !(self.refused || begins) {
                shown.push('\n');
            }
            self.refused = true;
            shown.push_str(refusal);
        }
        self.text.push_str(&shown);
        shown
    }

    /// A whole call.
    pub(super) fn call(&mut self, part: CallPart<'_>) {
        let mut call = Call::default();
        call.extend(part);
        self.calls.push(call);
    }

    /// A piece of a call.
    ///
    /// A second name at an index that is in use begins another call: some gateways send index 0 with
    /// every call, or none. A new id alone does not: some send one with every piece. A repeated name
    /// under the same id is a repetition.
    pub(super) fn piece(&mut self, part: CallPart<'_>) -> Result<(), TooMany> {
        let known = match part.index {
            Some(index) => self.slots.get(&index).copied(),
            None if part.id.is_empty() => self.open,
            None => self.calls.iter().rposition(|c| c.id == part.id).or(self.open),
        };
        let continued = known.filter(|at| {
            self.calls.get(*at).is_some_and(|call| {
                part.function.name.is_empty()
                    || call.name.is_empty()
                    || (call.name == part.function.name
                        && !call.id.is_empty()
                        && call.id == part.id)
            })
        });
        let at = match continued {
            Some(at) => at,
            None if self.calls.len() >= MAX_CALLS => return Err(TooMany),
            None => {
                self.calls.push(Call::default());
                self.calls.len().saturating_sub(1)
            }
        };
        if let Some(index) = part.index {
            self.slots.insert(index, at);
        }
        self.open = Some(at);
        if let Some(call) = self.calls.get_mut(at) {
            call.extend(part);
        }
        Ok(())
    }

    /// The last reason that was given holds, but none takes back that the reply was cut or filtered.
    pub(super) fn end(&mut self, reason: Option<String>) {
        if !matches!(self.finish.as_deref(), Some("length" | "content_filter")) {
            self.finish = reason.filter(|r| !r.is_empty()).or(self.finish.take());
        }
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.finish.is_some()
    }

    pub(super) fn count(&mut self, usage: Option<&WireUsage>) {
        if let Some(usage) = usage {
            self.usage = Usage { input: usage.prompt_tokens, output: usage.completion_tokens };
        }
    }

    /// The reason does not decide whether there are calls, because servers say `stop` beside calls
    /// and `tool_calls` beside none. It can only take them away: a refused or filtered reply has none,
    /// a cut one has none that count, whatever reason is given for it (C-12).
    pub(super) fn into_turn(self, cap: u32, identity: BackendIdentity) -> BackendTurn {
        let reason = self.finish.as_deref();
        let stop = if self.refused || reason == Some("content_filter") {
            Stop::Refusal
        } else if reason == Some("length") || self.usage.output >= u64::from(cap) {
            Stop::Length
        } else {
            Stop::End
        };
        let calls = if stop == Stop::Refusal { Vec::new() } else { self.calls };
        let proposals = calls.into_iter().map(Call::into_proposal).collect();
        BackendTurn::new(identity, self.text, proposals).used(self.usage).stopped(stop)
    }
}

impl Call {
    fn extend(&mut self, part: CallPart<'_>) {
        if self.id.is_empty() {
            self.id = part.id;
        }
        if self.name.is_empty() {
            self.name = part.function.name;
        }
        if let Some(raw) = part.function.arguments {
            self.arguments.extend(raw);
        }
    }

    fn into_proposal(self) -> WireProposal {
        let proposal = match &self.arguments {
            Arguments::None => WireProposal::new(self.name, b"{}"),
            Arguments::Text(text) if text.trim_ascii().is_empty() => {
                WireProposal::new(self.name, b"{}")
            }
            Arguments::Text(text) => WireProposal::new(self.name, text.as_bytes()),
            Arguments::Wrong => WireProposal::malformed(self.name, not_a_string()),
        };
        if self.id.is_empty() { proposal } else { proposal.with_wire_id(self.id) }
    }
}

impl Arguments {
    fn extend(&mut self, raw: &RawValue) {
        match (raw.get(), serde_json::from_str::<String>(raw.get())) {
            ("null", _) => {}
            (_, Err(_)) => *self = Self::Wrong,
            (_, Ok(more)) => match self {
                Self::None => *self = Self::Text(more),
                Self::Text(text) => text.push_str(&more),
                Self::Wrong => {}
            },
        }
    }
}

const fn not_a_string() -> Malformed {
    Malformed::NotOneJsonObject {
        problem: "this wire carries them as JSON text in a string, and they are no string",
        at: 0,
        bytes: 0,
        limit: RawArguments::MAX_BYTES,
    }
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
