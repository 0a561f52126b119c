//! A server of raw bytes on loopback: what it answers, and when, is the test's to say.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;

/// One request as it came in.
#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Received {
    /// The first value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// What is written back, step by step; then the connection is closed.
#[derive(Debug, Clone, Default)]
pub struct Answer(Vec<Step>);

#[derive(Debug, Clone)]
enum Step {
    Write(Vec<u8>),
    Wait(Gate),
}

impl Answer {
    /// Exactly these bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Step::Write(bytes.into())])
    }

    /// A whole HTTP response with a JSON body.
    pub fn json(status: u16, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        Self::raw(head(status, body.len())).then(body)
    }

    /// The same with a content type of its own.
    pub fn typed(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let head = head(status, body.len()).replace("application/json", content_type);
        Self::raw(head).then(body)
    }

    /// A response that promises more bytes than come.
    pub fn cut(status: u16, promised: usize, body: impl AsRef<[u8]>) -> Self {
        Self::raw(head(status, promised)).then(body.as_ref())
    }

    /// A response whose body stays away until the gate opens.
    pub fn held(gate: &Gate, status: u16, body: impl AsRef<[u8]>) -> Self {
        Self::default().wait(gate).then_all(Self::json(status, body))
    }

    /// Nothing at all: the connection is closed.
    pub fn hang_up() -> Self {
        Self::default()
    }

    /// These bytes next.
    #[must_use]
    pub fn then(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.push(Step::Write(bytes.into()));
        self
    }

    /// Next it waits until the gate opens, or until the client hangs up.
    #[must_use]
    pub fn wait(mut self, gate: &Gate) -> Self {
        self.0.push(Step::Wait(gate.clone()));
        self
    }

    fn then_all(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

fn head(status: u16, length: usize) -> String {
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
}

/// Holds answers back until it is opened.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl Gate {
    /// Lets everything through, now and later.
    pub fn open(&self) {
        self.0.close();
    }

    async fn passed(&self) {
        // closed is open
        let _closed = self.0.acquire().await;
    }
}

/// The running server; dropped, it stops.
#[derive(Debug)]
pub struct Double {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    received: Mutex<Vec<Received>>,
    hung_up: Notify,
}

impl Shared {
    fn received(&self) -> MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Double {
    /// Answers each request with what `answer` says.
    ///
    /// # Panics
    /// When loopback has no free port.
    pub async fn start(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let (of_task, answer) = (Arc::clone(&shared), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (shared, answer) = (Arc::clone(&of_task), Arc::clone(&answer));
                tokio::spawn(async move { serve(stream, &shared, &*answer).await });
            }
        });
        Self { address, shared, task }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:port`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received().clone()
    }

    /// The requests for one path.
    pub fn received_at(&self, path: &str) -> Vec<Received> {
        self.received().into_iter().filter(|r| r.path == path).collect()
    }

    /// Comes when a client has hung up before it had its answer; on a busy machine that may be before
    /// its request was whole.
    pub async fn hung_up(&self) {
        self.shared.hung_up.notified().await;
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, shared: &Shared, answer: &impl Fn(&Received) -> Answer) {
    let Some(received) = read(&mut stream).await else { return shared.hung_up.notify_one() };
    let Answer(steps) = answer(&received);
    shared.received().push(received);
    for step in steps {
        match step {
            // the client may have gone: it is allowed to
            Step::Write(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return shared.hung_up.notify_one();
                }
            }
            Step::Wait(gate) => {
                let mut byte = [0];
                tokio::select! {
                    () = gate.passed() => {}
                    _ = stream.read(&mut byte) => return shared.hung_up.notify_one(),
                }
            }
        }
    }
    let _gone = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let header = |line: &str| {
        line.split_once(':').map(|(n, v)| (n.trim().to_ascii_lowercase(), v.trim().to_owned()))
    };
    let headers: Vec<_> = lines.filter_map(header).collect();
    let length = headers.iter().find(|(n, _)| n == "content-length");
    let length: usize = length.map_or(Ok(0), |(_, v)| v.parse()).ok()?;
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Received { method, path, headers, body: String::from_utf8(body).ok()? })
}
