//! Ollama's JSON, as far as it is used here.
//!
//! **Source** <https://docs.ollama.com/api/chat>, <https://docs.ollama.com/api/tags>,
//! <https://docs.ollama.com/api-reference/show-model-details>, <https://docs.ollama.com/api/ps>.
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// `POST /api/chat`.
#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<ChatMessage<'a>>,
    /// Left out where nothing may be proposed: an empty list is not the same on every version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<&'a RawValue>,
    pub(super) stream: bool,
    /// On by default for thinking models, where it uses up the cap and may swallow the call.
    pub(super) think: bool,
    pub(super) keep_alive: String,
    pub(super) options: Options,
    /// An over-long prompt is an error, not one that silently lost its beginning.
    pub(super) truncate: bool,
    pub(super) shift: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Options {
    pub(super) num_ctx: u32,
    pub(super) num_predict: u32,
}

/// `content` must be a string, also next to calls.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(super) enum ChatMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<SentCall<'a>>,
    },
    Tool {
        content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_name: Option<&'a str>,
        tool_call_id: String,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct SentCall<'a> {
    pub(super) id: String,
    pub(super) function: SentFunction<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct SentFunction<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    /// An object; a string is answered with status 400.
    pub(super) arguments: &'a RawValue,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: ToolFunction<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct ToolFunction<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) parameters: &'a RawValue,
}

/// A whole reply of `/api/chat` with `stream: false`. `message.thinking` is not read: a call in it was
/// never made.
#[derive(Debug, Deserialize)]
pub(super) struct ChatReply<'a> {
    #[serde(borrow)]
    pub(super) message: Option<ReplyMessage<'a>>,
    pub(super) done: Option<bool>,
    pub(super) done_reason: Option<String>,
    pub(super) prompt_eval_count: Option<u64>,
    pub(super) eval_count: Option<u64>,
    pub(super) remote_host: Option<String>,
    pub(super) remote_model: Option<String>,
    /// Some versions report an error under status 200.
    pub(super) error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReplyMessage<'a> {
    pub(super) content: Option<String>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<ReplyCall<'a>>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReplyCall<'a> {
    /// Since 0.12.10.
    pub(super) id: Option<String>,
    #[serde(borrow)]
    pub(super) function: ReplyFunction<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReplyFunction<'a> {
    pub(super) name: String,
    /// The bytes as they came.
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// `GET /api/tags`.
#[derive(Debug, Deserialize)]
pub(super) struct Tags {
    pub(super) models: Option<Vec<TaggedModel>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaggedModel {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) digest: String,
    pub(super) remote_host: Option<String>,
    pub(super) remote_model: Option<String>,
}

/// `POST /api/show`.
#[derive(Debug, Serialize)]
pub(super) struct ShowRequest<'a> {
    pub(super) model: &'a str,
}

#[derive(Debug, Deserialize)]
pub(super) struct ShowReply {
    /// Since 0.6.4; where it is missing nothing is known.
    pub(super) capabilities: Option<Vec<String>>,
    pub(super) remote_host: Option<String>,
    pub(super) remote_model: Option<String>,
}

/// `GET /api/ps`.
#[derive(Debug, Deserialize)]
pub(super) struct Running {
    pub(super) models: Option<Vec<RunningModel>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RunningModel {
    #[serde(default)]
    pub(super) name: String,
    /// What was really allocated.
    pub(super) context_length: Option<u64>,
}

/// The body of an error.
#[derive(Debug, Deserialize)]
pub(super) struct ErrorReply {
    pub(super) error: String,
}
