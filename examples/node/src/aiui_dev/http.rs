use super::caps::Budget;
use super::chat::{Chat, answer};
use crate::serve::perimeter::{harden, json, only, same_origin, surface};
use crate::serve::{RpcError, Secret};
use crate::web::{Surface, asset, standalone_page};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse as _};
use axum::routing::{get, post};
use sovereign_core::backend::Backend;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The largest message with all that was said before, in bytes.
const MAX_BODY: usize = 256 << 10;
const LAUNCH: HeaderName = HeaderName::from_static("x-launch-token");

/// What all requests share.
pub(super) struct Shared {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) budget: Arc<Budget>,
    pub(super) launch: Secret,
    pub(super) port: u16,
    /// One answer at a time: it is for one person at one page.
    pub(super) turns: Arc<Semaphore>,
}

pub(super) fn router(shared: &Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(async || Html(standalone_page())))
        .route("/assets/{name}", get(file))
        .route("/chat", post(chat))
        .fallback(async || refused(StatusCode::NOT_FOUND, "there is nothing here"))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(Arc::clone(shared), guarded))
        .with_state(Arc::clone(shared))
}

/// Only the one exact name is answered, and every answer has the headers of a page that is alone.
async fn guarded(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let mut response = match surface(&request, shared.port) {
        Ok(Surface::Node) => next.run(request).await,
        _ => refused(StatusCode::MISDIRECTED_REQUEST, "nothing is served under this name"),
    };
    harden(&mut response, Surface::Standalone, shared.port);
    response
}

async fn file(Path(name): Path<String>) -> Response<Body> {
    let Some(found) = asset(Surface::Standalone, &name) else {
        return refused(StatusCode::NOT_FOUND, "there is nothing here");
    };
    let kind = [(CONTENT_TYPE, HeaderValue::from_static(found.content_type))];
    (kind, Bytes::from_static(found.bytes)).into_response()
}

/// Who asks, then what is left, then what is asked.
async fn chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let foreign = |error: RpcError| refused(error.status, &error.message);
    if let Err(error) = same_origin(&headers, shared.port).and_then(|()| json(&headers)) {
        return foreign(error);
    }
    let presented = only(&headers, &LAUNCH).ok().flatten().unwrap_or_default();
    if !shared.launch.is(presented) {
        let text = "this page does not have the token of this launch: open the printed link";
        return refused(StatusCode::FORBIDDEN, text);
    }
    let chat: Option<Chat> = serde_json::from_slice(&body).ok();
    let Some(messages) = chat.and_then(Chat::into_messages) else {
        return refused(
            StatusCode::BAD_REQUEST,
            "this is no list of messages that ends with one's own",
        );
    };
    let Ok(place) = Arc::clone(&shared.turns).try_acquire_owned() else {
        return refused(
            StatusCode::TOO_MANY_REQUESTS,
            "the message before is still being answered",
        );
    };
    if let Err(spent) = shared.budget.begin().and_then(|()| shared.budget.pass(body.len())) {
        return refused(StatusCode::TOO_MANY_REQUESTS, &spent.to_string());
    }
    let (backend, budget) = (Arc::clone(&shared.backend), Arc::clone(&shared.budget));
    let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"))];
    (kind, Body::from_stream(answer(backend, budget, messages, place))).into_response()
}

fn refused(status: StatusCode, why: &str) -> Response<Body> {
    (status, format!("{why}\n")).into_response()
}
