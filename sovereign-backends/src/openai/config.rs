use super::Quirks;
use crate::{BaseUrl, KeyFile, Streaming};
use std::time::Duration;

/// Where `llama-server` listens unless told otherwise.
pub const LLAMA_SERVER_URL: &str = "http://127.0.0.1:8080/v1";

/// One server of the OpenAI-compatible kind, and one of its models.
///
/// ```
/// use sovereign_backends::openai::{LLAMA_SERVER_URL, OpenAiConfig, Quirks};
///
/// let here = OpenAiConfig::new(LLAMA_SERVER_URL.parse()?, "qwen3-4b");
/// assert_eq!(here.quirks, Quirks::LLAMA_SERVER);
/// let there = OpenAiConfig::new("https://api.example.com/v1".parse()?, "large");
/// assert_eq!(there.quirks, Quirks::COMMON);
/// # Ok::<(), sovereign_backends::BaseUrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made with the update syntax from `new`")]
pub struct OpenAiConfig {
    /// Everything before `/chat/completions`, usually with `/v1` at its end.
    pub base_url: BaseUrl,
    /// The model's name there.
    pub model: String,
    /// The most tokens that one reply may have; a reply that reaches it counts as cut off.
    pub max_tokens: u32,
    /// What the model holds at once, in tokens, where that is known; a smaller number has it sent less.
    /// Where `/props` is asked, what the server says holds too.
    pub window: Option<u32>,
    /// Its key, where it asks for one. Without it a remote server is not asked.
    pub key: Option<KeyFile>,
    /// In what this server differs.
    pub quirks: Quirks,
    /// Whether it is asked for pieces.
    pub streaming: Streaming,
    /// How long one reply may take; the request's own limit holds too.
    pub reply_timeout: Duration,
    /// How long one question about the server may take.
    pub probe_timeout: Duration,
}

impl OpenAiConfig {
    /// That model at that server: 2048 tokens of reply, in pieces, 75 seconds on this device and 180
    /// elsewhere. A server on this device is taken for a `llama-server`, which is harmless when it is
    /// another.
    #[must_use]
    pub fn new(base_url: BaseUrl, model: impl Into<String>) -> Self {
        let is_local = base_url.is_local();
        let quirks = if is_local { Quirks::LLAMA_SERVER } else { Quirks::COMMON };
        Self {
            base_url,
            model: model.into(),
            max_tokens: crate::ASSISTANT_MAX_TOKENS,
            window: None,
            key: None,
            quirks,
            streaming: Streaming::Always,
            reply_timeout: if is_local {
                Duration::from_secs(75)
            } else {
                crate::ASSISTANT_HTTP_TIMEOUT
            },
            probe_timeout: Duration::from_secs(5),
        }
    }
}
