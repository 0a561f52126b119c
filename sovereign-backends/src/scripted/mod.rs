//! Raw replies of a model server, played back through the real adapters (feature `testing`).
//!
//! What a test writes down is what a server sends; what it reads back is what a server would get. Core
//! has a scripted backend of neutral turns; this one is for what happens on the wire: only the network
//! is replaced.
use crate::claude::{self, Claude, ClaudeConfig};
use crate::http::ModelHttp;
use crate::http::script::{End, Pieces, Scene, Script};
use crate::ollama::{self, Ollama, OllamaConfig};
use crate::openai::{self, OpenAi, OpenAiConfig};
use async_trait::async_trait;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Request,
};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Replies in their order, each used once; after the last one it is unreachable.
///
/// ```
/// use sovereign_backends::scripted::Scripted;
///
/// let model = Scripted::ollama()
///     .replies(r#"{"message":{"content":"","tool_calls":[{"function":{"name":"game__roll__v1"}}]},"done":true}"#)
///     .replies(r#"{"message":{"content":"You rolled a four."},"done":true}"#);
/// assert!(model.requests().is_empty());
/// ```
#[derive(Clone)]
pub struct Scripted {
    adapter: Arc<dyn Backend>,
    script: Arc<Script>,
    stream_type: &'static str,
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted").field("script", &self.script).finish_non_exhaustive()
    }
}

impl Scripted {
    /// Bodies of Ollama's `/api/chat`, for a model `scripted` and the usual limits.
    ///
    /// # Panics
    /// Never; the address is a constant.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test double, and a constant")]
    pub fn ollama() -> Self {
        let base_url = ollama::OLLAMA_BASE_URL.parse().expect("a base URL");
        Self::ollama_with(OllamaConfig::new(base_url, "scripted"))
    }

    /// The same with limits of its own.
    #[must_use]
    pub fn ollama_with(config: OllamaConfig) -> Self {
        let script = Arc::new(Script::new(ollama::ENDPOINT));
        let http = ModelHttp::scripted(config.base_url.clone(), Arc::clone(&script));
        let adapter = Arc::new(Ollama::through(config, http));
        Self { adapter, script, stream_type: "application/x-ndjson" }
    }

    /// Bodies of `/chat/completions`, likewise.
    ///
    /// # Panics
    /// Never; the address is a constant.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test double, and a constant")]
    pub fn openai() -> Self {
        let base_url = openai::LLAMA_SERVER_URL.parse().expect("a base URL");
        Self::openai_with(OpenAiConfig::new(base_url, "scripted"))
    }

    /// The same with limits and quirks of its own.
    #[must_use]
    pub fn openai_with(config: OpenAiConfig) -> Self {
        let script = Arc::new(Script::new(openai::ENDPOINT));
        let http = ModelHttp::scripted(config.base_url.clone(), Arc::clone(&script));
        let adapter = Arc::new(OpenAi::through(config, http));
        Self { adapter, script, stream_type: "text/event-stream" }
    }

    /// Bodies of Anthropic's `/messages`, likewise, without a key.
    ///
    /// # Panics
    /// Never; the address is a constant.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test double, and a constant")]
    pub fn claude() -> Self {
        let base_url = openai::LLAMA_SERVER_URL.parse().expect("a base URL");
        Self::claude_with(ClaudeConfig::new(base_url, "scripted"))
    }

    /// The same with limits of its own.
    #[must_use]
    pub fn claude_with(config: ClaudeConfig) -> Self {
        let script = Arc::new(Script::new(claude::ENDPOINT));
        let http = ModelHttp::scripted(config.base_url.clone(), Arc::clone(&script));
        let adapter = Arc::new(Claude::through(config, http));
        Self { adapter, script, stream_type: "text/event-stream" }
    }

    /// Adds a whole reply with status 200.
    #[must_use]
    pub fn replies(self, body: impl Into<Vec<u8>>) -> Self {
        self.answers(200, body)
    }

    /// Adds a whole reply with this status.
    #[must_use]
    pub fn answers(self, status: u16, body: impl Into<Vec<u8>>) -> Self {
        self.add(status, "application/json", [body], Duration::ZERO, End::Clean)
    }

    /// Adds a reply in the dialect's stream format, in the pieces in which it arrives.
    #[must_use]
    pub fn streams<P: Into<Vec<u8>>>(self, pieces: impl IntoIterator<Item = P>) -> Self {
        let stream_type = self.stream_type;
        self.add(200, stream_type, pieces, Duration::ZERO, End::Clean)
    }

    /// The same, and each piece lets wait for itself that long.
    #[must_use]
    pub fn streams_every<P: Into<Vec<u8>>>(
        self,
        pause: Duration,
        pieces: impl IntoIterator<Item = P>,
    ) -> Self {
        let stream_type = self.stream_type;
        self.add(200, stream_type, pieces, pause, End::Clean)
    }

    /// The same, and then the connection breaks.
    #[must_use]
    pub fn breaks_after<P: Into<Vec<u8>>>(self, pieces: impl IntoIterator<Item = P>) -> Self {
        let stream_type = self.stream_type;
        self.add(200, stream_type, pieces, Duration::ZERO, End::Reset)
    }

    /// The same, and then nothing more ever comes.
    #[must_use]
    pub fn hangs_after<P: Into<Vec<u8>>>(self, pieces: impl IntoIterator<Item = P>) -> Self {
        let stream_type = self.stream_type;
        self.add(200, stream_type, pieces, Duration::ZERO, End::Silence)
    }

    /// The bodies that were sent, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.script.requests()
    }

    fn add<P: Into<Vec<u8>>>(
        self,
        status: u16,
        content_type: &'static str,
        pieces: impl IntoIterator<Item = P>,
        pause: Duration,
        end: End,
    ) -> Self {
        let bytes = pieces.into_iter().map(Into::into).collect();
        self.script.add(Scene { status, content_type, pieces: Pieces { bytes, pause, end } });
        self
    }

    fn as_scripted(&self) -> BackendIdentity {
        BackendIdentity::local("scripted", self.adapter.identity().model)
    }
}

#[async_trait]
impl Backend for Scripted {
    fn identity(&self) -> BackendIdentity {
        self.as_scripted()
    }

    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }

    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let mut turn = self.adapter.send(request, sink).await?;
        turn.identity = self.as_scripted();
        Ok(turn)
    }
}

/// The events of a stream of bytes that arrives in these pieces (name, data), as the adapters read
/// them.
///
/// # Errors
/// When a line or an event is too long.
pub fn sse_events<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<(String, Vec<u8>)>, BackendError> {
    let (mut sse, mut events) = (crate::sse::Sse::default(), Vec::new());
    for piece in pieces {
        sse.feed(piece, |event| {
            events.push((event.name.to_owned(), event.data.to_vec()));
            Ok(())
        })?;
    }
    Ok(events)
}

/// The lines of such a stream, and what stands behind the last line feed.
///
/// # Errors
/// When a line is too long.
pub fn ndjson_lines<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<(Vec<Vec<u8>>, Vec<u8>), BackendError> {
    let (mut lines, mut found) = (crate::lines::Lines::default(), Vec::new());
    for piece in pieces {
        lines.feed(piece, |line| {
            found.push(line.to_vec());
            Ok(())
        })?;
    }
    Ok((found, lines.rest()))
}
