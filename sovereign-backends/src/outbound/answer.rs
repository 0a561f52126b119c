//! Judges the head of an answer, then reads as much of the body as was allowed.

use super::{invalid_response, network};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, TRANSFER_ENCODING};
use sovereign_core::capability::{Failure, Response};

/// All names and values of an answer together, in bytes.
const MAX_HEADER_BYTES: usize = 32 << 10;

pub(super) async fn read(
    mut incoming: reqwest::Response,
    accept: &[&str],
    max_body: usize,
) -> Result<Response, Failure> {
    let mut response = head(&incoming)?;
    let declared = incoming.content_length();
    if declared == Some(0) || matches!(response.status, 204 | 205 | 304) || response.is_redirect() {
        return Ok(response);
    }
    judge(incoming.headers(), accept)?;
    let most = u64::try_from(max_body).unwrap_or(u64::MAX).saturating_mul(4);
    if declared.is_some_and(|length| length > most) {
        return Err(Failure::new("body_too_large").says("the answer is far too large"));
    }
    while let Some(chunk) = incoming.chunk().await.map_err(network)? {
        let room = max_body.saturating_sub(response.body.len());
        response.body.extend(chunk.iter().take(room));
        if chunk.len() > room {
            response.truncated = true;
            break;
        }
    }
    Ok(response)
}

fn head(incoming: &reqwest::Response) -> Result<Response, Failure> {
    let mut response = Response::new(incoming.status().as_u16(), []);
    let mut bytes = 0_usize;
    for (name, value) in incoming.headers() {
        bytes = bytes.saturating_add(name.as_str().len()).saturating_add(value.len());
        if bytes > MAX_HEADER_BYTES {
            return Err(invalid_response().detail("headers too large"));
        }
        response = response.with_header(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
    }
    Ok(response)
}

fn judge(headers: &HeaderMap, accept: &[&str]) -> Result<(), Failure> {
    let plain = |name: HeaderName, allowed: &str| {
        headers
            .get_all(name)
            .iter()
            .all(|value| value.as_bytes().eq_ignore_ascii_case(allowed.as_bytes()))
    };
    if !plain(CONTENT_ENCODING, "identity") || !plain(TRANSFER_ENCODING, "chunked") {
        return Err(Failure::new("encoded_body").says("the server insists on a compressed answer"));
    }
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let first = types.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = first.split(';').next().unwrap_or_default().trim();
    let one = types.next().is_none();
    if accept.is_empty() || (one && accept.iter().any(|a| essence.eq_ignore_ascii_case(a))) {
        return Ok(());
    }
    Err(Failure::new("media_type_not_allowed").says("the answer is of a kind that cannot be read"))
}
