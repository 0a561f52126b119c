//! A proxy that a browser sends everything through: it passes on what is for this machine, and keeps
//! the rest as evidence.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

#[derive(Clone)]
pub struct Recorder {
    pub port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let recorder = Self { port, requests: Arc::default() };
        let of = recorder.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let of = of.clone();
                thread::spawn(move || of.serve(stream));
            }
        });
        recorder
    }

    fn note(&self, line: &str) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    }

    /// Every request so far, as `GET http://127.0.0.1:1234/path` or `CONNECT host:443`.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The requests that were not for these origins. What the browser asks its maker of itself (time,
    /// updates) is none of a page: no page and no test names those hosts.
    pub fn beyond(&self, origins: &[&str]) -> Vec<String> {
        let is_ours = |request: &str| {
            let target = request.split(' ').nth(1).unwrap_or_default();
            let authority = target.trim_start_matches("http://").split('/').next().unwrap_or("");
            let host = authority.split(':').next().unwrap_or_default();
            let own = |maker: &str| host.ends_with(maker);
            if [".google.com", ".googleapis.com", ".gvt1.com"].into_iter().any(own) {
                return true;
            }
            origins.iter().any(|origin| target.starts_with(&format!("{origin}/")))
        };
        self.requests().into_iter().filter(|request| !is_ours(request)).collect()
    }

    fn serve(&self, mut client: TcpStream) {
        let Some(head) = head(&mut client) else { return };
        let Some((line, fields)) = head.split_once("\r\n") else { return };
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        self.note(&format!("{method} {target}"));
        let local = target.strip_prefix("http://").and_then(|rest| rest.split_once('/'));
        let local = local.filter(|(authority, _)| {
            let host = authority.rsplit_once(':').map_or(*authority, |(host, _)| host);
            host == "127.0.0.1" || host == "localhost"
        });
        let Some((authority, path)) = local else {
            drop(client.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"));
            return;
        };
        let port = authority.rsplit_once(':').map_or("80", |(_, port)| port);
        let Ok(mut server) = TcpStream::connect(format!("127.0.0.1:{port}")) else { return };
        // one request a connection, so that none goes by unseen
        let kept = fields.split("\r\n").filter(|field| {
            let name = field.split(':').next().unwrap_or_default();
            !name.eq_ignore_ascii_case("connection")
                && !name.eq_ignore_ascii_case("proxy-connection")
        });
        let fields: String = kept.map(|field| format!("{field}\r\n")).collect();
        let head = format!("{method} /{path} HTTP/1.1\r\nconnection: close\r\n{fields}");
        if server.write_all(head.as_bytes()).is_err() {
            return;
        }
        let (Ok(mut from), Ok(mut to)) = (client.try_clone(), server.try_clone()) else { return };
        thread::spawn(move || {
            // the browser's end of a stream it no longer reads ends the server's side too
            drop(std::io::copy(&mut from, &mut to));
            drop(to.shutdown(Shutdown::Both));
        });
        drop(std::io::copy(&mut server, &mut client));
        drop(client.shutdown(Shutdown::Both));
    }
}

/// Everything up to the empty line, without it.
fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 || head.len() > 64 << 10 {
            return None;
        }
        head.push(byte[0]);
    }
    head.truncate(head.len() - 2);
    String::from_utf8(head).ok()
}
