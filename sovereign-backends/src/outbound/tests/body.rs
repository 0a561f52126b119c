//! What is taken of an answer.

use super::*;
use std::time::Duration;

const HTML: &[&str] = &["text/html", "text/plain"];

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\n{head}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn status_and_headers_come_back_whatever_they_are() {
    for status in [200, 300, 304, 404, 500] {
        let said = format!("HTTP/1.1 {status} Word\r\nX-Note: a\r\ncontent-length: 0\r\n\r\n");
        let response = get(said.as_bytes()).await.unwrap();
        assert_eq!((response.status, response.header("x-note")), (status, Some("a")));
        assert!(!response.is_redirect());
    }
}

#[tokio::test]
async fn a_body_is_cut_at_the_limit_and_says_so() {
    for (length, kept, truncated) in
        [(9, 9, false), (10, 10, false), (11, 10, true), (40, 10, true)]
    {
        let limit = |mut request: Request| {
            request.max_body = 10;
            request
        };
        let response = get_with(&answer("", &vec![b'x'; length]), limit).await.unwrap();
        assert_eq!((response.body.len(), response.truncated), (kept, truncated), "{length}");
    }
}

#[tokio::test]
async fn a_body_announced_as_far_too_large_is_refused_unread() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 41\r\n\r\n";
    // The server never sends it, so whoever waits for the body does not come back.
    let server = Server::lingering(head).await;
    let mut request = Request::get(server.url("/"));
    request.max_body = 10;
    assert_eq!(code(to(&server).send(request).await), "body_too_large");
}

#[tokio::test]
async fn a_body_without_a_length_is_read_up_to_the_limit() {
    let mut endless = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..64 {
        endless.extend_from_slice(b"10\r\n0123456789abcdef\r\n");
    }
    let server = Server::lingering(&endless).await;
    let mut request = Request::get(server.url("/"));
    request.max_body = 100;
    let response = to(&server).send(request).await.unwrap();
    assert_eq!((response.body.len(), response.truncated), (100, true));
}

#[tokio::test]
async fn an_encoded_body_is_refused() {
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
    for head in [
        "content-encoding: gzip\r\n",
        "content-encoding: br\r\n",
        "content-encoding: identity, gzip\r\n",
        "content-encoding: identity\r\ncontent-encoding: gzip\r\n",
    ] {
        assert_eq!(code(get(&answer(head, gzip)).await), "encoded_body", "{head}");
    }
    let nested = b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
    assert_eq!(code(get(nested).await), "encoded_body");
    let plain = get(&answer("content-encoding: identity\r\n", b"a")).await.unwrap();
    assert_eq!(plain.body, b"a");
}

#[tokio::test]
async fn the_media_type_is_judged_before_the_body_is_read() {
    for (head, allowed) in [
        ("content-type: text/html\r\n", true),
        ("content-type: TEXT/Plain ; charset=utf-8\r\n", true),
        ("content-type: image/png\r\n", false),
        ("content-type: text/html2\r\n", false),
        ("content-type: text/html\r\ncontent-type: image/png\r\n", false),
        ("", false),
    ] {
        // Without the body, so that only what does not wait for it gets an answer.
        let said = format!("HTTP/1.1 200 OK\r\n{head}content-length: 9\r\n\r\n");
        let server = Server::answering(said.as_bytes()).await;
        let mut request = Request::get(server.url("/"));
        request.accept = HTML;
        let expected = if allowed { "invalid_response" } else { "media_type_not_allowed" };
        assert_eq!(code(to(&server).send(request).await), expected, "{head}");
    }
}

#[tokio::test]
async fn an_answer_without_a_body_has_no_type_to_judge() {
    for said in [
        "HTTP/1.1 301 Moved\r\nlocation: /x\r\ncontent-length: 1\r\n\r\na",
        "HTTP/1.1 304 Same\r\n\r\n",
        "HTTP/1.1 204 None\r\n\r\n",
        "HTTP/1.1 404 Gone\r\ncontent-length: 0\r\n\r\n",
    ] {
        let typed = |mut request: Request| {
            request.accept = HTML;
            request
        };
        assert!(get_with(said.as_bytes(), typed).await.unwrap().body.is_empty(), "{said}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_or_no_http_is_invalid() {
    for said in [
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\ncontent-le",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    ] {
        assert_eq!(code(get(said.as_bytes()).await), "invalid_response", "{said}");
    }
}

#[tokio::test]
async fn headers_have_a_limit_in_number_and_in_size() {
    let many = "x: y\r\n".repeat(101);
    assert_eq!(code(get(&answer(&many, b"a")).await), "invalid_response");
    let large = format!("x: {}\r\n", "y".repeat(33 << 10));
    assert_eq!(code(get(&answer(&large, b"a")).await), "invalid_response");
    let fits = format!("x: {}\r\n", "y".repeat(16 << 10));
    assert_eq!(get(&answer(&fits, b"a")).await.unwrap().body, b"a");
}

#[tokio::test]
async fn a_slow_answer_ends_at_the_deadline() {
    for said in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"] {
        let server = Server::lingering(said.as_bytes()).await;
        let mut request = Request::get(server.url("/"));
        request.timeout = Duration::from_millis(50);
        assert_eq!(code(to(&server).send(request).await), "timeout", "{said}");
    }
}
