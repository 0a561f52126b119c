//! The HTTP client that adapters share: one exchange, bounded in time and size.
//!
//! No proxy, no redirect, no decompression, no connection kept: what is asked for is what is sent, to
//! the address that was configured and nowhere else. A key goes to that address only, and off this
//! device only encrypted.
mod incoming;
#[cfg(feature = "testing")]
pub(crate) mod script;

pub(crate) use incoming::{Assembly, Incoming, Reply, unfinished};

use crate::base_url::BaseUrl;
use crate::quote::quoted;
use crate::secret::SecretKey;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use rustls::{ClientConfig, RootCertStore};
use sovereign_core::backend::{BackendError, FailureClass, Locality};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a connection may take to come about: a server on this device answers at once or is not
/// there, one elsewhere needs a name, a route and a handshake.
const CONNECT_LOCAL: Duration = Duration::from_secs(2);
const CONNECT_REMOTE: Duration = Duration::from_secs(10);
/// The longest reply that is read.
pub(crate) const MAX_REPLY_BYTES: usize = 4 << 20;
/// The longest stream that is read: a token of a few bytes comes in a frame of a few hundred.
pub(crate) const MAX_STREAM_BYTES: usize = 16 << 20;
/// The longest body that is read of an answer that reports an error.
pub(crate) const MAX_ERROR_BYTES: usize = 64 << 10;

/// A client for one model server.
#[derive(Debug, Clone)]
pub(crate) struct ModelHttp {
    base: BaseUrl,
    via: Via,
}

#[derive(Debug, Clone)]
enum Via {
    Network(Client),
    #[cfg(feature = "testing")]
    Script(Arc<script::Script>),
}

/// Headers of one request. A key's value is marked as sensitive, which keeps it out of every log.
#[derive(Debug, Default)]
pub(crate) struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Headers {
    /// One that is always the same.
    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.0.push((HeaderName::from_static(name), HeaderValue::from_static(value)));
        self
    }

    /// `Authorization: Bearer …`
    pub(crate) fn bearer(mut self, key: &SecretKey) -> Self {
        self.0.extend(key.header("Bearer ").map(|value| (AUTHORIZATION, value)));
        self
    }

    /// The key alone under a name of its own.
    pub(crate) fn key(mut self, name: &'static str, key: &SecretKey) -> Self {
        self.0.extend(key.header("").map(|value| (HeaderName::from_static(name), value)));
        self
    }
}

