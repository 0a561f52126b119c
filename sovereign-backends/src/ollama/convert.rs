//! Between the neutral types and Ollama's wire, without any input or output.
use super::OllamaConfig;
use super::wire::{
    ChatMessage, ChatReply, ChatRequest, ErrorReply, Options, ReplyCall, SentCall, SentFunction,
    Tool, ToolFunction,
};
use crate::http::{Reply, status_line, unfinished};
use crate::quote::quoted;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, CallId, FailureClass, Locality, Message, Proposed,
    Request, Stop, Usage, WireProposal,
};
use sovereign_core::catalog::CatalogEntry;
use sovereign_core::schema::Profile;
use std::collections::HashMap;
use std::sync::Arc;

/// The body of `POST /api/chat` for one round.
pub(crate) fn encode(
    config: &OllamaConfig,
    request: &Request<'_>,
) -> Result<Vec<u8>, BackendError> {
    let mut names = HashMap::new();
    let mut messages = vec![ChatMessage::System { content: request.system }];
    for message in request.messages {
        messages.push(encode_message(message, &mut names)?);
    }
    let offered = !request.closing && !request.catalog.entries().is_empty();
    let tools = if offered { Some(tools(request)?) } else { None };
    let stream = config.streaming.is_on(offered);
    let body = ChatRequest {
        model: &config.model,
        messages,
        tools: tools.as_deref(),
        stream,
        think: false,
        keep_alive: format!("{}s", config.keep_alive.as_secs()),
        options: Options { num_ctx: config.num_ctx, num_predict: config.num_predict },
        truncate: false,
        shift: false,
    };
    serde_json::to_vec(&body).map_err(unsendable)
}

/// What may be called, written once for as long as the catalog stays the same.
fn tools(request: &Request<'_>) -> Result<Arc<RawValue>, BackendError> {
    let write = |entries: &[CatalogEntry]| {
        let tools = entries.iter().map(|entry| Tool {
            kind: "function",
            function: ToolFunction {
                name: &entry.wire_name,
                description: entry.description,
                parameters: entry.arguments.text(Profile::Ollama),
            },
        });
        to_raw_value(&tools.collect::<Vec<_>>())
    };
    request.catalog.written("ollama", Profile::Ollama, write).map_err(unsendable)
}

/// `names` collects what each call was named, for the outcomes that follow it.
///
/// Every id on this wire is one of ours: the server needs none of its own back, and its ids may be
/// missing or come twice.
fn encode_message<'a>(
    message: &'a Message,
    names: &mut HashMap<CallId, &'a str>,
) -> Result<ChatMessage<'a>, BackendError> {
    match message {
        Message::User(content) => Ok(ChatMessage::User { content }),
        Message::Assistant { text, proposals } => {
            names.extend(proposals.iter().map(|p| (p.call, p.wire_name.as_str())));
            let calls = proposals.iter().enumerate().map(|(index, p)| encode_call(index, p));
            Ok(ChatMessage::Assistant {
                content: text,
                tool_calls: calls.collect::<Result<_, _>>()?,
            })
        }
        Message::Outcome { call, outcome } => Ok(ChatMessage::Tool {
            content: outcome.envelope(),
            tool_name: names.get(call).copied(),
            tool_call_id: call.to_string(),
        }),
        Message::Recalled(record) => Ok(ChatMessage::User { content: record.envelope() }),
        _ => Err(BackendError::new(FailureClass::Unsupported, "a message of an unknown kind")),
    }
}

fn encode_call(index: usize, proposed: &Proposed) -> Result<SentCall<'_>, BackendError> {
    // RawArguments hold one JSON object, so this only marks the text as JSON
    let mut text = serde_json::Deserializer::from_str(proposed.arguments_text());
    let arguments = <&RawValue>::deserialize(&mut text).map_err(unsendable)?;
    let function = SentFunction { index, name: &proposed.wire_name, arguments };
    Ok(SentCall { id: proposed.call.to_string(), function })
}

fn unsendable(cause: serde_json::Error) -> BackendError {
    BackendError::new(FailureClass::Protocol, "the conversation cannot be written as JSON")
        .caused_by(cause)
}

/// Why `/api/chat` gave no turn, and what else that says of the model.
#[derive(Debug)]
pub(crate) enum NoTurn {
    /// Only this reply.
    Failed(BackendError),
    /// What is known of the model no longer holds.
    Stale(BackendError),
    /// The model ran somewhere else.
    Remote(BackendError),
}

/// One whole reply of `/api/chat`.
pub(crate) fn decode(
    config: &OllamaConfig,
    identity: BackendIdentity,
    reply: &Reply,
) -> Result<BackendTurn, NoTurn> {
    if !reply.is_success() {
        return Err(explain(reply));
    }
    let mut draft = Draft::default();
    let _text = draft.take(&reply.body)?;
    draft.into_turn(config, identity)
}

/// What is known of a reply so far: all of it after one object, or more with every line of a stream.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    proposals: Vec<WireProposal>,
    usage: Usage,
    done_reason: Option<String>,
    any: bool,
    done: bool,
}

