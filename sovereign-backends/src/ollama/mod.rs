//! Ollama's native API: a model on this device, behind `/api/chat`.
//!
//! Whole replies where something can be proposed, unless configured otherwise (C-13). What the model asks for is passed on byte for byte; nothing is repaired,
//! and text that looks like a call stays text. A model that Ollama runs elsewhere (`:cloud`,
//! `remote_host`) and a server that is not on loopback make this a remote leg, which is not asked.
//!
//! **Source** <https://docs.ollama.com/api>.
mod config;
pub(crate) mod convert;
mod stream;
mod window;
mod wire;

pub use config::{
    OLLAMA_BASE_URL, OLLAMA_CHAT_URL, OLLAMA_NUM_CTX, OLLAMA_NUM_PREDICT, OllamaConfig,
};

use crate::http::{Headers, ModelHttp, Reply, bounded};
use crate::quote::quoted;
use async_trait::async_trait;
use convert::{NoTurn, decode, elsewhere, encode, explain, is_same_model, locality_of};
use serde::de::DeserializeOwned;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Locality,
    Request, Window,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use stream::{MEDIA_TYPE, Stream};
use tokio::time::Instant;
use wire::{Running, ShowReply, ShowRequest, Tags};

/// The one endpoint that a conversation uses, below the base URL.
pub(crate) const ENDPOINT: &str = "api/chat";

/// One model of one Ollama server.
#[derive(Debug)]
pub struct Ollama {
    config: OllamaConfig,
    http: ModelHttp,
    /// What `/api/show` said of the model with this digest; server and name are this object's own.
    known: Mutex<Option<(String, ToolSupport)>>,
    /// A body said that the model runs elsewhere; holds until restart.
    went_elsewhere: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolSupport {
    Yes,
    No,
    /// An old server does not say; `/api/chat` refuses what it cannot do.
    Unknown,
}

impl Ollama {
    /// That model, without asking the server yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(config: OllamaConfig) -> Result<Self, BackendError> {
        let http = ModelHttp::new(config.base_url.clone())?;
        Ok(Self::through(config, http))
    }

    pub(crate) fn through(config: OllamaConfig, http: ModelHttp) -> Self {
        Self { config, http, known: Mutex::default(), went_elsewhere: AtomicBool::default() }
    }

    fn locality(&self) -> Locality {
        if self.went_elsewhere.load(Ordering::Relaxed) {
            Locality::Remote
        } else {
            locality_of(&self.config)
        }
    }

    /// Refuses a remote leg, before anything is sent (E11).
    fn stays_here(&self) -> Result<(), BackendError> {
        match self.locality() {
            Locality::Local => Ok(()),
            Locality::Remote => {
                let model = quoted(self.config.model.as_bytes());
                let at = &self.config.base_url;
                let reason = format!("`{model}` at `{at}` is not on this device, and is not asked");
                Err(BackendError::new(FailureClass::Unsupported, reason))
            }
        }
    }

    fn found_elsewhere(&self, host: Option<&str>, model: Option<&str>) -> Result<(), BackendError> {
        let Some(place) = elsewhere(host, model) else { return Ok(()) };
        self.went_elsewhere.store(true, Ordering::Relaxed);
        let model = quoted(self.config.model.as_bytes());
        let reason = format!("`{model}` runs at `{place}`, not on this device, and is not asked");
        Err(BackendError::new(FailureClass::Unsupported, reason))
    }

    /// The digest of the model, when it is there.
    async fn installed(&self) -> Result<String, BackendError> {
        let reply =
            self.http.get("api/tags", Headers::default(), self.config.probe_timeout).await?;
        let tags: Tags = self.read("api/tags", &reply)?;
        let models = tags.models.unwrap_or_default();
        let found = models.into_iter().find(|m| is_same_model(&m.name, &self.config.model));
        let Some(found) = found else {
            self.forget();
            let reason =
                format!("model `{}` is not installed", quoted(self.config.model.as_bytes()));
            return Err(BackendError::new(FailureClass::Unsupported, reason));
        };
        self.found_elsewhere(found.remote_host.as_deref(), found.remote_model.as_deref())?;
        Ok(found.digest)
    }

