//! From a request to an answer.

use super::guests::Guest;
use super::identity::{Role, Session};
use super::perimeter::{frame_host, harden, json, navigation, only, refusal, same_origin, surface};
use super::rpc::methods::{Access, find};
use super::rpc::{Answer, Call, Envelope, RpcError, answer, login as login_method, watch};
use super::service::Service;
use super::stream::Events;
use crate::web::{Surface, app_page, asset, frame_page, login_page};
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Path, Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, COOKIE, RETRY_AFTER, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Html;
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde_json::value::RawValue;
use sovereign_core::audit::Administrative;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The largest request, in bytes.
const MAX_BODY: usize = 64 << 10;
const COOKIE_NAME: &str = "sovereign_session";
/// What a browser is known by that has logged in before; it lets nobody in.
const BROWSER_NAME: &str = "sovereign_browser";
/// How long a browser is known, in seconds; the daemon knows it for as long as it runs.
const BROWSER_LIFE: u64 = 30 * 24 * 60 * 60;
const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

type Reply = Result<Response<Body>, RpcError>;

pub(crate) fn router(service: &Arc<Service>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/login", get(login))
        .route("/frame", get(frame))
        .route("/assets/{name}", get(file))
        .route("/rpc/v1", post(rpc))
        .route("/rpc/v1/events", get(events))
        .fallback(async || refusal(&RpcError::NOT_FOUND))
        .layer(from_fn_with_state(Arc::clone(service), guarded))
        .with_state(Arc::clone(service))
}

/// Before and after everything: the right name, and the headers of every answer.
async fn guarded(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let (surface, mut response) = match surface(&request, service.port) {
        Ok(surface) => {
            request.extensions_mut().insert(surface);
            (surface, next.run(request).await)
        }
        Err(error) => (Surface::Node, refusal(&error)),
    };
    harden(&mut response, surface, service.port);
    response
}

/// The app of a session, the login without one; on the other host the frame.
async fn page(
    State(service): State<Arc<Service>>,
    Extension(surface): Extension<Surface>,
    headers: HeaderMap,
) -> Response<Body> {
    if surface == Surface::Frame {
        return html(frame_page());
    }
    if let Err(error) = navigation(&headers) {
        return refusal(&error);
    }
    match session(&service, &headers) {
        Some(session) => html(app_page(
            &format!("http://{}", frame_host(service.port)),
            &session.user,
            session.role.word(),
        )),
        None => html(login_page()),
    }
}

async fn login(Extension(surface): Extension<Surface>) -> Response<Body> {
    match surface {
        Surface::Node => html(login_page()),
        Surface::Frame | Surface::Standalone => refusal(&RpcError::NOT_FOUND),
    }
}

async fn frame(Extension(surface): Extension<Surface>) -> Response<Body> {
    match surface {
        Surface::Node | Surface::Standalone => refusal(&RpcError::NOT_FOUND),
        Surface::Frame => html(frame_page()),
    }
}

async fn file(Extension(surface): Extension<Surface>, Path(name): Path<String>) -> Response<Body> {
    let Some(found) = asset(surface, &name) else { return refusal(&RpcError::NOT_FOUND) };
    let mut response = Response::new(Body::from(Bytes::from_static(found.bytes)));
    let kind = HeaderValue::from_static(found.content_type);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn html(page: impl Into<Body>) -> Response<Body> {
    axum::response::IntoResponse::into_response(Html(page.into()))
}

/// The values of the cookies of this name; others on this machine may have set some too, as many as a
/// head has room for.
fn cookies<'a>(headers: &'a HeaderMap, wanted: &str) -> impl Iterator<Item = &'a str> {
    let pairs =
        headers.get_all(COOKIE).iter().flat_map(|header| header.as_bytes().split(is_semicolon));
    let text = pairs.filter_map(|pair| std::str::from_utf8(pair).ok()?.trim().split_once('='));
    text.filter(move |(name, _)| *name == wanted).map(|(_, value)| value)
}

const fn is_semicolon(byte: &u8) -> bool {
    *byte == b';'
}

/// The session of the cookie, when the cookies name exactly one.
fn session(service: &Service, headers: &HeaderMap) -> Option<Arc<Session>> {
    let mut found = cookies(headers, COOKIE_NAME).filter_map(|value| service.sessions.find(value));
    let first = found.next()?;
    found.all(|other| Arc::ptr_eq(&first, &other)).then_some(first)
}

/// The session, when the request has the token of its page too: a cookie alone goes with every request
/// to this machine, whatever the port. The token is in the answer to the login and nowhere else.
fn authenticated(
    service: &Service,
    headers: &HeaderMap,
    guest: &Guest,
) -> Result<Arc<Session>, RpcError> {
    let session = session(service, headers).ok_or(RpcError::NO_SESSION)?;
    let presented = only(headers, &CSRF).ok().flatten().unwrap_or_default();
    if !session.csrf.is(presented) {
        return Err(RpcError::NO_CSRF_TOKEN);
    }
    guest.is_known();
    let clock = &service.parts.clock;
    session.is_used((clock.now(), clock.wall()));
    if !session.may_go_on(clock.now()) {
        return Err(RpcError::TOO_MANY);
    }
    Ok(session)
}

