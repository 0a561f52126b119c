//! A streamed reply through the adapter and the turn loop, beside reqwest reading the same stream of
//! the same server and nothing else: time to the first piece of prose, and in all. Taken in turns in
//! one run: `cargo bench -p sovereign-tests --all-features --bench stream`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the machine's clock")]

use sovereign_backends::{OpenAi, OpenAiConfig};
use sovereign_core::backend::{Backend, DeltaSink, Message, Request};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Event};
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Tells whether the node is healthy.
#[capability(name = "system.health", side_effect = read_only, network = local, category = system)]
struct Health {}

impl Run for Health {
    type State = ();
    type Output = bool;
    async fn run(self, _: Call<'_, Self>) -> Result<bool, Failure> {
        Ok(true)
    }
}

static HERE: Plugin<()> = Plugin::new("here", &[Health::ENTRY]);

const LONG: Duration = Duration::from_secs(60);

/// One token for each tick, in a thread of its own, for any question but `/props`.
fn server(tick: Duration, tokens: usize) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a socket");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            let listener = TcpListener::from_std(listener).expect("a socket");
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, tick, tokens));
            }
        });
    });
    address
}

async fn answer(mut stream: TcpStream, tick: Duration, tokens: usize) {
    stream.set_nodelay(true).expect("a socket");
    let (mut bytes, mut end) = (Vec::new(), None);
    while end.is_none_or(|end| bytes.len() < end) {
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
        let head = bytes.windows(4).position(|w| w == b"\r\n\r\n");
        end = head.map(|at| {
            let head = String::from_utf8_lossy(&bytes[..at]).to_ascii_lowercase();
            let length =
                head.lines().find_map(|l| l.strip_prefix("content-length:")?.trim().parse().ok());
            at + 4 + length.unwrap_or(0)
        });
    }
    let whole: &[u8] =
        b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    let head: &[u8] =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    if bytes.starts_with(b"GET") {
        return drop(stream.write_all(whole).await);
    }
    let mut ticks = tokio::time::interval(tick);
    if stream.write_all(head).await.is_err() {
        return;
    }
    for n in 0..tokens {
        ticks.tick().await;
        let frame = format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1764500000,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" token{n}\"}},\"finish_reason\":null}}]}}\n\n"
        );
        if stream.write_all(frame.as_bytes()).await.is_err() {
            return;
        }
    }
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}\n\ndata: [DONE]\n\n";
    drop(stream.write_all(end.as_bytes()).await);
}

/// When the first piece of prose came, and when all was there.
#[derive(Clone, Copy)]
struct Times {
    first: Duration,
    total: Duration,
}

struct First(Instant, Option<Duration>);

impl DeltaSink for First {
    fn text(&mut self, _: &str) {
        let since = self.0.elapsed();
        self.1.get_or_insert(since);
    }
}

async fn by_reqwest(client: &reqwest::Client, address: SocketAddr, body: &str) -> Times {
    let start = Instant::now();
    let request = client.post(format!("http://{address}/v1/chat/completions"));
    let request = request.header("content-type", "application/json").body(body.to_owned());
    let mut response = request.send().await.expect("an answer");
    let mut first = None;
    while response.chunk().await.expect("a whole stream").is_some() {
        first.get_or_insert(start.elapsed());
    }
    Times { first: first.expect("a piece"), total: start.elapsed() }
}

async fn by_adapter(leg: &OpenAi, lab: &Harness) -> Times {
    let catalog = lab.executor.catalog(&lab.scope);
    let messages = [Message::User("hello".to_owned())];
    let start = Instant::now();
    let mut sink = First(start, None);
    let request = Request::new("Be brief.", &messages, &catalog, LONG);
    leg.send(request, &mut sink).await.expect("a reply");
    Times { first: sink.1.expect("a piece"), total: start.elapsed() }
}

/// The question whether the server is ready is asked before, once per turn; it is not part of this.
async fn by_conversation(talk: &Conversation) -> Times {
    let start = Instant::now();
    let mut turn = talk.say("hello").expect("it is idle");
    let mut first = None;
    while let Some(event) = turn.next().await {
        match event {
            Event::Text(_) => drop(first.get_or_insert(start.elapsed())),
            Event::ConfirmationRequested(request) => drop(request.decide(Decision::Deny)),
            _ => {}
        }
    }
    Times { first: first.expect("a piece"), total: start.elapsed() }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    println!("each row: medians of one run, taken in turns; ratio to reqwest");
    println!(
        "{:>6} {:>7} {:>13} {:>11} {:>7} {:>11} {:>7}",
        "tick", "tokens", "", "first, ms", "ratio", "total, ms", "ratio"
    );
    for (tick_ms, tokens, turns) in [(1, 300, 31), (20, 50, 15)] {
        let address = server(Duration::from_millis(tick_ms), tokens);
        let lab = Harness::install(&HERE, Arc::default()).build();
        let config = OpenAiConfig::new(format!("http://{address}/v1").parse().expect("a URL"), "m");
        let config = OpenAiConfig { reply_timeout: LONG, ..config };
        let leg = Arc::new(OpenAi::new(config).expect("a leg"));
        let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).http1_only();
        let client = client.tls_backend_preconfigured(no_tls()).build().expect("a client");
        // about as long as ours
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"hello"}}],"stream":true,"pad":"{}"}}"#,
            "x".repeat(300)
        );
        let mut rows: [Vec<Times>; 3] = Default::default();
        for _ in 0..turns {
            let legs: Vec<Arc<dyn Backend>> = vec![leg.clone()];
            let talk = Conversation::with_legs(&lab.executor, legs, lab.scope.clone());
            runtime.block_on(async {
                rows[0].push(by_reqwest(&client, address, &body).await);
                rows[1].push(by_adapter(&leg, &lab).await);
                rows[2].push(by_conversation(&talk).await);
            });
        }
        let base: Vec<_> = rows[0].clone();
        for (name, row) in ["reqwest", "the adapter", "a whole turn"].iter().zip(&rows) {
            let ms = |of: fn(&Times) -> Duration| {
                median(row.iter().map(|t| of(t).as_secs_f64() * 1e3).collect())
            };
            let ratio = |of: fn(&Times) -> Duration| {
                let pairs =
                    row.iter().zip(&base).map(|(a, b)| of(a).as_secs_f64() / of(b).as_secs_f64());
                median(pairs.collect())
            };
            println!(
                "{:>4}ms {tokens:>7} {name:>13} {:>11.2} {:>7.3} {:>11.1} {:>7.3}",
                tick_ms,
                ms(|t| t.first),
                ratio(|t| t.first),
                ms(|t| t.total),
                ratio(|t| t.total)
            );
        }
    }
}

fn no_tls() -> rustls::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}
