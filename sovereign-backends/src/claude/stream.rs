//! A reply in pieces: named events from `message_start` to `message_stop`.
use super::ClaudeConfig;
use super::convert::unreadable;
use super::draft::Draft;
use super::echo::Echoes;
use super::wire::{Block, Delta, End, Event};
use crate::failure::Said;
use crate::http::{Assembly, unfinished};
use crate::sse::Sse;
use serde_json::{Value, json};
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass,
};
use std::collections::BTreeMap;

/// The media type of a stream.
pub(super) const MEDIA_TYPE: &str = "text/event-stream";

#[derive(Debug, Default)]
pub(super) struct Stream {
    sse: Sse,
    message: Message,
}

#[derive(Debug, Default)]
struct Message {
    blocks: BTreeMap<u64, Pieces>,
    draft: Draft,
    done: bool,
}

/// One block so far.
#[derive(Debug, Default)]
struct Pieces {
    kind: String,
    id: String,
    name: String,
    /// The block as it began.
    start: Value,
    /// What a call's input was when it began, unless that was nothing.
    input: String,
    text: String,
    json: String,
    thinking: String,
    signature: String,
    /// It got pieces of a kind that is not known here, so it cannot be given back.
    unknown: bool,
    closed: bool,
}

impl Assembly for Stream {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<(), BackendError> {
        let Self { sse, message } = self;
        sse.feed(bytes, |event| {
            if message.done {
                return Ok(());
            }
            message.take(Event::read(event.data).map_err(unreadable)?, sink)
        })
    }

    fn is_complete(&self) -> bool {
        self.message.done
    }
}

impl Stream {
    pub(super) fn finish(
        self,
        config: &ClaudeConfig,
        echoes: &Echoes,
        identity: BackendIdentity,
    ) -> Result<BackendTurn, BackendError> {
        let Message { blocks, mut draft, done } = self.message;
        if !done || blocks.values().any(|block| !block.closed) {
            return Err(unfinished());
        }
        for block in blocks.into_values() {
            block.settle(&mut draft);
        }
        draft.into_turn(config.max_tokens, identity, echoes)
    }
}

impl Message {
    /// Events of an unknown type are passed over, as the source asks for.
    fn take(&mut self, event: Event<'_>, sink: &mut dyn DeltaSink) -> Result<(), BackendError> {
        self.draft.count(event.usage);
        match event.kind.as_str() {
            "message_start" => {
                if let Some(message) = event.message {
                    self.draft.count(message.usage);
                }
            }
            "content_block_start" => {
                let raw = event.content_block.ok_or_else(out_of_order)?;
                let block = Block::read(raw).map_err(unreadable)?;
                let start = serde_json::from_str(raw.get()).map_err(unreadable)?;
                if self.blocks.contains_key(&event.index) {
                    return Err(out_of_order());
                }
                if block.kind == "text" && !block.text.is_empty() {
                    self.draft.prose(&block.text);
                    sink.text(&block.text);
                }
                self.blocks.insert(event.index, Pieces::begin(block, start));
            }
            "content_block_delta" => {
                let block = self.blocks.get_mut(&event.index).filter(|block| !block.closed);
                let (block, raw) = block.zip(event.delta).ok_or_else(out_of_order)?;
                let delta = Delta::read(raw).map_err(unreadable)?;
                if block.kind == "text" && !delta.text.is_empty() {
                    self.draft.prose(&delta.text);
                    sink.text(&delta.text);
                }
                block.extend(&delta);
            }
            "content_block_stop" => {
                let block = self.blocks.get_mut(&event.index).ok_or_else(out_of_order)?;
                block.closed = true;
            }
            "message_delta" => {
                let raw = event.delta.ok_or_else(out_of_order)?;
                let End { stop_reason, stop_details } =
                    serde_json::from_str(raw.get()).map_err(unreadable)?;
                self.draft.end(stop_reason, stop_details);
            }
            "message_stop" => {
                let shown = self.draft.explain();
                if !shown.is_empty() {
                    sink.text(shown);
                }
                self.done = true;
            }
            "error" => {
                let error = event.error.unwrap_or_default();
                return Err(Said::of(&error).failure(None));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Pieces {
    fn begin(block: Block<'_>, start: Value) -> Self {
        let input = block.input.map_or("", |raw| raw.get());
        let nothing = start.get("input").is_none_or(|i| i.is_null() || *i == json!({}));
        Self {
            kind: block.kind,
            id: block.id,
            name: block.name,
            text: block.text,
            input: if nothing { String::new() } else { input.to_owned() },
            start,
            ..Self::default()
        }
    }

    fn extend(&mut self, delta: &Delta) {
        match delta.kind.as_str() {
            "text_delta" => self.text.push_str(&delta.text),
            "input_json_delta" => self.json.push_str(&delta.partial_json),
            "thinking_delta" => self.thinking.push_str(&delta.thinking),
            "signature_delta" => self.signature.push_str(&delta.signature),
            _ => self.unknown = true,
        }
    }

    fn settle(self, draft: &mut Draft) {
        match self.kind.as_str() {
            "text" if self.text.is_empty() => return draft.keep(None),
            "text" => {}
            "tool_use" => draft.call(&self.id, &self.name, &self.arguments()),
            _ => draft.foreign(),
        }
        draft.keep_made(self.whole().as_ref());
    }

    /// Input deltas that come to nothing mean no arguments. A block that began with some has them
    /// already; if more followed, the two contradict each other and are kept as no object at all.
    fn arguments(&self) -> String {
        match (self.input.is_empty(), self.json.trim_ascii().is_empty()) {
            (true, true) => "{}".to_owned(),
            _ => format!("{}{}", self.input, self.json),
        }
    }

    /// The block as it would have come in a whole reply.
    fn whole(&self) -> Option<Value> {
        let mut block = self.start.as_object()?.clone();
        if self.unknown {
            return None;
        }
        let mut set = |key: &str, value: Value| block.insert(key.to_owned(), value);
        match self.kind.as_str() {
            "text" => {
                set("text", json!(self.text));
            }
            "tool_use" => {
                set("input", serde_json::from_str(&self.arguments()).ok()?);
            }
            "thinking" => {
                let begun = |key| self.start.get(key).and_then(Value::as_str).unwrap_or_default();
                set("thinking", json!(format!("{}{}", begun("thinking"), self.thinking)));
                set("signature", json!(format!("{}{}", begun("signature"), self.signature)));
            }
            _ if self.json.is_empty() => {}
            _ => {
                set("input", serde_json::from_str(&self.json).ok()?);
            }
        }
        Some(Value::Object(block))
    }
}

fn out_of_order() -> BackendError {
    BackendError::new(FailureClass::Protocol, "the events of its reply do not fit together")
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
