//! What holds for every byte string that a model server may send. The coverage-guided targets and the
//! seeded tests call the same functions; a breach is a panic.
#![allow(dead_code, reason = "each target calls one of them")]

use serde_json::Value;
use sovereign_backends::routstr::CashuToken;
use sovereign_backends::scripted::{Scripted, ndjson_lines, sse_events};
use sovereign_core::backend::{
    Backend, BackendTurn, DeltaSink, FailureClass, Message, Request, Stop, Usage,
};
use sovereign_core::catalog::CatalogSnapshot;
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Does nothing.
#[capability(name = "lab.nothing", side_effect = read_only, network = local, category = notes)]
struct Nothing {}

impl Run for Nothing {
    type State = ();
    type Output = bool;
    async fn run(self, _: Call<'_, Self>) -> Result<bool, Failure> {
        Ok(true)
    }
}

static LAB: Plugin<()> = Plugin::new("lab", &[Nothing::ENTRY]);

/// The events of a stream are those that a reader of the whole finds, wherever its pieces are cut.
pub(crate) fn sse(bytes: &[u8]) {
    let whole = sse_events([bytes]).map_err(drop);
    for pieces in splits(bytes) {
        assert_eq!(sse_events(pieces).map_err(drop), whole);
    }
    if bytes.len() < 1 << 20 {
        assert_eq!(whole, Ok(read_events(bytes)));
    }
}

/// WHATWG HTML, 9.2.6, over all of it at once.
fn read_events(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|b| matches!(b, b'\n' | b'\r')) {
        lines.push(&rest[..end]);
        let is_pair = rest[end..].starts_with(b"\r\n");
        rest = &rest[end + if is_pair { 2 } else { 1 }..];
    }
    // what stands behind the last line end is no line
    let (mut events, mut name, mut data) = (Vec::new(), String::new(), None::<Vec<u8>>);
    for line in lines {
        if line.is_empty() {
            let name = std::mem::take(&mut name);
            events.extend(data.take().map(|data| (name, data)));
            continue;
        }
        let colon = line.iter().position(|b| *b == b':');
        let (field, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &line[..0]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match (field, &mut data) {
            (b"event", _) => name = String::from_utf8_lossy(value).into_owned(),
            (b"data", Some(data)) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            (b"data", none) => *none = Some(value.to_vec()),
            _ => {}
        }
    }
    events
}

/// The lines of a stream are what stands between line feeds, wherever its pieces are cut.
pub(crate) fn ndjson(bytes: &[u8]) {
    let whole = ndjson_lines([bytes]).map_err(drop);
    for pieces in splits(bytes) {
        assert_eq!(ndjson_lines(pieces).map_err(drop), whole);
    }
    if bytes.len() < 1 << 20 {
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        let rest = lines.pop().unwrap_or_default().to_vec();
        let lines = lines.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec());
        assert_eq!(whole, Ok((lines.collect(), rest)));
    }
}

/// A body of `/chat/completions`, whole and as a stream.
pub(crate) fn openai(bytes: &[u8]) {
    streamed(Scripted::openai, bytes);
    let Ok(turn) = whole(Scripted::openai(), bytes) else { return };
    let Some(value) = read(bytes) else { return };
    let message = &value["choices"][0]["message"];
    let message = if message.is_null() { &value["choices"][0]["delta"] } else { message };
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    asks_for(&turn, &calls, |call| {
        let function = &call["function"];
        let arguments = function["arguments"].as_str().map(ToOwned::to_owned);
        (function["name"].as_str().unwrap_or_default().to_owned(), arguments)
    });
}

/// A body of `/v1/messages`, whole and as a stream.
pub(crate) fn claude(bytes: &[u8]) {
    streamed(Scripted::claude, bytes);
    let Ok(turn) = whole(Scripted::claude(), bytes) else { return };
    let Some(value) = read(bytes) else { return };
    let mut blocks = value["content"].as_array().cloned().unwrap_or_default();
    blocks.retain(|block| block["type"] == "tool_use");
    asks_for(&turn, &blocks, |block| (block["name"].as_str().unwrap_or_default().to_owned(), None));
}

/// A body of `/api/chat`, whole and as a stream.
pub(crate) fn ollama(bytes: &[u8]) {
    streamed(Scripted::ollama, bytes);
    let Ok(turn) = whole(Scripted::ollama(), bytes) else { return };
    let Some(value) = read(bytes) else { return };
    let calls = value["message"]["tool_calls"].as_array().cloned().unwrap_or_default();
    asks_for(&turn, &calls, |call| {
        (call["function"]["name"].as_str().unwrap_or_default().to_owned(), None)
    });
}