impl Draft {
    /// One object; gives back the prose that it adds. Calls may stand in any of them, also in the one
    /// that ends the reply.
    pub(super) fn take(&mut self, object: &[u8]) -> Result<String, NoTurn> {
        let chat: ChatReply<'_> = serde_json::from_slice(object).map_err(|cause| {
            let reason = "its reply does not follow the format of `/api/chat`";
            NoTurn::Failed(BackendError::new(FailureClass::Protocol, reason).caused_by(cause))
        })?;
        if let Some(error) = &chat.error {
            return Err(explained(None, error.as_bytes()));
        }
        if let Some(host) = elsewhere(chat.remote_host.as_deref(), chat.remote_model.as_deref()) {
            let reason =
                format!("its reply was made at `{host}`, not on this device, and is not used");
            return Err(NoTurn::Remote(BackendError::new(FailureClass::Unsupported, reason)));
        }
        // without `stream`, some versions leave `done` out
        self.done = chat.done.unwrap_or(!self.any);
        self.done_reason = chat.done_reason;
        self.usage = Usage {
            input: chat.prompt_eval_count.unwrap_or_default(),
            output: chat.eval_count.unwrap_or_default(),
        };
        let Some(message) = chat.message else { return Ok(String::new()) };
        self.any = true;
        let calls = message.tool_calls.unwrap_or_default();
        self.proposals.extend(calls.into_iter().map(decode_call));
        let text = message.content.unwrap_or_default();
        self.text.push_str(&text);
        Ok(text)
    }

    pub(super) const fn is_done(&self) -> bool {
        self.done
    }

    pub(super) fn into_turn(
        self,
        config: &OllamaConfig,
        identity: BackendIdentity,
    ) -> Result<BackendTurn, NoTurn> {
        if !(self.done && self.any) {
            return Err(NoTurn::Failed(unfinished()));
        }
        let cut = self.done_reason.as_deref() == Some("length")
            || self.usage.output >= u64::from(config.num_predict);
        Ok(BackendTurn::new(identity, self.text, self.proposals).used(self.usage).stopped(if cut {
            Stop::Length
        } else {
            Stop::End
        }))
    }
}

/// The arguments' bytes go on as they came; none at all are the empty object (C-8).
fn decode_call(call: ReplyCall<'_>) -> WireProposal {
    let arguments = call.function.arguments.map_or("{}", RawValue::get);
    let proposal = WireProposal::new(call.function.name, arguments.as_bytes());
    match call.id {
        Some(id) if !id.is_empty() => proposal.with_wire_id(id),
        _ => proposal,
    }
}

/// Where a model really runs, if a body says that it is not here.
pub(super) fn elsewhere(host: Option<&str>, model: Option<&str>) -> Option<String> {
    let said = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(|t| quoted(t.as_bytes()));
    said(host).or_else(|| said(model))
}

/// Whether a model's name says that it runs in Ollama's cloud (`x:cloud`, `x:120b-cloud`).
pub(super) fn is_cloud(model: &str) -> bool {
    let tag = model.rsplit_once(':').map_or("", |(_, tag)| tag);
    tag == "cloud" || tag.ends_with("-cloud")
}

/// Where a model of this name runs, as far as its name says.
pub(super) fn locality_of(config: &OllamaConfig) -> Locality {
    if is_cloud(&config.model) { Locality::Remote } else { config.base_url.locality() }
}

/// Names without a tag mean `latest`, as they do to the server.
pub(super) fn is_same_model(listed: &str, wanted: &str) -> bool {
    let full = |name: &str| {
        let last = name.rsplit('/').next().unwrap_or(name);
        if last.contains(':') { name.to_owned() } else { format!("{name}:latest") }
    };
    full(listed) == full(wanted)
}

/// An error body, classified by what it says: Ollama uses 500 also for what is nobody's outage.
pub(super) fn explain(reply: &Reply) -> NoTurn {
    let parsed: Option<ErrorReply> = serde_json::from_slice(&reply.body).ok();
    let said = parsed.map_or_else(|| reply.body.clone(), |e| e.error.into_bytes());
    explained(Some(reply.status), &said)
}

/// The same of the text alone; without a status it came inside a stream.
fn explained(status: Option<u16>, said: &[u8]) -> NoTurn {
    let text = String::from_utf8_lossy(said);
    let line = match status {
        Some(status) => status_line(status, said),
        None => format!("it answered with an error: {}", quoted(said)),
    };
    if status == Some(404) || text.contains("does not support tools") {
        return NoTurn::Stale(BackendError::new(FailureClass::Unsupported, line));
    }
    let class = if text.contains("tool call") || text.contains("ToolCallFunctionArguments") {
        // what the model wrote could not be read as a call
        FailureClass::Protocol
    } else if text.contains("context length") || text.contains("context window") {
        FailureClass::TooLong
    } else if matches!(status, Some(504 | 408)) {
        FailureClass::Timeout
    } else {
        FailureClass::Refused
    };
    NoTurn::Failed(BackendError::new(class, line))
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
