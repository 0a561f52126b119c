use crate::{BaseUrl, Streaming};
use std::time::Duration;

/// Where Ollama listens unless told otherwise.
pub const OLLAMA_BASE_URL: &str = "http://127.0.0.1:11434";
/// The one endpoint that a conversation uses there (E05).
pub const OLLAMA_CHAT_URL: &str = "http://127.0.0.1:11434/api/chat";
/// The cap on what one reply may generate, always sent.
pub const OLLAMA_NUM_PREDICT: u32 = 1024;
/// The context window, always sent: the server's own default depends on its memory.
pub const OLLAMA_NUM_CTX: u32 = 8192;

/// One Ollama server and model.
///
/// ```
/// use sovereign_backends::ollama::{OLLAMA_BASE_URL, OllamaConfig};
/// use std::time::Duration;
///
/// let config = OllamaConfig {
///     load_timeout: Duration::from_secs(300),
///     ..OllamaConfig::new(OLLAMA_BASE_URL.parse()?, "qwen3:4b")
/// };
/// assert_eq!(config.num_predict, 1024);
/// # Ok::<(), sovereign_backends::BaseUrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OllamaConfig {
    /// Where the server listens.
    pub base_url: BaseUrl,
    /// The model's name as `ollama list` shows it; without a tag it means `latest`.
    pub model: String,
    /// Context window in tokens.
    pub num_ctx: u32,
    /// The most tokens that one reply may have; a reply that reaches it counts as cut off.
    pub num_predict: u32,
    /// Whether it is asked for pieces. With tools that is an opt-in (E04, C-13).
    pub streaming: Streaming,
    /// How long the server keeps the model in memory after a reply; sent in whole seconds.
    pub keep_alive: Duration,
    /// How long one reply may take, so that a slow model leaves time for the next leg; the request's
    /// own limit holds too.
    pub reply_timeout: Duration,
    /// How much longer a reply may take when the model has to be loaded first.
    pub load_timeout: Duration,
    /// How long one question about the server or the model may take.
    pub probe_timeout: Duration,
}

impl OllamaConfig {
    /// That model at that server, usually [`OLLAMA_BASE_URL`]: 8192 tokens of context, 1024 of reply, in pieces
    /// where nothing can be proposed, kept for 5 minutes, 75 seconds to reply, 60 more to load, 5 per probe.
    #[must_use]
    pub fn new(base_url: BaseUrl, model: impl Into<String>) -> Self {
        Self {
            base_url,
            model: model.into(),
            num_ctx: OLLAMA_NUM_CTX,
            num_predict: OLLAMA_NUM_PREDICT,
            streaming: Streaming::WithoutTools,
            keep_alive: Duration::from_secs(300),
            reply_timeout: Duration::from_secs(75),
            load_timeout: Duration::from_secs(60),
            probe_timeout: Duration::from_secs(5),
        }
    }
}
