use crate::{BaseUrl, BaseUrlError, KeyFile, Streaming};
use std::path::Path;
use std::time::Duration;

/// Where Anthropic's API is.
pub const CLAUDE_BASE_URL: &str = "https://api.anthropic.com/v1";
/// The model that is asked unless told otherwise (B16).
pub const CLAUDE_MODEL: &str = "claude-haiku-4-5-20251001";
/// What Anthropic's models hold at once, prompt and reply together, in tokens; some hold more.
pub const CLAUDE_WINDOW: u32 = 200_000;
/// The key's name below `data_dir/secrets/` (B17).
pub const CLAUDE_KEY: &str = "claude-api-key";
/// What `anthropic-version` says. Every server of this wire knows this version, and what a later one
/// changes (it refuses sampling parameters) is not used here.
pub(super) const VERSION: &str = "2023-06-01";

/// One model behind Anthropic's Messages API.
///
/// ```
/// use sovereign_backends::claude::{CLAUDE_MODEL, ClaudeConfig};
///
/// let config = ClaudeConfig::in_data_dir("/var/lib/sovereign")?;
/// assert_eq!((config.model.as_str(), config.max_tokens), (CLAUDE_MODEL, 2048));
/// # Ok::<(), sovereign_backends::BaseUrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made with the update syntax from a constructor")]
pub struct ClaudeConfig {
    /// Everything before `/messages`.
    pub base_url: BaseUrl,
    /// The model's name.
    pub model: String,
    /// The most tokens that one reply may have; a reply that reaches it counts as cut off.
    pub max_tokens: u32,
    /// What the model holds at once, in tokens, where that is known; a smaller number has it sent less.
    pub window: Option<u32>,
    /// Its key. Without it a server elsewhere is not asked; one on this device may need none.
    pub key: Option<KeyFile>,
    /// Whether it is asked for pieces.
    pub streaming: Streaming,
    /// How long one reply may take; the request's own limit holds too.
    pub reply_timeout: Duration,
}

impl ClaudeConfig {
    /// [`CLAUDE_MODEL`] at Anthropic, with the key that stands in this data directory.
    ///
    /// # Errors
    /// Never: [`CLAUDE_BASE_URL`] is a base URL.
    pub fn in_data_dir(data_dir: impl AsRef<Path>) -> Result<Self, BaseUrlError> {
        let (key, window) = (Some(KeyFile::new(data_dir, CLAUDE_KEY)), Some(CLAUDE_WINDOW));
        Ok(Self { key, window, ..Self::new(CLAUDE_BASE_URL.parse()?, CLAUDE_MODEL) })
    }

    /// That model at another server of the same wire, without a key: 2048 tokens of reply, in pieces,
    /// 180 seconds, and a window that nobody knows.
    #[must_use]
    pub fn new(base_url: BaseUrl, model: impl Into<String>) -> Self {
        Self {
            base_url,
            model: model.into(),
            max_tokens: crate::ASSISTANT_MAX_TOKENS,
            window: None,
            key: None,
            streaming: Streaming::Always,
            reply_timeout: crate::ASSISTANT_HTTP_TIMEOUT,
        }
    }
}