    /// Whether the model can propose, asked once per digest (E06).
    async fn model_supports_tools(&self, digest: String) -> Result<ToolSupport, BackendError> {
        if let Some((known, support)) = &*self.known()
            && *known == digest
        {
            return Ok(*support);
        }
        let ask = ShowRequest { model: &self.config.model };
        let body = serde_json::to_vec(&ask).map_err(|cause| {
            BackendError::new(FailureClass::Protocol, "the model's name cannot be written")
                .caused_by(cause)
        })?;
        let reply = self.http.post_json("api/show", body, self.config.probe_timeout).await?;
        let show: ShowReply = self.read("api/show", &reply)?;
        self.found_elsewhere(show.remote_host.as_deref(), show.remote_model.as_deref())?;
        let support = match show.capabilities {
            None => ToolSupport::Unknown,
            Some(can) if can.iter().any(|c| c == "tools") => ToolSupport::Yes,
            Some(_) => ToolSupport::No,
        };
        if !digest.is_empty() {
            *self.known() = Some((digest, support));
        }
        Ok(support)
    }

    fn read<T: DeserializeOwned>(&self, endpoint: &str, reply: &Reply) -> Result<T, BackendError> {
        if !reply.is_success() {
            return Err(self.take_note(explain(reply)));
        }
        serde_json::from_slice(&reply.body).map_err(|cause| {
            let reason = format!("its reply does not follow the format of `/{endpoint}`");
            BackendError::new(FailureClass::Protocol, reason).caused_by(cause)
        })
    }

    /// Whether the model is in memory with our window, so that no time for loading is due. No answer
    /// counts as no.
    async fn is_loaded(&self, within: Duration) -> bool {
        let within = within.min(self.config.probe_timeout);
        let Ok(reply) = self.http.get("api/ps", Headers::default(), within).await else {
            return false;
        };
        let Ok(running) = serde_json::from_slice::<Running>(&reply.body) else { return false };
        let window = u64::from(self.config.num_ctx);
        running.models.unwrap_or_default().iter().any(|m| {
            is_same_model(&m.name, &self.config.model)
                && m.context_length.is_none_or(|length| length == window)
        })
    }

    async fn exchange(
        &self,
        body: Vec<u8>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let incoming = self.http.post(ENDPOINT, Headers::default(), body).await?;
        if incoming.is_stream(MEDIA_TYPE) {
            let mut stream = Stream::default();
            incoming.into_assembly(&mut stream, sink).await?;
            let turn = stream.finish(&self.config, self.identity(), sink);
            return turn.map_err(|no| self.take_note(no));
        }
        let reply = incoming.whole().await?;
        let turn =
            decode(&self.config, self.identity(), &reply).map_err(|no| self.take_note(no))?;
        if !turn.text.is_empty() {
            sink.text(&turn.text);
        }
        Ok(turn)
    }

    fn take_note(&self, no: NoTurn) -> BackendError {
        match no {
            NoTurn::Failed(error) => error,
            NoTurn::Stale(error) => {
                self.forget();
                error
            }
            NoTurn::Remote(error) => {
                self.went_elsewhere.store(true, Ordering::Relaxed);
                error
            }
        }
    }

    fn forget(&self) {
        *self.known() = None;
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Option<(String, ToolSupport)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Backend for Ollama {
    fn identity(&self) -> BackendIdentity {
        let model = Some(self.config.model.clone());
        match self.locality() {
            Locality::Local => BackendIdentity::local("ollama", model),
            Locality::Remote => {
                // its own server runs such a model at this address
                let receiver = match self.config.base_url.locality() {
                    Locality::Local => "https://ollama.com".to_owned(),
                    Locality::Remote => self.config.base_url.to_string(),
                };
                BackendIdentity::remote("ollama", model, receiver)
            }
        }
    }

    fn window(&self) -> Option<Window> {
        let size = |tokens: u32| usize::try_from(tokens).unwrap_or(usize::MAX);
        Some(Window { tokens: size(self.config.num_ctx), reply: size(self.config.num_predict) })
    }

    async fn ready(&self) -> Result<(), BackendError> {
        self.stays_here()?;
        let digest = self.installed().await?;
        match self.model_supports_tools(digest).await? {
            ToolSupport::Yes | ToolSupport::Unknown => Ok(()),
            ToolSupport::No => {
                let model = quoted(self.config.model.as_bytes());
                let reason = format!("model `{model}` does not support tools");
                Err(BackendError::new(FailureClass::Unsupported, reason))
            }
        }
    }

    /// Waits for the smaller of `request.timeout` and the configured `reply_timeout`, and longer by
    /// `load_timeout` when the model is not in memory.
    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        self.stays_here()?;
        let body = encode(&self.config, &request)?;
        let begun = Instant::now();
        let reply_within = request.timeout.min(self.config.reply_timeout);
        let load_within = if self.is_loaded(reply_within).await {
            Duration::ZERO
        } else {
            self.config.load_timeout
        };
        let within = reply_within.saturating_add(load_within).saturating_sub(begun.elapsed());
        let sent = body.len();
        let turn = bounded(within, self.exchange(body, sink)).await?;
        window::check(&self.config, sent, turn.usage)?;
        Ok(turn)
    }
}
