//! The JSON of `/chat/completions`, as far as it is used here.
//!
//! **Source** <https://platform.openai.com/docs/api-reference/chat>, and llama.cpp's
//! `tools/server/README.md` for `/props`.
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// `POST …/chat/completions`. No sampling parameters: some models refuse them.
#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<ChatMessage<'a>>,
    /// Left out where nothing may be proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u32>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<StreamOptions>,
}

#[derive(Debug, Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

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
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<SentCall<'a>>,
    },
    Tool {
        content: String,
        tool_call_id: String,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct SentCall<'a> {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: SentFunction<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct SentFunction<'a> {
    pub(super) name: &'a str,
    /// JSON text as a string; `{}` for no arguments, because one server refuses an empty string.
    pub(super) arguments: &'a str,
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

/// A whole reply, or one chunk of a stream: they differ only in `message` and `delta`. Fields of
/// reasoning are not read: a call in them was never made.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) choices: Vec<Choice<'a>>,
    pub(super) usage: Option<WireUsage>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow, alias = "delta")]
    pub(super) message: Option<Part<'a>>,
    pub(super) finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) content: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) refusal: String,
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) tool_calls: Vec<CallPart<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CallPart<'a> {
    pub(super) index: Option<usize>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) id: String,
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) function: FunctionPart<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FunctionPart<'a> {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) name: String,
    /// A string that holds JSON text; in a stream, a piece of it.
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) prompt_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) completion_tokens: u64,
}

/// `GET /props` of llama.cpp.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Props {
    pub(super) chat_template_caps: Option<TemplateCaps>,
    default_generation_settings: Option<GenerationSettings>,
}

impl Props {
    /// What one conversation gets of the context, in tokens; a number that is none counts as unsaid.
    pub(super) fn window(&self) -> Option<u32> {
        let told = self.default_generation_settings.as_ref()?.n_ctx.as_ref()?;
        told.as_u64().and_then(|tokens| u32::try_from(tokens).ok())
    }
}

#[derive(Debug, Deserialize)]
struct GenerationSettings {
    n_ctx: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TemplateCaps {
    pub(super) supports_tools: Option<bool>,
}

/// `null` means the same as nothing at all.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}
