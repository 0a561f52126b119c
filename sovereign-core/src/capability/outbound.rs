//! The way off this process. Core has the shape; the daemon gives one reach per plugin.

use super::{Confined, Failure, Reach};
use crate::BoxFuture;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What to ask for. Plain data: the transport adds nothing but what HTTP needs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: Method,
    /// The full address, `http` or `https`.
    pub url: String,
    /// Name and value pairs, in order.
    pub headers: Vec<(String, String)>,
    /// What to send.
    pub body: Vec<u8>,
    /// Media types that may come back (`text/html`), lower case, decided before the body is read;
    /// empty: any. An answer without a body has no type to judge.
    pub accept: &'static [&'static str],
    /// How many bytes of the body are read; what is beyond is cut and `truncated` says so. A body
    /// that is announced as more than four times this is refused.
    pub max_body: usize,
    /// From here to the last byte read, resolving the name included.
    pub timeout: Duration,
}

impl Request {
    /// A `GET` with a body limit of 64 KiB and 10 seconds.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            accept: &[],
            max_body: 64 << 10,
            timeout: Duration::from_secs(10),
        }
    }
}

/// The HTTP methods a capability may use (RFC 9110, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `DELETE`
    Delete,
}

/// What came back. A redirect is never followed, and its body never read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case. Values as received: the other side's text.
    pub headers: Vec<(String, String)>,
    /// As much of the body as the request allowed.
    pub body: Vec<u8>,
    /// Whether the body went on beyond the limit.
    pub truncated: bool,
}

impl Response {
    /// With this status and body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    /// The response with one more header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// The first value of the header with this lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Whether this sends the asker elsewhere (RFC 9110, section 15.4): 301, 302, 303, 307 or 308
    /// with a `location`. Neither 300 nor 304 does.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308) && self.header("location").is_some()
    }
}

/// A transport with its address rule. `sovereign-backends` has the real one; tests give a table.
///
/// An implementation connects only where its [`Reach`] admits, checks the address it really connects
/// to, follows no redirect and uses no proxy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no way off the device",
    label = "not an `Outbound`",
    note = "pass the HTTP client of `sovereign-backends`, or `testing::Replies` in tests"
)]
pub trait Outbound: Send + Sync + 'static {
    /// Where it may go.
    fn reach(&self) -> Reach;

    /// Sends one request.
    ///
    /// Codes of its failures: refused before anything is sent, `invalid_url`, `invalid_request`,
    /// `port_not_allowed`, `address_not_public`, `address_not_allowed`; of the network,
    /// `unresolvable`, `unreachable`, `timeout`; of the answer, `invalid_response`,
    /// `media_type_not_allowed`, `encoded_body`, `body_too_large`. Their message is a constant; what
    /// the other side said is at most detail for the local log.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, Failure>>;
}

/// The handle that a call gets to its plugin's way out.
#[derive(Clone, Copy)]
pub struct Http<'a> {
    pub(super) outbound: Option<&'a Arc<dyn Outbound>>,
    /// Where a socket cannot be opened, the request is sent from outside.
    pub(super) confined: Option<&'a Confined>,
}

impl fmt::Debug for Http<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Http").field(&self.outbound.map(|o| o.reach())).finish()
    }
}

impl Http<'_> {
    /// Sends one request through the plugin's reach.
    ///
    /// # Errors
    /// When the transport refuses or fails; see [`Outbound::send`] for the codes.
    pub async fn send(&self, request: Request) -> Result<Response, Failure> {
        match (self.outbound, self.confined) {
            (Some(outbound), None) => outbound.send(request).await,
            (Some(outbound), Some(confined)) => confined.send(outbound, request).await,
            (None, _) => Err(Failure::new("no_way_out")),
        }
    }

    /// `GET` with the defaults of [`Request::get`].
    ///
    /// # Errors
    /// When the transport refuses or fails.
    pub async fn get(&self, url: &str) -> Result<Response, Failure> {
        self.send(Request::get(url)).await
    }
}
