//! What a request has to look like before anything looks at what it asks.

use super::rpc::{RpcError, answer};
use crate::web::{Surface, csp};
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Response};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");
const ORIGIN_AGENT_CLUSTER: HeaderName = HeaderName::from_static("origin-agent-cluster");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// The name of the node page; its origin holds session and decisions.
pub(crate) fn node_host(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// The name of the chat frame: another site to a browser, without cookies.
pub(crate) fn frame_host(port: u16) -> String {
    format!("localhost:{port}")
}

/// Which surface is asked for, by the one exact `Host`: a name that was rebound to this machine gets
/// nothing.
pub(crate) fn surface<T>(request: &Request<T>, port: u16) -> Result<Surface, RpcError> {
    let host = only(request.headers(), &HOST).map_err(|()| RpcError::MISDIRECTED)?;
    let host = host.ok_or(RpcError::MISDIRECTED)?;
    // an absolute address in the request line must not say something else
    if request.uri().authority().is_some_and(|authority| authority.as_str() != host) {
        return Err(RpcError::MISDIRECTED);
    }
    if host == node_host(port) {
        Ok(Surface::Node)
    } else if host == frame_host(port) {
        Ok(Surface::Frame)
    } else {
        Err(RpcError::MISDIRECTED)
    }
}

/// That a script's request comes from the node page itself, or from no browser.
pub(crate) fn same_origin(headers: &HeaderMap, port: u16) -> Result<(), RpcError> {
    let own = format!("http://{}", node_host(port));
    let is = |name: &HeaderName, wanted: &str| {
        only(headers, name).is_ok_and(|value| value.is_none_or(|value| value == wanted))
    };
    if is(&ORIGIN, &own) && is(&FETCH_SITE, "same-origin") {
        Ok(())
    } else {
        Err(RpcError::FOREIGN)
    }
}

/// That a page is loaded as a page, by its own window: what is in it is for nothing else.
pub(crate) fn navigation(headers: &HeaderMap) -> Result<(), RpcError> {
    let dest = only(headers, &FETCH_DEST).map_err(|()| RpcError::FOREIGN)?;
    if dest.is_none_or(|dest| dest == "document") { Ok(()) } else { Err(RpcError::FOREIGN) }
}

/// `application/json`, or the same with `charset=utf-8`.
pub(crate) fn json(headers: &HeaderMap) -> Result<(), RpcError> {
    let given = only(headers, &CONTENT_TYPE).ok().flatten().ok_or(RpcError::WRONG_TYPE)?;
    let (kind, parameter) = given.split_once(';').map_or((given, None), |(k, p)| (k, Some(p)));
    let plain = kind.trim().eq_ignore_ascii_case("application/json");
    let utf8 = parameter.is_none_or(|p| p.trim().eq_ignore_ascii_case("charset=utf-8"));
    if plain && utf8 { Ok(()) } else { Err(RpcError::WRONG_TYPE) }
}

/// The one value of a header; an error when there are several, or it is no text.
pub(crate) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(());
    }
    first.map(|value| value.to_str().map_err(|_| ())).transpose()
}

/// The headers that every answer has.
pub(crate) fn harden(response: &mut Response<Body>, surface: Surface, port: u16) {
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "no-referrer");
    set(CACHE_CONTROL, "no-store");
    set(CROSS_ORIGIN_RESOURCE_POLICY, "same-origin");
    set(CROSS_ORIGIN_OPENER_POLICY, "same-origin");
    set(PERMISSIONS_POLICY, "camera=(), geolocation=(), microphone=()");
    // the other ports of this host are the same site: where a browser can, they get another process
    set(ORIGIN_AGENT_CLUSTER, "?1");
    if surface == Surface::Node {
        set(X_FRAME_OPTIONS, "DENY");
    }
    if let Ok(policy) = HeaderValue::from_str(&csp(surface, port)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
}

/// A refusal with nothing of the request in it.
pub(crate) fn refusal(error: &RpcError) -> Response<Body> {
    let mut response = Response::new(Body::from(answer(None, Err(error))));
    *response.status_mut() = error.status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
