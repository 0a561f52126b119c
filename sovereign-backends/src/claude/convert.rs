//! Between the neutral types and this wire, without any input or output.
use super::ClaudeConfig;
use super::draft::Draft;
use super::echo::Echoes;
use super::wire::{
    Block, MessageReply, MessagesRequest, OwnBlock, Role, SentBlock, SentMessage, Tool, ToolChoice,
};
use crate::failure::{Said, failure};
use crate::http::Reply;
use crate::ids::WireIds;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, CallId, FailureClass, Message, Proposed, Request,
};
use sovereign_core::catalog::CatalogEntry;
use sovereign_core::schema::Profile;
use std::collections::HashMap;
use std::sync::Arc;

/// The body of one round.
pub(crate) fn encode(
    config: &ClaudeConfig,
    echoes: &Echoes,
    request: &Request<'_>,
) -> Result<Vec<u8>, BackendError> {
    let messages = History::new(request.messages, echoes).write(request.messages)?;
    let has_calls = request
        .messages
        .iter()
        .any(|m| matches!(m, Message::Assistant { proposals, .. } if !proposals.is_empty()));
    // a history that holds calls is refused without the tools that were called
    let offered = (!request.closing || has_calls) && !request.catalog.entries().is_empty();
    let tools = if offered { Some(tools(request)?) } else { None };
    let tool_choice = match (offered, request.closing) {
        (false, _) => None,
        (true, true) => Some(ToolChoice::None),
        (true, false) => Some(ToolChoice::Auto { disable_parallel_tool_use: true }),
    };
    let body = MessagesRequest {
        model: &config.model,
        max_tokens: config.max_tokens,
        system: request.system,
        messages,
        stream: config.streaming.is_on(offered && !request.closing),
        tools: tools.as_deref(),
        tool_choice,
    };
    serde_json::to_vec(&body).map_err(unsendable)
}

fn unsendable(cause: serde_json::Error) -> BackendError {
    BackendError::new(FailureClass::Protocol, "the conversation cannot be written as JSON")
        .caused_by(cause)
}

/// What may be called, written once for as long as the catalog stays the same.
fn tools(request: &Request<'_>) -> Result<Arc<RawValue>, BackendError> {
    let write = |entries: &[CatalogEntry]| {
        let tools = entries.iter().map(|entry| Tool {
            name: &entry.wire_name,
            description: entry.description,
            input_schema: entry.arguments.text(Profile::Portable),
        });
        to_raw_value(&tools.collect::<Vec<_>>())
    };
    request.catalog.written("claude", Profile::Portable, write).map_err(unsendable)
}

/// Turns a history into alternating messages.
struct History<'a> {
    ids: WireIds,
    /// The provider's own ids, for calls that go back verbatim.
    own: HashMap<CallId, &'a str>,
    echoes: &'a Echoes,
    sent: Vec<SentMessage<'a>>,
}

impl<'a> History<'a> {
    fn new(messages: &[Message], echoes: &'a Echoes) -> Self {
        Self { ids: WireIds::of(messages), own: HashMap::new(), echoes, sent: Vec::new() }
    }

    fn write(mut self, messages: &'a [Message]) -> Result<Vec<SentMessage<'a>>, BackendError> {
        // blocks of the provider live in their own turn only
        let turn_began = messages.iter().rposition(|m| matches!(m, Message::User(_)));
        for (at, message) in messages.iter().enumerate() {
            match message {
                Message::User(text) => self.text(Role::User, text),
                Message::Assistant { text, proposals } => {
                    let in_turn = turn_began.is_some_and(|began| at > began);
                    let verbatim = if in_turn { self.echoes.of(text, proposals) } else { None };
                    if let Some(blocks) = verbatim {
                        let ids = proposals.iter().filter_map(|p| p.wire_id.as_deref());
                        self.own.extend(proposals.iter().map(|p| p.call).zip(ids));
                        for block in blocks {
                            self.push(Role::Assistant, SentBlock::Verbatim(block));
                        }
                    } else {
                        self.text(Role::Assistant, text);
                        for proposed in proposals {
                            let call = self.call(proposed)?;
                            self.push(Role::Assistant, SentBlock::Ours(call));
                        }
                    }
                }
                Message::Outcome { call, outcome } => {
                    let result = OwnBlock::ToolResult {
                        tool_use_id: self.id(*call),
                        content: outcome.envelope(),
                        is_error: outcome.kind() != OutcomeKind::Executed,
                    };
                    self.push(Role::User, SentBlock::Ours(result));
                }
                Message::Recalled(record) => self.text(Role::User, record.envelope()),
                _ => {
                    let reason = "a message of an unknown kind";
                    return Err(BackendError::new(FailureClass::Unsupported, reason));
                }
            }
        }
        Ok(self.sent)
    }

    fn id(&self, call: CallId) -> String {
        self.own.get(&call).map_or_else(|| self.ids.get(call), |own| (*own).to_owned())
    }

    fn call(&self, proposed: &'a Proposed) -> Result<OwnBlock<'a>, BackendError> {
        // RawArguments hold one JSON object, so this only marks the text as JSON
        let mut text = serde_json::Deserializer::from_str(proposed.arguments_text());
        let input = <&RawValue>::deserialize(&mut text).map_err(unsendable)?;
        Ok(OwnBlock::ToolUse { id: self.ids.get(proposed.call), name: &proposed.wire_name, input })
    }

    /// Blank prose is left out: it is answered with status 400.
    fn text(&mut self, role: Role, text: &'a str) {
        if !text.trim().is_empty() {
            self.push(role, SentBlock::Ours(OwnBlock::Text { text }));
        }
    }

    /// Results follow the message of their calls at once, so they stand first in theirs; what a
    /// person says next is appended.
    fn push(&mut self, role: Role, block: SentBlock<'a>) {
        match self.sent.last_mut() {
            Some(last) if last.role == role => last.content.push(block),
            _ => self.sent.push(SentMessage { role, content: vec![block] }),
        }
    }
}

/// One whole reply.
pub(crate) fn decode(
    config: &ClaudeConfig,
    echoes: &Echoes,
    identity: BackendIdentity,
    reply: &Reply,
) -> Result<BackendTurn, BackendError> {
    if !reply.is_success() {
        return Err(failure(reply));
    }
    let message: MessageReply<'_> = serde_json::from_slice(&reply.body).map_err(unreadable)?;
    if let Some(error) = &message.error {
        return Err(Said::of(error).failure(None));
    }
    let mut draft = Draft::default();
    draft.count(message.usage);
    draft.end(message.stop_reason, message.stop_details);
    for raw in message.content {
        let block = Block::read(raw).map_err(unreadable)?;
        draft.whole(&block, raw);
    }
    draft.into_turn(config.max_tokens, identity, echoes)
}

pub(super) fn unreadable(cause: serde_json::Error) -> BackendError {
    let reason = "its reply does not follow the format of `/messages`";
    BackendError::new(FailureClass::Protocol, reason).caused_by(cause)
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
