use super::wire::{Reply, raw, request};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A page of one session: its cookie, and the token that it got with the login.
#[derive(Debug, Clone)]
pub struct Page {
    pub address: SocketAddr,
    pub cookie: String,
    pub csrf: String,
}

impl Page {
    /// Logs in with these parameters.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// When the daemon is not there, or the answer has no token.
    pub async fn login(address: SocketAddr, params: Value) -> Result<Self, Reply> {
        let nobody = Self { address, cookie: String::new(), csrf: String::new() };
        let reply = nobody.call("auth.login", params).await;
        let set = reply.header("set-cookie").unwrap_or_default().to_owned();
        let Some(cookie) = set.split(';').next().filter(|cookie| !cookie.is_empty()) else {
            return Err(reply);
        };
        let csrf = reply.result()["csrf"].as_str().expect("a token").to_owned();
        Ok(Self { cookie: cookie.to_owned(), csrf, ..nobody })
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.address.port())
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = Vec::new();
        if !self.cookie.is_empty() {
            headers.push(("Cookie", self.cookie.as_str()));
        }
        if !self.csrf.is_empty() {
            headers.push(("X-CSRF-Token", self.csrf.as_str()));
        }
        headers
    }

    /// # Panics
    /// When the daemon is not there.
    pub async fn get(&self, path: &str) -> Reply {
        let bytes = request("GET", path, &self.host(), &self.headers(), "");
        raw(self.address, &bytes).await.expect("an answer")
    }

    /// # Panics
    /// When the daemon is not there.
    pub async fn call(&self, method: &str, params: Value) -> Reply {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.post(&body.to_string()).await
    }

    /// Any body.
    ///
    /// # Panics
    /// When the daemon is not there.
    pub async fn post(&self, body: &str) -> Reply {
        let mut headers = self.headers();
        headers.push(("Content-Type", "application/json"));
        let bytes = request("POST", "/rpc/v1", &self.host(), &headers, body);
        raw(self.address, &bytes).await.expect("an answer")
    }

    /// Sends the request and waits for no answer; dropping what it gives closes the tab.
    ///
    /// # Panics
    /// When the daemon is not there.
    pub async fn call_unheard(&self, method: &str, params: Value) -> TcpStream {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let mut headers = self.headers();
        headers.push(("Content-Type", "application/json"));
        let bytes = request("POST", "/rpc/v1", &self.host(), &headers, &body.to_string());
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        stream.write_all(&bytes).await.expect("a request");
        stream
    }

    /// What a decision looks like to this page, and a token of its own.
    ///
    /// # Panics
    /// When nothing is pending.
    pub async fn surfaced(&self) -> (String, String) {
        let open = self.call("assistant.pending", json!({})).await.result();
        let id = open["pending"][0]["id"].as_str().expect("a pending decision").to_owned();
        let shown = self.call("assistant.pending", json!({ "id": id })).await.result();
        (id, shown["token"].as_str().expect("a token").to_owned())
    }

    pub async fn decide(&self, id: &str, token: &str, decision: &str) -> Reply {
        let params = json!({ "id": id, "token": token, "decision": decision });
        self.call("assistant.confirm-tool", params).await
    }

    /// Waits until no turn runs in this session, and gives its state.
    pub async fn settled(&self) -> Value {
        loop {
            let status = self.call("assistant.status", json!({ "wait_seconds": 10 })).await;
            let status = status.result();
            if status["state"] != "running" {
                return status;
            }
        }
    }

    /// The event stream; its first line has been sent when this returns.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn watch(&self) -> Lines {
        let bytes = request("GET", "/rpc/v1/events", &self.host(), &self.headers(), "");
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        stream.write_all(&bytes).await.expect("a request");
        let mut lines = Lines { stream, raw: Vec::new(), text: String::new() };
        let head = lines.head().await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        lines
    }
}

/// An event stream, line by line.
#[derive(Debug)]
pub struct Lines {
    stream: TcpStream,
    raw: Vec<u8>,
    text: String,
}

/// No line that is waited for takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

impl Lines {
    async fn more(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let read = tokio::time::timeout(PATIENCE, self.stream.read(&mut bytes)).await;
        let read = read.expect("something in time").unwrap_or(0);
        self.raw.extend(bytes.iter().take(read));
        read > 0
    }

    async fn head(&mut self) -> String {
        loop {
            let end = self.raw.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                let head: Vec<u8> = self.raw.drain(..end + 4).collect();
                return String::from_utf8_lossy(&head).into_owned();
            }
            assert!(self.more().await, "no answer");
        }
    }

    /// The next chunk of the transfer coding; none at the end.
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(line) = self.raw.windows(2).position(|two| two == b"\r\n") {
                let size = String::from_utf8_lossy(&self.raw[..line]).into_owned();
                let size = usize::from_str_radix(size.trim(), 16).expect("a chunk's size");
                if size == 0 {
                    return None;
                }
                let end = line + 2 + size + 2;
                if self.raw.len() >= end {
                    let chunk = self.raw[line + 2..line + 2 + size].to_vec();
                    self.raw.drain(..end);
                    return Some(chunk);
                }
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// The next event; none at the end of the stream.
    ///
    /// # Panics
    /// When it is no JSON, or nothing comes.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((line, rest)) = self.text.split_once('\n') {
                let event = serde_json::from_str(line).expect("a JSON line");
                self.text = rest.to_owned();
                return Some(event);
            }
            let chunk = self.chunk().await?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }

    /// Reads on up to the next event of this type, which it gives.
    ///
    /// # Panics
    /// When the stream ends before.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("no `{kind}` came"));
            if event["type"] == kind {
                return event;
            }
        }
    }
}
