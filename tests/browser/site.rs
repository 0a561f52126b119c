//! Somebody else's web server on this machine: what `web.fetch` fetches, or what attacks.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

#[derive(Clone)]
pub struct Site {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// One page of HTML under every path.
    pub fn saying(body: &str) -> Self {
        Self::answering("text/html; charset=utf-8", body)
    }

    /// The same body of this type under every path.
    pub fn answering(kind: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let site = Self { address, heard: Arc::default() };
        let heard = Arc::clone(&site.heard);
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0)
                {
                    request.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&request).to_ascii_lowercase();
                let length =
                    head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
                let length = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
                drop(std::io::copy(&mut (&mut stream).take(length), &mut std::io::sink()));
                let line = String::from_utf8_lossy(&request);
                let line = line.lines().next().unwrap_or_default().to_owned();
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(line);
                drop(stream.write_all(answer.as_bytes()));
            }
        });
        site
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The request lines so far.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
