//! In what servers of the OpenAI-compatible kind differ.
use sovereign_core::schema::Profile;

/// The name of the field that caps what one reply may generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapField {
    /// `max_tokens`, as nearly every server reads it.
    MaxTokens,
    /// `max_completion_tokens`, which newer models at OpenAI demand.
    MaxCompletionTokens,
}

/// What stands in `content` beside calls when there is no prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoContent {
    /// `null`: an empty string makes some models write their next call as text (ollama#14181).
    Null,
    /// `""`: some servers answer 500 to anything else.
    Empty,
}

/// One server's differences, as data.
///
/// ```
/// use sovereign_backends::openai::{CapField, Quirks};
///
/// let hosted = Quirks { cap_field: CapField::MaxCompletionTokens, ..Quirks::COMMON };
/// assert!(hosted.one_call_at_a_time);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "made with the update syntax from one of the constants"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is one difference between servers")]
pub struct Quirks {
    /// Where the cap is written. The other one is tried once when a server says that it demands it.
    pub cap_field: CapField,
    /// What stands for no prose beside calls.
    pub no_content: NoContent,
    /// For which reader the schemas of arguments are written.
    pub schema: Profile,
    /// Whether `parallel_tool_calls: false` is sent beside tools.
    pub one_call_at_a_time: bool,
    /// Whether a stream is asked to report its tokens.
    pub stream_usage: bool,
    /// Whether a stream ends with `[DONE]`; without it a stream that has named its reason to stop and
    /// was closed properly counts as whole.
    pub ends_with_done: bool,
    /// Whether `/props` is asked what the model's template can do before anything is sent.
    pub has_props: bool,
}

impl Quirks {
    /// What most servers understand.
    pub const COMMON: Self = Self {
        cap_field: CapField::MaxTokens,
        no_content: NoContent::Null,
        schema: Profile::Portable,
        one_call_at_a_time: true,
        stream_usage: true,
        ends_with_done: true,
        has_props: false,
    };
    /// llama.cpp's `llama-server`.
    pub const LLAMA_SERVER: Self = Self { schema: Profile::Llama, has_props: true, ..Self::COMMON };
    /// The server of llama-cpp-python, which is another program.
    pub const LLAMA_CPP_PYTHON: Self =
        Self { schema: Profile::Llama, no_content: NoContent::Empty, ..Self::COMMON };
}
