//! The HTTP client behind core's [`Outbound`] trait.
//!
//! One connection per request, to an address that was checked against the plugin's [`Reach`] and
//! then pinned: a name that answers differently a moment later is never asked again. No proxy, no
//! redirect, no compression, no retry, no cookie, no session ticket, no connection kept. Certificates are checked by
//! name against the roots of the Mozilla program, which come with the program, so that it works
//! where the system has none and a certificate authority added to the system cannot read along.

mod answer;
mod resolver;
mod target;
#[cfg(test)]
mod tests;

pub use resolver::{Resolver, SystemResolver};

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use sovereign_core::BoxFuture;
use sovereign_core::capability::{Failure, Method, Outbound, Reach, Request, Response};
use std::fmt;
use std::sync::Arc;
use target::Target;

/// How many header lines an answer may have.
const MAX_HEADERS: usize = 100;

/// Sends requests where its [`Reach`] admits and nowhere else.
///
/// # Example
/// ```
/// use sovereign_backends::outbound::HttpOutbound;
/// use sovereign_core::capability::{Outbound, Reach, Request};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let web = HttpOutbound::new(Reach::public())?;
/// let refused = web.send(Request::get("http://169.254.169.254/latest/meta-data")).await;
/// assert_eq!(refused.unwrap_err().code(), "address_not_public");
/// # Ok::<(), sovereign_backends::outbound::OutboundError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct HttpOutbound {
    reach: Reach,
    resolver: Arc<dyn Resolver>,
    tls: ClientConfig,
}

impl fmt::Debug for HttpOutbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOutbound").field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// The protocol versions and the cryptography that were built in do not fit each other.
    #[error("tls cannot be set up")]
    Tls(#[from] rustls::Error),
}

impl HttpOutbound {
    /// With the system's name resolution.
    ///
    /// # Errors
    /// [`OutboundError::Tls`].
    pub fn new(reach: Reach) -> Result<Self, OutboundError> {
        Self::with_resolver(reach, Arc::new(SystemResolver))
    }

    /// With a name resolution of your own. Its answers are checked like any other's.
    ///
    /// # Errors
    /// [`OutboundError::Tls`].
    pub fn with_resolver(reach: Reach, resolver: Arc<dyn Resolver>) -> Result<Self, OutboundError> {
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        Self::with_roots(reach, resolver, roots)
    }

    fn with_roots(
        reach: Reach,
        resolver: Arc<dyn Resolver>,
        roots: RootCertStore,
    ) -> Result<Self, OutboundError> {
        let mut tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        // A ticket would tell a server that the same asker is back.
        tls.resumption = Resumption::disabled();
        Ok(Self { reach, resolver, tls })
    }

    async fn exchange(&self, request: Request) -> Result<Response, Failure> {
        let headers = headers(&request.headers)?;
        let Target { url, pinned } =
            Target::find(&request.url, &self.reach, self.resolver.as_ref()).await?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(Arc::new(pinned))
            .no_proxy()
            // a feature that another crate turns on must not unpack bodies unseen
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .http1_max_headers(MAX_HEADERS)
            .build()
            .map_err(network)?;
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
            other => return Err(invalid_request().detail(format!("no method for {other:?}"))),
        };
        let mut outgoing = client.request(method, url).headers(headers);
        if !request.body.is_empty() {
            outgoing = outgoing.body(request.body);
        }
        let incoming = outgoing.send().await.map_err(network)?;
        answer::read(incoming, request.accept, request.max_body).await
    }
}

impl Outbound for HttpOutbound {
    fn reach(&self) -> Reach {
        self.reach.clone()
    }

    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, Failure>> {
        Box::pin(async move {
            let within = request.timeout;
            match tokio::time::timeout(within, self.exchange(request)).await {
                Ok(answered) => answered,
                Err(_) => Err(Failure::new("timeout").says("the server took too long")),
            }
        })
    }
}

/// What the transport decides by itself is not for the asker to set.
fn headers(given: &[(String, String)]) -> Result<HeaderMap, Failure> {
    const OWN: [&str; 8] = [
        "accept-encoding",
        "connection",
        "content-length",
        "host",
        "proxy-authorization",
        "te",
        "transfer-encoding",
        "upgrade",
    ];
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|e| invalid_request().detail(e))?;
        let value = HeaderValue::from_str(value).map_err(|e| invalid_request().detail(e))?;
        if OWN.contains(&name.as_str()) {
            return Err(invalid_request().detail(format!("`{name}` is set by the transport")));
        }
        headers.append(name, value);
    }
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(headers)
}

const fn invalid_request() -> Failure {
    Failure::new("invalid_request").says("the request cannot be sent like this").before_effect()
}

/// A connection that never stood has changed nothing; of any other the answer is at fault.
fn network(error: reqwest::Error) -> Failure {
    let error = error.without_url();
    if error.is_builder() {
        invalid_request().detail(error)
    } else if error.is_connect() {
        let failure = Failure::new("unreachable").says("the server could not be reached");
        failure.before_effect().detail(error)
    } else {
        invalid_response().detail(error)
    }
}

const fn invalid_response() -> Failure {
    Failure::new("invalid_response").says("the server did not give a complete HTTP answer")
}
