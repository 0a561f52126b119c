use super::Purse;
use crate::openai::{OpenAiConfig, Quirks};
use crate::{ASSISTANT_HTTP_TIMEOUT, ASSISTANT_MAX_TOKENS, BaseUrl, KeyFile, Streaming};
use std::sync::Arc;
use std::time::Duration;

/// The best known node.
pub const ROUTSTR_URL: &str = "https://api.routstr.com/v1";
/// What one turn may cost unless told otherwise: 100 sats.
pub const ROUTSTR_MAX_MSAT_PER_TURN: u64 = 100_000;
/// How much it is sent and may answer unless told otherwise, in tokens.
pub const ROUTSTR_WINDOW: u32 = 8_192;

/// How a node is paid.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Payment {
    /// With a balance that lies at the node, by its key (`sk-…`). Whoever runs the node holds it, so
    /// keep it small.
    Key(KeyFile),
    /// With one token for each reply; what is left of it comes back as another one.
    Purse(Arc<Purse>),
}

/// One node, one of its models, and what it may cost.
///
/// ```
/// use sovereign_backends::KeyFile;
/// use sovereign_backends::routstr::{Payment, ROUTSTR_URL, RoutstrConfig};
///
/// let key = KeyFile::new("/var/lib/sovereign", "routstr-api-key");
/// let config = RoutstrConfig {
///     max_msat_per_turn: 20_000,
///     ..RoutstrConfig::new(ROUTSTR_URL.parse()?, "llama-3.3-70b", Payment::Key(key))
/// };
/// assert_eq!(config.max_tokens, 2048);
/// # Ok::<(), sovereign_backends::BaseUrlError>(())
/// ```
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "made with the update syntax from `new`")]
pub struct RoutstrConfig {
    /// Everything before `/chat/completions`, usually with `/v1` at its end.
    pub base_url: BaseUrl,
    /// The model's name there.
    pub model: String,
    /// The most tokens that one reply may have; always sent, because the node reserves for them.
    pub max_tokens: u32,
    /// What it is sent and may answer at most, in tokens: each byte that is sent counts against what a
    /// turn may cost. What the node says of its model holds too.
    pub window: u32,
    /// How it is paid.
    pub payment: Payment,
    /// The most that one turn may cost, in thousandths of a sat.
    pub max_msat_per_turn: u64,
    /// Whether it is asked for pieces. A node that is paid with tokens sends them all at once.
    pub streaming: Streaming,
    /// How long one reply may take; the request's own limit holds too.
    pub reply_timeout: Duration,
    /// How long one question about prices or change may take.
    pub probe_timeout: Duration,
}

impl RoutstrConfig {
    /// That model at that node: 8192 tokens, 2048 of them for the reply, in pieces, 180 seconds, 100 sats
    /// for a turn.
    #[must_use]
    pub fn new(base_url: BaseUrl, model: impl Into<String>, payment: Payment) -> Self {
        Self {
            base_url,
            model: model.into(),
            max_tokens: ASSISTANT_MAX_TOKENS,
            window: ROUTSTR_WINDOW,
            payment,
            max_msat_per_turn: ROUTSTR_MAX_MSAT_PER_TURN,
            streaming: Streaming::Always,
            reply_timeout: ASSISTANT_HTTP_TIMEOUT,
            probe_timeout: Duration::from_secs(5),
        }
    }

    /// The same as the adapter below this one reads it. The key is no part of it: each way of paying
    /// has a header of its own.
    pub(super) fn wire(&self) -> OpenAiConfig {
        OpenAiConfig {
            max_tokens: self.max_tokens,
            window: Some(self.window),
            quirks: Quirks::COMMON,
            streaming: self.streaming,
            reply_timeout: self.reply_timeout,
            probe_timeout: self.probe_timeout,
            ..OpenAiConfig::new(self.base_url.clone(), self.model.clone())
        }
    }
}
