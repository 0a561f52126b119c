//! A server that says exactly these bytes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub(super) struct Server {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Closes each connection after its answer.
    pub(super) async fn answering(answer: &[u8]) -> Self {
        Self::start(answer, true).await
    }

    /// Leaves each connection open after its answer, for as long as the other side does.
    pub(super) async fn lingering(answer: &[u8]) -> Self {
        Self::start(answer, false).await
    }

    async fn start(answer: &[u8], close: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let (answer, log) = (answer.to_vec(), Arc::clone(&heard));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = request(&mut stream).await;
                log.lock().unwrap().push(request);
                // The other side may have had enough before all is said.
                let said = stream.write_all(&answer).await;
                if said.is_ok() && !close {
                    drop(stream.read_u8().await);
                }
            }
        });
        Self { address, heard }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far, heads and bodies, in order.
    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// The head, and as much of a body as it announces.
async fn request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if read == 0 {
                return text;
            }
            continue;
        };
        let announced = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
        });
        if read == 0 || body.len() >= announced.unwrap_or(0) {
            return text;
        }
    }
}
