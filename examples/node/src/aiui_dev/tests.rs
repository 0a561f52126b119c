use super::{Caps, Proxy};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Message, Request,
};
use sovereign_core::clock::Clock;
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::testing::{PausedClock, Scripted};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const PLENTY: Caps = Caps { requests: 100, bytes: 1 << 20, time: Duration::from_secs(600) };
const HELLO: &str = r#"{"messages":[{"role":"user","text":"hello"}]}"#;

/// A proxy that runs, and what a page would know of it.
struct Launch {
    port: u16,
    token: String,
    model: Scripted,
    clock: Arc<PausedClock>,
}

impl Launch {
    async fn with(model: Scripted, caps: Caps) -> Self {
        Self { model: model.clone(), ..Self::before(Arc::new(model), caps).await }
    }

    async fn before(backend: Arc<dyn Backend>, caps: Caps) -> Self {
        let clock = Arc::new(PausedClock::default());
        let time = Arc::clone(&clock) as Arc<dyn Clock>;
        let proxy = Proxy::bind(0, backend, caps, time, &SystemEntropy).await.unwrap();
        let link = proxy.link();
        let (origin, token) = link.split_once("/#launch=").unwrap();
        let port = origin.rsplit(':').next().unwrap().parse().unwrap();
        let token = token.to_owned();
        tokio::spawn(proxy.run());
        Self { port, token, model: Scripted::new(), clock }
    }