/// One request of JSON-RPC.
async fn rpc(
    State(service): State<Arc<Service>>,
    Extension(surface): Extension<Surface>,
    Extension(guest): Extension<Arc<Guest>>,
    request: Request,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let mut close = false;
    let received = async {
        if surface != Surface::Node {
            return Err(RpcError::FOREIGN);
        }
        same_origin(&head.headers, service.port)?;
        json(&head.headers)?;
        read(body, service.parts.limits.body_time).await.inspect_err(|_| close = true)
    };
    let (id, reply) = match received.await {
        // in a task of its own: what was begun is carried through, whether or not its client waits
        Ok(body) => {
            let work = async move {
                let _asking = guest.asks();
                let mut id = None;
                let reply = dispatch(&service, &head.headers, &guest, &body, &mut id).await;
                (id, reply)
            };
            tokio::spawn(work).await.unwrap_or((None, Err(RpcError::INTERNAL)))
        }
        Err(error) => (None, Err(error)),
    };
    let mut response = match reply {
        Ok(Answer { result, cookie, browser }) => {
            let mut response = Response::new(Body::from(answer(id.as_deref(), Ok(&result))));
            // without an age it is gone with the browser
            let age = cookie.as_deref().is_some_and(str::is_empty).then_some(0);
            let cookies = [
                cookie.and_then(|value| set_cookie(COOKIE_NAME, &value, age)),
                browser.and_then(|value| set_cookie(BROWSER_NAME, &value, Some(BROWSER_LIFE))),
            ];
            for cookie in cookies.into_iter().flatten() {
                response.headers_mut().append(SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => {
            tracing::info!(code = error.code, status = error.status.as_u16(), "rpc refused");
            let mut response = Response::new(Body::from(answer(id.as_deref(), Err(&error))));
            *response.status_mut() = error.status;
            if let Some(seconds) = error.retry_after_seconds {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if close {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Who asks, then whether they may, then what it is.
async fn dispatch(
    service: &Arc<Service>,
    headers: &HeaderMap,
    guest: &Guest,
    body: &[u8],
    id: &mut Option<Box<RawValue>>,
) -> Result<Answer, RpcError> {
    let known = authenticated(service, headers, guest);
    let read = Envelope::read(body).and_then(Envelope::parts);
    let (method, params) = match read {
        Ok((given, method, params)) => {
            *id = Some(given);
            (method, params)
        }
        // whoever is not logged in learns nothing of what is wrong with a request
        Err(error) => return Err(known.err().unwrap_or(error)),
    };
    let found = find(&method);
    if let Some(Access::Login) = found.map(|method| method.access) {
        let browsers: Vec<_> = cookies(headers, BROWSER_NAME).collect();
        let answer = login_method(service, &params, &browsers).await?;
        // the browser has one cookie, and now it has another
        if let Some(before) = session(service, headers) {
            service.end(&before, Some(Administrative::Logout)).await;
        }
        return Ok(answer);
    }
    let session = known?;
    let Some((name, (least, run))) = found.and_then(|method| match method.access {
        Access::Session(least, run) => Some((method.name, (least, run))),
        Access::Login => None,
    }) else {
        return Err(RpcError::UNKNOWN_METHOD);
    };
    if session.role < least {
        return Err(RpcError::NOT_FOR_THIS_ROLE);
    }
    tracing::debug!(method = name, session = session.id, "rpc");
    run(Call { service: Arc::clone(service), session, params }).await
}

/// The body, bounded in size before it is read and while it is, and in time.
async fn read(body: Body, time: Duration) -> Result<Bytes, RpcError> {
    let most = u64::try_from(MAX_BODY).unwrap_or(u64::MAX);
    if body.size_hint().lower() > most {
        return Err(RpcError::TOO_LARGE);
    }
    let read = timeout(time, axum::body::to_bytes(body, MAX_BODY)).await;
    read.map_err(|_| RpcError::TOO_SLOW)?.map_err(|_| RpcError::TOO_LARGE)
}

fn set_cookie(name: &str, value: &str, age: Option<u64>) -> Option<HeaderValue> {
    let age = age.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{age}")).ok()
}

/// What happens in this session from now on, a line each.
async fn events(
    State(service): State<Arc<Service>>,
    Extension(surface): Extension<Surface>,
    Extension(guest): Extension<Arc<Guest>>,
    headers: HeaderMap,
) -> Response<Body> {
    let opened = || -> Reply {
        if surface != Surface::Node {
            return Err(RpcError::FOREIGN);
        }
        same_origin(&headers, service.port)?;
        let session = authenticated(&service, &headers, &guest)?;
        if session.role < Role::Viewer {
            return Err(RpcError::NOT_FOR_THIS_ROLE);
        }
        let lines = watch(&service, &session)?;
        let of = Arc::clone(&service);
        let events = Events::new(lines, move || of.sessions.is_open(&session));
        let mut response = Response::new(Body::from_stream(events));
        let kind = HeaderValue::from_static("application/x-ndjson");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        Ok(response)
    };
    opened().unwrap_or_else(|error| refusal(&error))
}
