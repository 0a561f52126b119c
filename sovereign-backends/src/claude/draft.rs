//! What is known of a reply so far.
use super::echo::Echoes;
use super::wire::{Block, StopDetails, WireUsage};
use crate::http::unfinished;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, FailureClass, Stop, Usage, WireProposal,
};

/// Gathers blocks and the reason to stop; a turn comes of it only when all has been seen.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    proposals: Vec<WireProposal>,
    /// Every block as it came, to go back within the turn; none when one of them is not known whole.
    verbatim: Option<Vec<Box<RawValue>>>,
    /// One of them is more than prose or a call.
    has_foreign: bool,
    blocks: usize,
    reason: Option<String>,
    explanation: String,
    usage: WireUsage,
}

impl Draft {
    /// A block of a whole reply. Only `tool_use` is a call: `server_tool_use` ran elsewhere.
    pub(super) fn whole(&mut self, block: &Block<'_>, raw: &RawValue) {
        match block.kind.as_str() {
            "text" => self.text.push_str(&block.text),
            "tool_use" => {
                let input = block.input.map_or("", RawValue::get);
                self.call(&block.id, &block.name, input);
            }
            _ => self.has_foreign = true,
        }
        let empty = block.kind == "text" && block.text.is_empty();
        self.keep((!empty).then(|| raw.to_owned()));
    }

    pub(super) fn prose(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The arguments' bytes go on as they came.
    pub(super) fn call(&mut self, id: &str, name: &str, input: &str) {
        let proposal = WireProposal::new(name, input.as_bytes());
        self.proposals.push(if id.is_empty() { proposal } else { proposal.with_wire_id(id) });
    }

    pub(super) const fn foreign(&mut self) {
        self.has_foreign = true;
    }

    /// A block for the way back; an empty text is left out.
    pub(super) fn keep(&mut self, block: Option<Box<RawValue>>) {
        self.blocks = self.blocks.saturating_add(1);
        if self.blocks == 1 {
            self.verbatim = Some(Vec::new());
        }
        if let Some(verbatim) = &mut self.verbatim {
            verbatim.extend(block);
        }
    }

    /// A block that was put together from pieces; without a value it is not known whole.
    pub(super) fn keep_made(&mut self, block: Option<&serde_json::Value>) {
        match block.map(to_raw_value) {
            Some(Ok(raw)) => self.keep(Some(raw)),
            Some(Err(_)) | None => {
                self.keep(None);
                self.verbatim = None;
            }
        }
    }

    pub(super) fn end(&mut self, reason: Option<String>, details: Option<StopDetails>) {
        self.reason = reason.or(self.reason.take());
        if let Some(StopDetails { explanation }) = details {
            self.explanation = explanation;
        }
    }

    /// Later counts replace earlier ones.
    pub(super) fn count(&mut self, usage: WireUsage) {
        let WireUsage {
            input_tokens,
            output_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
        } = usage;
        let known = &mut self.usage;
        known.input_tokens = input_tokens.or(known.input_tokens);
        known.output_tokens = output_tokens.or(known.output_tokens);
        known.cache_creation_input_tokens =
            cache_creation_input_tokens.or(known.cache_creation_input_tokens);
        known.cache_read_input_tokens = cache_read_input_tokens.or(known.cache_read_input_tokens);
    }

    /// What is to be shown of a refusal that came without prose.
    pub(super) fn explain(&mut self) -> &str {
        if self.reason.as_deref() != Some("refusal") || !self.text.trim().is_empty() {
            return "";
        }
        self.text.push_str(&self.explanation);
        &self.explanation
    }

    pub(super) fn into_turn(
        mut self,
        cap: u32,
        identity: BackendIdentity,
        echoes: &Echoes,
    ) -> Result<BackendTurn, BackendError> {
        self.explain();
        let known = self.usage;
        let input =
            [known.input_tokens, known.cache_creation_input_tokens, known.cache_read_input_tokens];
        let input = input.into_iter().flatten().fold(0_u64, u64::saturating_add);
        let usage = Usage { input, output: known.output_tokens.unwrap_or_default() };
        let protocol = |reason| Err(BackendError::new(FailureClass::Protocol, reason));
        let stop = match self.reason.as_deref() {
            None => return Err(unfinished()),
            Some("pause_turn") => return protocol("it paused for a tool of its own"),
            Some("refusal") => Stop::Refusal,
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
            // a gateway may hide that it was cut
            Some(_) if usage.output >= u64::from(cap) => Stop::Length,
            Some(_) => Stop::End,
        };
        if self.blocks == 0 && usage == Usage::default() && stop == Stop::End {
            // a failure behind a gateway looks like this
            return protocol("its reply is empty and counts no tokens");
        }
        let proposals = if stop == Stop::Refusal { Vec::new() } else { self.proposals };
        let turn = BackendTurn::new(identity, self.text, proposals).used(usage).stopped(stop);
        if let (true, Some(blocks)) = (self.has_foreign, self.verbatim) {
            echoes.keep(&turn, blocks);
        }
        Ok(turn)
    }
}