    /// Sends these bytes and reads the whole answer.
    async fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    async fn get(&self, host: &str, path: &str) -> String {
        self.raw(&format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")).await
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    async fn post(&self, headers: &[(&str, &str)], body: &str) -> String {
        let mut request = format!("POST /chat HTTP/1.1\r\nhost: {}\r\n", self.host());
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!(
            "connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ));
        self.raw(&request).await
    }

    /// As the page itself asks.
    async fn chat(&self, body: &str) -> String {
        let (origin, token) = (format!("http://{}", self.host()), self.token.clone());
        let headers = [
            ("content-type", "application/json"),
            ("origin", origin.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("x-launch-token", token.as_str()),
        ];
        self.post(&headers, body).await
    }

    fn asked(&self) -> usize {
        self.model.seen().len()
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[tokio::test]
async fn words_go_to_the_model_and_nothing_else_does() {
    let launch = Launch::with(Scripted::new().says("Hello to you."), PLENTY).await;
    let said = r#"{"messages":[{"role":"user","text":"a"},{"role":"assistant","text":"b"},{"role":"user","text":"c"}]}"#;
    let answer = launch.chat(said).await;
    assert_eq!(status(&answer), "200");
    assert!(answer.contains(r#"{"type":"done","text":"Hello to you."}"#), "{answer}");
    let seen = launch.model.seen();
    assert!(seen[0].offered.is_empty() && seen[0].closing);
    assert!(matches!(
        &seen[0].messages[..],
        [Message::User(a), Message::Assistant { text: b, proposals }, Message::User(c)]
            if (a.as_str(), b.as_str(), c.as_str()) == ("a", "b", "c") && proposals.is_empty()
    ));
}

#[tokio::test]
async fn what_a_model_asks_for_is_dropped() {
    let model = Scripted::new().proposes("system__disk_status__v1", "{}");
    let answer = Launch::with(model, PLENTY).await.chat(HELLO).await;
    assert!(answer.contains(r#"{"type":"done","text":""}"#), "{answer}");
    assert!(!answer.contains("disk_status"));
}

#[tokio::test]
async fn without_the_token_of_this_launch_nothing_is_asked() {
    let launch = Launch::with(Scripted::new().says("no"), PLENTY).await;
    let json = ("content-type", "application/json");
    let almost: String = launch.token.chars().rev().collect();
    for token in ["", "0", almost.as_str()] {
        let answer = launch.post(&[json, ("x-launch-token", token)], HELLO).await;
        assert_eq!(status(&answer), "403", "{token}");
    }
    assert_eq!(status(&launch.post(&[json], HELLO).await), "403");
    assert_eq!(launch.asked(), 0);
}

#[tokio::test]
async fn other_pages_other_names_and_other_types_are_refused() {
    let launch = Launch::with(Scripted::new().says("no"), PLENTY).await;
    let token = ("x-launch-token", launch.token.as_str());
    let json = ("content-type", "application/json");
    let evil = launch.post(&[json, token, ("origin", "http://evil.example")], HELLO).await;
    assert_eq!(status(&evil), "403");
    let port = format!("http://127.0.0.1:{}", launch.port.wrapping_add(1));
    assert_eq!(status(&launch.post(&[json, token, ("origin", port.as_str())], HELLO).await), "403");
    let site = launch.post(&[json, token, ("sec-fetch-site", "cross-site")], HELLO).await;
    assert_eq!(status(&site), "403");
    let plain = launch.post(&[token, ("content-type", "text/plain")], HELLO).await;
    assert_eq!(status(&plain), "415");
    for host in ["localhost", "evil.example", "127.0.0.1"] {
        let named = format!("{host}:{}", launch.port);
        let answer = launch.get(if host == "127.0.0.1" { host } else { &named }, "/").await;
        assert_eq!(status(&answer), "421", "{host}");
    }
    assert_eq!(launch.asked(), 0);
}

#[tokio::test]
async fn it_serves_the_chat_alone() {
    let launch = Launch::with(Scripted::new(), PLENTY).await;
    let page = launch.get(&launch.host(), "/").await;
    assert!(page.contains("content=\"standalone\"") && page.contains("frame-ancestors 'none'"));
    assert_eq!(status(&launch.get(&launch.host(), "/assets/frame.js").await), "200");
    for path in
        ["/rpc/v1", "/rpc/v1/events", "/login", "/assets/app.js", "/assets/rpc.js", "/frame"]
    {
        assert_eq!(status(&launch.get(&launch.host(), path).await), "404", "{path}");
    }
}

#[tokio::test]
async fn a_launch_answers_as_many_messages_as_it_may() {
    let model = Scripted::new().says("one").says("two").says("three");
    let launch = Launch::with(model, Caps { requests: 2, ..PLENTY }).await;
    let answers = [launch.chat(HELLO).await, launch.chat(HELLO).await, launch.chat(HELLO).await];
    assert_eq!(answers.each_ref().map(|answer| status(answer)), ["200", "200", "429"]);
    assert_eq!(launch.asked(), 2);
}

#[tokio::test]
async fn a_launch_passes_on_as_much_text_as_it_may() {
    let long = "x".repeat(200);
    let model = Scripted::new().says(&long).says(&long);
    let launch = Launch::with(model, Caps { bytes: 100, ..PLENTY }).await;
    let first = launch.chat(HELLO).await;
    assert!(first.contains("\"type\":\"error\"") && !first.contains(&long), "{first}");
    assert_eq!(status(&launch.chat(HELLO).await), "429");
    assert_eq!(launch.asked(), 1);
}

/// Gives its words at the end alone.
struct Whole(String);

#[async_trait::async_trait]
impl Backend for Whole {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local("whole", None)
    }

    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }

    async fn send(
        &self,
        _: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        Ok(BackendTurn::text(self.identity(), self.0.clone()))
    }
}

#[tokio::test]
async fn text_that_comes_in_one_piece_counts_too() {
    let long = "x".repeat(200);
    let launch = Launch::before(Arc::new(Whole(long.clone())), Caps { bytes: 100, ..PLENTY }).await;
    let first = launch.chat(HELLO).await;
    assert!(first.contains("\"type\":\"error\"") && !first.contains(&long), "{first}");
    assert_eq!(status(&launch.chat(HELLO).await), "429");
}

#[tokio::test]
async fn a_launch_ends_when_its_time_is_over() {
    let launch = Launch::with(Scripted::new().says("in time").says("late"), PLENTY).await;
    launch.clock.advance(PLENTY.time - Duration::from_secs(1));
    assert_eq!(status(&launch.chat(HELLO).await), "200");
    launch.clock.advance(Duration::from_secs(1));
    assert_eq!(status(&launch.chat(HELLO).await), "429");
    assert_eq!(launch.asked(), 1);
}

#[tokio::test]
async fn what_is_no_list_of_messages_is_refused() {
    let launch = Launch::with(Scripted::new().says("no"), PLENTY).await;
    for body in [
        "",
        "[]",
        r#"{"messages":[]}"#,
        r#"{"messages":[{"role":"assistant","text":"a"}]}"#,
        r#"{"messages":[{"role":"system","text":"a"}]}"#,
        r#"{"messages":[{"role":"user","text":"a"}],"tools":[]}"#,
        r#"{"messages":[{"role":"user","text":"a","name":"b"}]}"#,
    ] {
        assert_eq!(status(&launch.chat(body).await), "400", "{body}");
    }
    assert_eq!(launch.asked(), 0);
}
