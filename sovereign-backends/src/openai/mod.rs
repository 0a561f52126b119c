//! Servers that speak OpenAI's `/chat/completions`: llama.cpp's on this device, and many others.
//!
//! Servers differ, and [`Quirks`] holds the differences as data. Nothing is repaired: arguments are
//! the bytes of one string, text that looks like a call stays text, and a reply that was cut off
//! executes nothing, whatever reason its server gives.
//!
//! **Source** <https://platform.openai.com/docs/api-reference/chat>.
mod config;
pub(crate) mod convert;
mod draft;
mod quirks;
pub(crate) mod stream;
mod wire;

pub use config::{LLAMA_SERVER_URL, OpenAiConfig};
pub use quirks::{CapField, NoContent, Quirks};

use crate::failure::{Said, failure};
use crate::http::{Headers, ModelHttp, bounded};
use crate::quote::quoted;
use crate::room;
use async_trait::async_trait;
use convert::{decode, encode};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Locality,
    Request, Window,
};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use stream::{MEDIA_TYPE, Stream};
use wire::Props;

/// The one endpoint that a conversation uses, below the base URL.
pub(crate) const ENDPOINT: &str = "chat/completions";

/// One model of one server.
#[derive(Debug)]
pub struct OpenAi {
    config: OpenAiConfig,
    http: ModelHttp,
    /// The server said that it demands the other name for the cap; holds until restart.
    other_cap: AtomicBool,
    /// The window that the server said it runs with, asked anew for each turn; zero when it has not.
    told_window: AtomicU32,
}

impl OpenAi {
    /// That model, without asking the server yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(config: OpenAiConfig) -> Result<Self, BackendError> {
        let http = ModelHttp::new(config.base_url.clone())?;
        Ok(Self::through(config, http))
    }

    pub(crate) const fn through(config: OpenAiConfig, http: ModelHttp) -> Self {
        Self { config, http, other_cap: AtomicBool::new(false), told_window: AtomicU32::new(0) }
    }

    fn headers(&self) -> Result<Headers, BackendError> {
        match &self.config.key {
            Some(key) => Ok(Headers::default().bearer(&key.read()?)),
            None if self.config.base_url.is_local() => Ok(Headers::default()),
            None => {
                let reason = format!("there is no key for `{}`", self.config.base_url);
                Err(BackendError::new(FailureClass::Unsupported, reason))
            }
        }
    }

    fn cap_field(&self) -> CapField {
        match (self.config.quirks.cap_field, self.other_cap.load(Ordering::Relaxed)) {
            (CapField::MaxTokens, false) | (CapField::MaxCompletionTokens, true) => {
                CapField::MaxTokens
            }
            (CapField::MaxTokens, true) | (CapField::MaxCompletionTokens, false) => {
                CapField::MaxCompletionTokens
            }
        }
    }

    async fn exchange(
        &self,
        request: &Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        loop {
            let cap_field = self.cap_field();
            let body = encode(&self.config, cap_field, request)?;
            let incoming = self.http.post(ENDPOINT, self.headers()?, body).await?;
            if incoming.is_stream(MEDIA_TYPE) {
                let mut stream = Stream::default();
                incoming.into_assembly(&mut stream, sink).await?;
                return stream.finish(&self.config, self.identity());
            }
            let reply = incoming.whole().await?;
            // refused before anything was generated, so asking again costs nothing
            if reply.status == 400 && cap_field == self.config.quirks.cap_field {
                let said = Said::read(&reply.body);
                let other = "max_completion_tokens";
                if said.has_word(other) || said.mentions(other) {
                    self.other_cap.store(true, Ordering::Relaxed);
                    continue;
                }
            }
            let turn = decode(&self.config, self.identity(), &reply)?;
            if !turn.text.is_empty() {
                sink.text(&turn.text);
            }
            return Ok(turn);
        }
    }
}

#[async_trait]
impl Backend for OpenAi {
    fn identity(&self) -> BackendIdentity {
        let model = Some(self.config.model.clone());
        match self.config.base_url.locality() {
            Locality::Local => BackendIdentity::local("openai", model),
            Locality::Remote => {
                let receiver = self.config.base_url.to_string();
                BackendIdentity::remote("openai", model, receiver)
            }
        }
    }

    /// The smaller of the configured window and the one that the server named when it was asked whether
    /// it is [ready](Self::ready).
    fn window(&self) -> Option<Window> {
        let told = Some(self.told_window.load(Ordering::Relaxed)).filter(|told| *told > 0);
        let known = self.config.window.into_iter().chain(told).min();
        known.map(|tokens| room::window(tokens, self.config.max_tokens))
    }

    /// On this device a `llama-server` is asked how large its window is, and whether the model's
    /// template has tools: one without leaves them out silently and answers in prose.
    async fn ready(&self) -> Result<(), BackendError> {
        let headers = self.headers()?;
        if !(self.config.quirks.has_props && self.config.base_url.is_local()) {
            return Ok(());
        }
        let reply = self.http.get("../props", headers, self.config.probe_timeout).await?;
        if reply.status == 503 || reply.status == 401 || reply.status == 403 {
            return Err(failure(&reply));
        }
        // another server does not know the question
        let said = serde_json::from_slice::<Props>(&reply.body).ok();
        let props = said.filter(|_| reply.is_success()).unwrap_or_default();
        self.told_window.store(props.window().unwrap_or_default(), Ordering::Relaxed);
        match props.chat_template_caps.and_then(|caps| caps.supports_tools) {
            Some(false) => {
                let model = quoted(self.config.model.as_bytes());
                let reason = format!("the chat template of `{model}` has no tools");
                Err(BackendError::new(FailureClass::Unsupported, reason))
            }
            Some(true) | None => Ok(()),
        }
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
