//! What is sent.

use super::*;
use sovereign_core::capability::Method;

#[tokio::test]
async fn nothing_is_sent_beyond_what_was_asked_and_what_http_needs() {
    let server = Server::answering(b"HTTP/1.1 204 No\r\n\r\n").await;
    let mut request = Request::get(server.url("/p#not-sent"));
    request.headers = vec![("User-Agent".into(), "test".into()), ("accept".into(), "*/*".into())];
    to(&server).send(request).await.unwrap();
    let heard = server.heard().concat().to_lowercase();
    let mut lines: Vec<_> = heard.lines().filter(|line| !line.is_empty()).collect();
    lines[1..].sort_unstable();
    let host = format!("host: {}", server.address);
    let expected =
        ["get /p http/1.1", "accept-encoding: identity", "accept: */*", &host, "user-agent: test"];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn methods_and_bodies_arrive_as_given() {
    for (method, word) in [(Method::Post, "POST"), (Method::Put, "PUT"), (Method::Delete, "DELETE")]
    {
        let server = Server::answering(b"HTTP/1.1 204 No\r\n\r\n").await;
        let mut request = Request::get(server.url("/"));
        (request.method, request.body) = (method, b"{\"a\":1}".to_vec());
        to(&server).send(request).await.unwrap();
        let heard = server.heard().concat();
        assert!(heard.starts_with(&format!("{word} / HTTP/1.1")), "{heard}");
        assert!(heard.ends_with("\r\n\r\n{\"a\":1}"), "{heard}");
    }
}

#[tokio::test]
async fn headers_that_the_transport_decides_or_that_are_malformed_are_refused() {
    let server = Server::answering(b"HTTP/1.1 204 No\r\n\r\n").await;
    for (name, value) in [
        ("Host", "other.test"),
        ("accept-encoding", "gzip"),
        ("Content-Length", "3"),
        ("transfer-encoding", "chunked"),
        ("connection", "upgrade"),
        ("a b", "c"),
        ("x", "a\r\nhost: other.test"),
    ] {
        let mut request = Request::get(server.url("/"));
        request.headers.push((name.into(), value.into()));
        assert_eq!(code(to(&server).send(request).await), "invalid_request", "{name}");
    }
    assert_eq!(server.heard(), [""; 0]);
}

#[tokio::test]
async fn each_request_has_a_connection_of_its_own() {
    let server = Server::lingering(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na").await;
    let out = to(&server);
    for _ in 0..3 {
        out.send(Request::get(server.url("/"))).await.unwrap();
    }
    assert_eq!(server.heard().len(), 3);
}
