//! Model adapters and HTTP clients for Sovereign.
//!
//! Each adapter stands behind core's [`Backend`](sovereign_core::backend::Backend) and keeps three
//! things apart: the wire's types, the pure conversion, and the exchange itself. An adapter decides
//! nothing: what a model asks for leaves here unchanged and goes through the executor.
//!
//! - [`ollama`]: a model on this device;
//! - [`openai`]: servers that speak OpenAI's chat completions, on this device or elsewhere;
//! - [`claude`]: Anthropic's Messages API;
//! - [`routstr`]: the wire of `openai`, paid in sats for each reply;
//! - [`keyword`]: no model at all;
//! - [`outbound`]: the way off the device for capabilities, with its address rule;
//! - [`in_order`]: which one is asked first;
//! - [`Guarded`]: a leg that does not answer is left alone for a while.
mod base_url;
pub mod claude;
mod failure;
mod guarded;
mod http;
mod ids;
pub mod keyword;
mod lines;
pub mod ollama;
pub mod openai;
pub mod outbound;
mod quote;
mod room;
pub mod routstr;
#[cfg(feature = "testing")]
pub mod scripted;
mod secret;
mod select;
mod sse;
mod streaming;

pub use base_url::{BaseUrl, BaseUrlError};
pub use claude::{Claude, ClaudeConfig};
pub use guarded::{FAILURES_BEFORE_PAUSE, Guarded, LegState, PAUSE};
pub use keyword::Keyword;
pub use ollama::{Ollama, OllamaConfig};
pub use openai::{OpenAi, OpenAiConfig};
pub use routstr::{Routstr, RoutstrConfig};
pub use secret::{KeyError, KeyFile};
pub use select::{guarded, in_order, local_first};
pub use streaming::Streaming;

use std::time::Duration;

/// The most tokens that one reply of an assistant may have (B18).
pub const ASSISTANT_MAX_TOKENS: u32 = 2048;
/// How long one reply from elsewhere may take (B18).
pub const ASSISTANT_HTTP_TIMEOUT: Duration = Duration::from_secs(180);
