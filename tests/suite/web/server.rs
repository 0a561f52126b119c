//! A server that says exactly these bytes to everyone and keeps what it heard.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

pub(super) struct Server {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) async fn saying(answer: impl AsRef<[u8]>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let (answer, log) = (answer.as_ref().to_vec(), Arc::clone(&heard));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    match stream.read_u8().await {
                        Ok(byte) => request.push(byte),
                        Err(_) => break,
                    }
                }
                log.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
                // The other side may have had enough before all is said.
                drop(stream.write_all(&answer).await);
            }
        });
        Self { address, heard }
    }

    /// A page of this kind.
    pub(super) async fn page(kind: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
        Self::saying([head.as_bytes(), body].concat()).await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far, in order.
    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}