/// A token is worth something, keeps its text, and shows nothing of it.
pub(crate) fn cashu_token(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match CashuToken::parse(text) {
        Ok(token) => {
            assert!(token.amount_msat() > 0);
            assert_eq!(token.expose(), text.trim_ascii());
            assert!(!format!("{token:?}").contains(token.expose()));
            assert!(token.mint().is_ascii() || token.mint().ends_with('…'));
        }
        Err(error) => assert!(error.to_string().len() < 400, "{error}"),
    }
}

/// An independent reading; it also looks into what an adapter passes over, such as half a character in
/// a field that nobody reads.
fn read(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// What is asked for is what an independent reader finds, in its order, or nothing at all.
fn asks_for(
    turn: &BackendTurn,
    calls: &[Value],
    read: impl Fn(&Value) -> (String, Option<String>),
) {
    if turn.stop == Stop::Refusal {
        assert!(turn.proposals.is_empty());
        return;
    }
    assert_eq!(turn.proposals.len(), calls.len());
    for (proposal, call) in turn.proposals.iter().zip(calls) {
        let (name, text) = read(call);
        assert_eq!(proposal.wire_name, name);
        if let (Ok(arguments), Some(text)) = (&proposal.arguments, text) {
            let none = text.trim_ascii().is_empty();
            assert_eq!(arguments.as_str(), if none { "{}" } else { &text }, "byte for byte");
        }
    }
}

/// The same turn or the same failure, and the same prose on the way, wherever its pieces are cut.
fn streamed(adapter: fn() -> Scripted, bytes: &[u8]) {
    let whole = seen(&adapter().streams([bytes]));
    for pieces in splits(bytes) {
        assert_eq!(seen(&adapter().streams(pieces)), whole);
    }
}

fn whole(model: Scripted, bytes: &[u8]) -> Result<BackendTurn, FailureClass> {
    let (turn, deltas) = ask(&model.replies(bytes));
    if let Ok(turn) = &turn {
        assert_eq!(turn.text, deltas);
        sound(turn);
    }
    turn
}

/// Whatever is read as arguments is one JSON object to an independent reader too.
fn sound(turn: &BackendTurn) {
    for proposal in &turn.proposals {
        if let Ok(arguments) = &proposal.arguments {
            let value: Value = serde_json::from_str(arguments.as_str()).expect("JSON");
            assert!(value.is_object());
        }
    }
}

type Asked = (Option<String>, String, Result<String, &'static str>);

/// All that can be told of a reply: prose, requests, counts, or the failure; and the deltas.
type Seen = (Result<(String, Vec<Asked>, Stop, Usage), FailureClass>, String);

fn seen(model: &Scripted) -> Seen {
    let (turn, deltas) = ask(model);
    let turn = turn.map(|turn| {
        assert_eq!(turn.text, deltas);
        sound(&turn);
        let asked = turn.proposals.into_iter().map(|p| {
            let arguments = p.arguments.map(|a| a.as_str().to_owned()).map_err(|m| m.code());
            (p.wire_id, p.wire_name, arguments)
        });
        (turn.text, asked.collect(), turn.stop, turn.usage)
    });
    (turn, deltas)
}

#[derive(Default)]
struct Deltas(String);

impl DeltaSink for Deltas {
    fn text(&mut self, delta: &str) {
        self.0.push_str(delta);
    }
}

fn ask(model: &Scripted) -> (Result<BackendTurn, FailureClass>, String) {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    static CATALOG: OnceLock<CatalogSnapshot> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
    });
    let catalog = CATALOG.get_or_init(|| {
        let lab = Harness::install(&LAB, std::sync::Arc::default()).build();
        lab.executor.catalog(&lab.scope)
    });
    let messages = [Message::User("go".to_owned())];
    let mut deltas = Deltas::default();
    let request = Request::new("Be brief.", &messages, catalog, Duration::from_secs(3600));
    let turn = runtime.block_on(model.send(request, &mut deltas));
    (turn.map_err(|error| error.class()), deltas.0)
}

/// Byte by byte, and twice at places that the bytes themselves choose.
fn splits(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut state = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut chosen = || {
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (piece, tail) = rest.split_at(rest.len().min(1 + (state % 24) as usize));
            pieces.push(piece);
            rest = tail;
        }
        pieces
    };
    vec![bytes.chunks(1).collect(), chosen(), chosen()]
}
