//! HTTP as bytes, so that a test can send what no client would.
use serde_json::Value;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer, read until the connection ended.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// What the method gave.
    ///
    /// # Panics
    /// When it was refused.
    #[track_caller]
    pub fn result(&self) -> Value {
        let json = self.json();
        assert!(self.status == 200 && json["error"].is_null(), "{self:?}");
        json["result"].clone()
    }

    /// The stable word of a refusal; nothing when there is none.
    pub fn code(&self) -> String {
        self.json()["error"]["data"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Sends these bytes and reads what comes until the other side closes.
///
/// # Errors
/// When there is no connection.
///
/// # Panics
/// When what comes is no HTTP answer.
pub async fn raw(address: SocketAddr, bytes: &[u8]) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(address).await?;
    // a server that answers early may not read the rest
    let wrote = stream.write_all(bytes).await;
    let mut got = Vec::new();
    let read = stream.read_to_end(&mut got).await;
    if got.is_empty() {
        wrote.and(read.map(drop))?;
    }
    Ok(parse(&got))
}

/// One request with these headers beside `Host`, and a body unless it is empty.
pub fn request(
    method: &str,
    path: &str,
    host: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}

/// # Panics
/// When it is no HTTP answer.
pub(super) fn parse(bytes: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    Reply {
        status: status.unwrap_or_else(|| panic!("no HTTP answer: {text:?}")),
        headers: lines.filter_map(header).collect(),
        body: body.to_owned(),
    }
}