impl ModelHttp {
    /// A client for that server. For one on this device it trusts no certificate authority; elsewhere
    /// the roots of the Mozilla program.
    pub(crate) fn new(base: BaseUrl) -> Result<Self, BackendError> {
        let (roots, connect_timeout) = match base.locality() {
            Locality::Local => (RootCertStore::empty(), CONNECT_LOCAL),
            Locality::Remote => {
                (webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect(), CONNECT_REMOTE)
            }
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| unusable(e.into()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        tls.resumption = rustls::client::Resumption::disabled();
        let loopback = [
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
        ];
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            .connect_timeout(connect_timeout)
            .resolve_to_addrs("localhost", &loopback)
            .build()
            .map_err(|e| unusable(e.into()))?;
        Ok(Self { base, via: Via::Network(client) })
    }

    /// One that reads its answers from a script.
    #[cfg(feature = "testing")]
    pub(crate) const fn scripted(base: BaseUrl, script: Arc<script::Script>) -> Self {
        Self { base, via: Via::Script(script) }
    }

    /// `GET` of an endpoint (`api/tags`), from the first packet to the last byte within `within`.
    pub(crate) async fn get(
        &self,
        endpoint: &str,
        headers: Headers,
        within: Duration,
    ) -> Result<Reply, BackendError> {
        let whole = async {
            let incoming = self.open(Method::GET, endpoint, headers, None).await?;
            incoming.not_redirected()?.whole().await
        };
        bounded(within, whole).await
    }

    /// `POST` of a JSON text to an endpoint, within the same.
    pub(crate) async fn post_json(
        &self,
        endpoint: &str,
        body: Vec<u8>,
        within: Duration,
    ) -> Result<Reply, BackendError> {
        let whole = async { self.post(endpoint, Headers::default(), body).await?.whole().await };
        bounded(within, whole).await
    }

    /// The same up to the head of the answer. The caller bounds the time.
    pub(crate) async fn post(
        &self,
        endpoint: &str,
        headers: Headers,
        body: Vec<u8>,
    ) -> Result<Incoming, BackendError> {
        self.open(Method::POST, endpoint, headers, Some(body)).await?.not_redirected()
    }

    /// The same with any status, also one that redirects: for who has to read the headers of each.
    pub(crate) async fn post_for_any(
        &self,
        endpoint: &str,
        headers: Headers,
        body: Option<Vec<u8>>,
    ) -> Result<Incoming, BackendError> {
        self.open(Method::POST, endpoint, headers, body).await
    }

    async fn open(
        &self,
        method: Method,
        endpoint: &str,
        headers: Headers,
        body: Option<Vec<u8>>,
    ) -> Result<Incoming, BackendError> {
        #[cfg_attr(
            not(feature = "testing"),
            expect(
                clippy::infallible_destructuring_match,
                reason = "a script stands beside the network with `testing`"
            )
        )]
        let client = match &self.via {
            Via::Network(client) => client,
            #[cfg(feature = "testing")]
            Via::Script(script) => return script.open(endpoint, body),
        };
        let url = self.base.join(endpoint);
        if !self.base.keeps_secrets() && headers.0.iter().any(|(_, value)| value.is_sensitive()) {
            let reason = format!("the key is not sent to `{}` without encryption", self.base);
            return Err(BackendError::new(FailureClass::Unsupported, reason));
        }
        let mut request =
            client.request(method, url).header(ACCEPT, HeaderValue::from_static("*/*"));
        for (name, value) in headers.0 {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            let json = HeaderValue::from_static("application/json");
            request = request.header(CONTENT_TYPE, json).body(body);
        }
        let response = request.send().await.map_err(|error| broken(&self.base, error))?;
        Ok(Incoming::network(response, self.base.clone()))
    }
}

/// When the time is over the connection is closed, which tells the server to stop.
pub(crate) async fn bounded<T>(
    within: Duration,
    exchange: impl Future<Output = Result<T, BackendError>>,
) -> Result<T, BackendError> {
    timeout(within, Box::pin(exchange)).await.unwrap_or_else(|_| {
        let reason = format!("no complete reply within {} ms", within.as_millis());
        Err(BackendError::new(FailureClass::Timeout, reason))
    })
}

fn unusable(cause: Box<dyn std::error::Error + Send + Sync>) -> BackendError {
    BackendError::new(FailureClass::Unsupported, "the HTTP client cannot be set up")
        .caused_by(cause)
}

/// A transport error by its kind; the details stay in the local log.
fn broken(base: &BaseUrl, error: reqwest::Error) -> BackendError {
    let (class, reason) = if error.is_connect() {
        (FailureClass::Unreachable, format!("nothing answers at `{base}`"))
    } else if error.is_builder() {
        (FailureClass::Unreachable, format!("`{base}` cannot be asked"))
    } else if error.is_body() || error.is_decode() {
        let reason = "the connection broke before the reply was complete";
        (FailureClass::Interrupted, reason.to_owned())
    } else {
        (FailureClass::Interrupted, "the connection broke before a reply came".to_owned())
    };
    let cause = error.without_url();
    tracing::debug!(server = %base, ?cause, "exchange failed");
    BackendError::new(class, reason).caused_by(cause)
}

/// `status` with what the body says, one bounded printable line.
pub(crate) fn status_line(status: u16, said: &[u8]) -> String {
    match quoted(said) {
        nothing if nothing.is_empty() => format!("it answered {status}"),
        said => format!("it answered {status}: {said}"),
    }
}
