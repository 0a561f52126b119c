//! The JSON of Anthropic's Messages API, as far as it is used here.
//!
//! Blocks are read one by one from their raw text, so that one of an unknown type fails nothing.
//!
//! **Source** <https://docs.anthropic.com/en/api/messages>,
//! <https://docs.anthropic.com/en/docs/build-with-claude/streaming>.
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// `POST …/messages`. No sampling parameters: newer versions and proxies refuse them.
#[derive(Debug, Serialize)]
pub(super) struct MessagesRequest<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u32,
    pub(super) system: &'a str,
    pub(super) messages: Vec<SentMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<ToolChoice>,
    pub(super) stream: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) input_schema: &'a RawValue,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToolChoice {
    Auto { disable_parallel_tool_use: bool },
    None,
}

#[derive(Debug, Serialize)]
pub(super) struct SentMessage<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<SentBlock<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum SentBlock<'a> {
    Ours(OwnBlock<'a>),
    /// A block of this turn as it came.
    Verbatim(Box<RawValue>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum OwnBlock<'a> {
    /// Never empty: that is answered with status 400.
    Text {
        text: &'a str,
    },
    ToolUse {
        id: String,
        name: &'a str,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        is_error: bool,
    },
}

/// A whole reply, and what `message_start` holds.
#[derive(Debug, Deserialize)]
pub(super) struct MessageReply<'a> {
    #[serde(borrow, default, deserialize_with = "or_default")]
    pub(super) content: Vec<&'a RawValue>,
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) usage: WireUsage,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StopDetails {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) explanation: String,
}

/// Counts add up in a stream: each report holds what it knows of the whole.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct WireUsage {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
}

/// What is read of one block.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(skip)]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) text: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) name: String,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
}

impl<'a> Block<'a> {
    /// Of a type that is not known here only the type is read: its fields may be anything.
    pub(super) fn read(raw: &'a RawValue) -> serde_json::Result<Self> {
        let kind = Kind::read(raw.get())?;
        let block = match kind.as_str() {
            "text" | "tool_use" => serde_json::from_str(raw.get())?,
            _ => Self::default(),
        };
        Ok(Self { kind, ..block })
    }
}

/// The data of one event of a stream.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(skip)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) index: u64,
    #[serde(borrow)]
    pub(super) message: Option<MessageReply<'a>>,
    #[serde(borrow)]
    pub(super) content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) delta: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) usage: WireUsage,
    pub(super) error: Option<Value>,
}

impl<'a> Event<'a> {
    /// Of a type that is not known here only the type is read.
    pub(super) fn read(data: &'a [u8]) -> serde_json::Result<Self> {
        let Kind { kind } = serde_json::from_slice(data)?;
        let event = match kind.as_str() {
            "message_start"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "message_delta"
            | "error" => serde_json::from_slice(data)?,
            _ => Self::default(),
        };
        Ok(Self { kind, ..event })
    }
}

/// A piece of a block.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta {
    #[serde(skip)]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) text: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) partial_json: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) thinking: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) signature: String,
}

impl Delta {
    pub(super) fn read(raw: &RawValue) -> serde_json::Result<Self> {
        let kind = Kind::read(raw.get())?;
        let delta = match kind.as_str() {
            "text_delta" | "input_json_delta" | "thinking_delta" | "signature_delta" => {
                serde_json::from_str(raw.get())?
            }
            _ => Self::default(),
        };
        Ok(Self { kind, ..delta })
    }
}

/// How a message ends.
#[derive(Debug, Deserialize)]
pub(super) struct End {
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
}

/// The type of a block, a delta or an event.
#[derive(Debug, Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

impl Kind {
    fn read(text: &str) -> serde_json::Result<String> {
        serde_json::from_str(text).map(|Self { kind }| kind)
    }
}

/// `null` means the same as nothing at all.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}
