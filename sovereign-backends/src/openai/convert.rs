//! Between the neutral types and this wire, without any input or output.
use super::draft::Draft;
use super::wire::{
    ChatMessage, ChatRequest, Chunk, SentCall, SentFunction, StreamOptions, Tool, ToolFunction,
};
use super::{CapField, NoContent, OpenAiConfig};
use crate::failure::{Said, failure};
use crate::http::Reply;
use crate::ids::WireIds;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, FailureClass, Message, Request,
};
use sovereign_core::catalog::CatalogEntry;
use sovereign_core::schema::Profile;
use std::sync::Arc;

/// The body of one round.
pub(crate) fn encode(
    config: &OpenAiConfig,
    cap_field: CapField,
    request: &Request<'_>,
) -> Result<Vec<u8>, BackendError> {
    let quirks = &config.quirks;
    let ids = WireIds::of(request.messages);
    let mut messages = vec![ChatMessage::System { content: request.system }];
    for message in request.messages {
        messages.push(encode_message(message, quirks.no_content, &ids)?);
    }
    let offered = !request.closing && !request.catalog.entries().is_empty();
    let tools = if offered { Some(tools(quirks.schema, request)?) } else { None };
    let stream = config.streaming.is_on(offered);
    let cap = |field| (cap_field == field).then_some(config.max_tokens);
    let body = ChatRequest {
        model: &config.model,
        messages,
        // without tools this field is an error at some servers
        parallel_tool_calls: (quirks.one_call_at_a_time && offered).then_some(false),
        tools: tools.as_deref(),
        max_tokens: cap(CapField::MaxTokens),
        max_completion_tokens: cap(CapField::MaxCompletionTokens),
        stream,
        stream_options: (stream && quirks.stream_usage)
            .then_some(StreamOptions { include_usage: true }),
    };
    serde_json::to_vec(&body).map_err(unsendable)
}

fn unsendable(cause: serde_json::Error) -> BackendError {
    BackendError::new(FailureClass::Protocol, "the conversation cannot be written as JSON")
        .caused_by(cause)
}

/// What may be called, written once for as long as the catalog stays the same.
fn tools(schema: Profile, request: &Request<'_>) -> Result<Arc<RawValue>, BackendError> {
    let write = |entries: &[CatalogEntry]| {
        let tools = entries.iter().map(|entry| Tool {
            kind: "function",
            function: ToolFunction {
                name: &entry.wire_name,
                description: entry.description,
                parameters: entry.arguments.text(schema),
            },
        });
        to_raw_value(&tools.collect::<Vec<_>>())
    };
    request.catalog.written("openai", schema, write).map_err(unsendable)
}

fn encode_message<'a>(
    message: &'a Message,
    no_content: NoContent,
    ids: &WireIds,
) -> Result<ChatMessage<'a>, BackendError> {
    match message {
        Message::User(content) => Ok(ChatMessage::User { content }),
        Message::Assistant { text, proposals } => {
            let calls = proposals.iter().map(|p| SentCall {
                id: ids.get(p.call),
                kind: "function",
                function: SentFunction { name: &p.wire_name, arguments: p.arguments_text() },
            });
            let tool_calls: Vec<_> = calls.collect();
            let nothing = text.is_empty() && !tool_calls.is_empty();
            let content = match no_content {
                NoContent::Null if nothing => None,
                NoContent::Null | NoContent::Empty => Some(text.as_str()),
            };
            Ok(ChatMessage::Assistant { content, tool_calls })
        }
        Message::Outcome { call, outcome } => {
            Ok(ChatMessage::Tool { content: outcome.envelope(), tool_call_id: ids.get(*call) })
        }
        Message::Recalled(record) => Ok(ChatMessage::User { content: record.envelope() }),
        _ => Err(BackendError::new(FailureClass::Unsupported, "a message of an unknown kind")),
    }
}

/// One whole reply.
pub(crate) fn decode(
    config: &OpenAiConfig,
    identity: BackendIdentity,
    reply: &Reply,
) -> Result<BackendTurn, BackendError> {
    if !reply.is_success() {
        return Err(failure(reply));
    }
    let chunk: Chunk<'_> = serde_json::from_slice(&reply.body).map_err(unreadable)?;
    if let Some(error) = &chunk.error {
        return Err(Said::of(error).failure(None));
    }
    let mut draft = Draft::default();
    draft.count(chunk.usage.as_ref());
    let Some(choice) = chunk.choices.into_iter().next() else {
        let reason = "its reply holds no message";
        return Err(BackendError::new(FailureClass::Protocol, reason));
    };
    draft.end(choice.finish_reason);
    let Some(message) = choice.message else {
        return Err(BackendError::new(FailureClass::Protocol, "its reply holds no message"));
    };
    draft.text(&message.content, &message.refusal);
    for call in message.tool_calls {
        draft.call(call);
    }
    Ok(draft.into_turn(config.max_tokens, identity))
}

pub(super) fn unreadable(cause: serde_json::Error) -> BackendError {
    let reason = "its reply does not follow the format of `/chat/completions`";
    BackendError::new(FailureClass::Protocol, reason).caused_by(cause)
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
