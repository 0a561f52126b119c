//! Anthropic's Messages API: a model elsewhere, or a server of the same wire on this device.
//!
//! The key is read from its file for each exchange and goes to the configured address only. Blocks
//! that this adapter does not know fail nothing; within a turn they go back as they came.
//!
//! **Source** <https://docs.anthropic.com/en/api/messages>.
mod config;
mod convert;
mod draft;
mod echo;
mod stream;
mod wire;

pub use config::{CLAUDE_BASE_URL, CLAUDE_KEY, CLAUDE_MODEL, CLAUDE_WINDOW, ClaudeConfig};

use crate::http::{Headers, ModelHttp, bounded};
use crate::room;
use async_trait::async_trait;
use config::VERSION;
use convert::{decode, encode};
use echo::Echoes;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Locality,
    Request, Window,
};
use stream::{MEDIA_TYPE, Stream};

/// The one endpoint that a conversation uses, below the base URL.
pub(crate) const ENDPOINT: &str = "messages";

/// One model of one server.
#[derive(Debug)]
pub struct Claude {
    config: ClaudeConfig,
    http: ModelHttp,
    echoes: Echoes,
}

impl Claude {
    /// That model, without asking the server yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(config: ClaudeConfig) -> Result<Self, BackendError> {
        let http = ModelHttp::new(config.base_url.clone())?;
        Ok(Self::through(config, http))
    }

    pub(crate) fn through(config: ClaudeConfig, http: ModelHttp) -> Self {
        Self { config, http, echoes: Echoes::default() }
    }

    fn headers(&self) -> Result<Headers, BackendError> {
        let headers = Headers::default().with("anthropic-version", VERSION);
        match &self.config.key {
            Some(key) => Ok(headers.key("x-api-key", &key.read()?)),
            None if self.config.base_url.is_local() => Ok(headers),
            None => {
                let reason = format!("there is no key for `{}`", self.config.base_url);
                Err(BackendError::new(FailureClass::Unsupported, reason))
            }
        }
    }

    async fn exchange(
        &self,
        request: &Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let Self { config, http, echoes } = self;
        let body = encode(config, echoes, request)?;
        let incoming = http.post(ENDPOINT, self.headers()?, body).await?;
        let turn = if incoming.is_stream(MEDIA_TYPE) {
            let mut stream = Stream::default();
            incoming.into_assembly(&mut stream, sink).await?;
            stream.finish(config, echoes, self.identity())?
        } else {
            let turn = decode(config, echoes, self.identity(), &incoming.whole().await?)?;
            if !turn.text.is_empty() {
                sink.text(&turn.text);
            }
            turn
        };
        if turn.proposals.is_empty() {
            echoes.forget(request.messages);
        }
        Ok(turn)
    }
}

#[async_trait]
impl Backend for Claude {
    fn identity(&self) -> BackendIdentity {
        let model = Some(self.config.model.clone());
        match self.config.base_url.locality() {
            Locality::Local => BackendIdentity::local("claude", model),
            Locality::Remote => {
                let receiver = self.config.base_url.to_string();
                BackendIdentity::remote("claude", model, receiver)
            }
        }
    }

    fn window(&self) -> Option<Window> {
        self.config.window.map(|tokens| room::window(tokens, self.config.max_tokens))
    }

    /// Only whether its key can be read: a question to the server would be one that nobody agreed to.
    async fn ready(&self) -> Result<(), BackendError> {
        self.headers().map(drop)
    }

    /// Waits for the smaller of `request.timeout` and the configured `reply_timeout`.
    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let within = request.timeout.min(self.config.reply_timeout);
        bounded(within, self.exchange(&request, sink)).await
    }
}
