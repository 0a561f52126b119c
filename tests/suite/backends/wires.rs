//! Every wire that an adapter speaks, whole and in pieces, told in the same words.
use serde_json::{Value, json};
use sovereign_backends::scripted::Scripted;
use sovereign_backends::{
    BaseUrl, Claude, ClaudeConfig, KeyFile, Ollama, OllamaConfig, OpenAi, OpenAiConfig, Streaming,
};
use sovereign_core::backend::Backend;
use sovereign_tests::double::{Answer, Double};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Ollama,
    OpenAi,
    Claude,
}

/// One dialect, whole or in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    pub dialect: Dialect,
    pub in_pieces: bool,
}

pub const WIRES: [Wire; 6] = [
    Wire { dialect: Dialect::Ollama, in_pieces: false },
    Wire { dialect: Dialect::Ollama, in_pieces: true },
    Wire { dialect: Dialect::OpenAi, in_pieces: false },
    Wire { dialect: Dialect::OpenAi, in_pieces: true },
    Wire { dialect: Dialect::Claude, in_pieces: false },
    Wire { dialect: Dialect::Claude, in_pieces: true },
];

/// The most tokens of a reply on every wire here.
pub const CAP: u32 = 500;

/// One reply, told without a wire.
#[derive(Debug, Clone)]
pub struct Told {
    pub text: String,
    /// Provider's id, name, and the arguments' JSON text.
    pub calls: Vec<(Option<&'static str>, &'static str, Option<String>)>,
    pub cut: bool,
    pub output: u64,
}

impl Told {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new(), cut: false, output: 7 }
    }

    /// And asks for this, without arguments when there are none.
    pub fn calls(
        mut self,
        id: Option<&'static str>,
        name: &'static str,
        arguments: Option<&str>,
    ) -> Self {
        self.calls.push((id, name, arguments.map(ToOwned::to_owned)));
        self
    }

    pub fn cut(self) -> Self {
        Self { cut: true, ..self }
    }

    pub fn output(self, output: u64) -> Self {
        Self { output, ..self }
    }
}

/// Splits a text in two somewhere inside.
fn halves(text: &str) -> (&str, &str) {
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap();
    text.split_at(middle)
}

impl Wire {
    pub fn content_type(self) -> &'static str {
        match (self.dialect, self.in_pieces) {
            (_, false) => "application/json",
            (Dialect::Ollama, true) => "application/x-ndjson",
            (Dialect::OpenAi | Dialect::Claude, true) => "text/event-stream; charset=utf-8",
        }
    }

    pub fn path(self) -> &'static str {
        match self.dialect {
            Dialect::Ollama => "/api/chat",
            Dialect::OpenAi => "/v1/chat/completions",
            Dialect::Claude => "/v1/messages",
        }
    }

    /// The bytes of a reply.
    pub fn body(self, told: &Told) -> String {
        match (self.dialect, self.in_pieces) {
            (Dialect::Ollama, false) => ollama(told, Some(&told.text), true),
            (Dialect::Ollama, true) => {
                let (first, second) = halves(&told.text);
                let none = Told { calls: Vec::new(), ..told.clone() };
                let end = ollama(&none, Some(""), true);
                [ollama(&none, Some(first), false), ollama(told, Some(second), false), end]
                    .map(|line| line + "\n")
                    .concat()
            }
            (Dialect::OpenAi, false) => openai(told),
            (Dialect::OpenAi, true) => openai_frames(told),
            (Dialect::Claude, false) => claude(told),
            (Dialect::Claude, true) => claude_frames(told),
        }
    }

    /// The same as an HTTP response.
    pub fn answer(self, told: &Told) -> Answer {
        Answer::typed(200, self.content_type(), self.body(told))
    }

    /// How this wire reports an error.
    pub fn error(self, message: &str) -> String {
        match self.dialect {
            Dialect::Ollama => json!({ "error": message }),
            Dialect::OpenAi => json!({ "error": { "message": message, "code": null } }),
            Dialect::Claude => {
                json!({ "type": "error", "error": { "type": "odd_error", "message": message } })
            }
        }
        .to_string()
    }

    fn streaming(self) -> Streaming {
        if self.in_pieces { Streaming::Always } else { Streaming::Never }
    }

    /// The adapter with a script in place of its network.
    pub fn scripted(self) -> Scripted {
        let streaming = self.streaming();
        let nowhere: BaseUrl = "http://127.0.0.1:1/v1".parse().unwrap();
        match self.dialect {
            Dialect::Ollama => {
                let config = OllamaConfig::new(nowhere, "m");
                Scripted::ollama_with(OllamaConfig {
                    streaming,
                    num_predict: CAP,
                    // the script has no `/api/ps`, and a model that is not loaded gets longer
                    load_timeout: Duration::ZERO,
                    ..config
                })
            }
            Dialect::OpenAi => {
                let config = OpenAiConfig::new(nowhere, "m");
                Scripted::openai_with(OpenAiConfig { streaming, max_tokens: CAP, ..config })
            }
            Dialect::Claude => {
                let config = ClaudeConfig::new(nowhere, "m");
                Scripted::claude_with(ClaudeConfig { streaming, max_tokens: CAP, ..config })
            }
        }
    }

    /// Adds these bytes to its script, as one piece.
    pub fn replies(self, model: Scripted, body: impl Into<Vec<u8>>) -> Scripted {
        if self.in_pieces { model.streams([body]) } else { model.replies(body) }
    }

    /// The adapter, scripted with these replies.
    pub fn telling(self, told: impl IntoIterator<Item = Told>) -> Scripted {
        let add = |model, told: Told| self.replies(model, self.body(&told));
        told.into_iter().fold(self.scripted(), add)
    }

    /// The adapter, asking this server; with a key where its wire has one.
    pub fn leg(self, double: &Double, key: Option<KeyFile>) -> Arc<dyn Backend> {
        let streaming = self.streaming();
        let v1: BaseUrl = format!("{}/v1", double.url()).parse().unwrap();
        match self.dialect {
            Dialect::Ollama => {
                let config = OllamaConfig::new(double.url().parse().unwrap(), "m");
                Arc::new(Ollama::new(OllamaConfig { streaming, ..config }).unwrap())
            }
            Dialect::OpenAi => {
                let config = OpenAiConfig::new(v1, "m");
                Arc::new(OpenAi::new(OpenAiConfig { streaming, key, ..config }).unwrap())
            }
            Dialect::Claude => {
                let config = ClaudeConfig::new(v1, "m");
                Arc::new(Claude::new(ClaudeConfig { streaming, key, ..config }).unwrap())
            }
        }
    }

    /// Ids of the calls and of the results in a request, in their order.
    pub fn ids(self, request: &Value) -> (Vec<String>, Vec<String>) {
        let text = |v: &Value| v.as_str().expect("an id").to_owned();
        let messages = request["messages"].as_array().unwrap();
        let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
        if self.dialect == Dialect::Claude {
            let blocks: Vec<_> = messages.iter().flat_map(|m| list(&m["content"])).collect();
            let of = |kind: &str, id: &str| {
                blocks.iter().filter(|b| b["type"] == kind).map(|b| text(&b[id])).collect()
            };
            (of("tool_use", "id"), of("tool_result", "tool_use_id"))
        } else {
            let calls = messages.iter().flat_map(|m| list(&m["tool_calls"]));
            let results = messages.iter().filter(|m| m["role"] == "tool");
            (
                calls.map(|c| text(&c["id"])).collect(),
                results.map(|m| text(&m["tool_call_id"])).collect(),
            )
        }
    }
}

fn ollama(told: &Told, content: Option<&str>, done: bool) -> String {
    let calls = told.calls.iter().map(|(id, name, arguments)| {
        let id = id.map_or(String::new(), |id| format!(r#""id":{},"#, json!(id)));
        let arguments =
            arguments.as_ref().map_or(String::new(), |a| format!(r#","arguments":{a}"#));
        format!(r#"{{{id}"function":{{"index":0,"name":{}{arguments}}}}}"#, json!(name))
    });
    let calls = calls.collect::<Vec<_>>().join(",");
    let calls = if calls.is_empty() { calls } else { format!(r#","tool_calls":[{calls}]"#) };
    let reason = if told.cut { "length" } else { "stop" };
    let end =
        format!(r#","done_reason":"{reason}","prompt_eval_count":9,"eval_count":{}"#, told.output);
    format!(
        r#"{{"model":"m","message":{{"role":"assistant","content":{}{calls}}},"done":{done}{}}}"#,
        json!(content),
        if done { end } else { String::new() }
    )
}

fn openai_call(
    index: usize,
    call: &(Option<&str>, &str, Option<String>),
    arguments: &str,
) -> Value {
    let mut sent = json!({ "index": index, "type": "function",
        "function": { "name": call.1, "arguments": arguments } });
    if let Some(id) = call.0 {
        sent["id"] = json!(id);
    }
    sent
}

fn openai_reason(told: &Told) -> &'static str {
    match (told.cut, told.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    }
}

fn openai_usage(told: &Told) -> Value {
    json!({ "prompt_tokens": 9, "completion_tokens": told.output })
}

fn openai(told: &Told) -> String {
    let calls = told.calls.iter().enumerate();
    let calls: Vec<_> =
        calls.map(|(i, c)| openai_call(i, c, c.2.as_deref().unwrap_or(""))).collect();
    json!({
        "id": "chatcmpl-1", "object": "chat.completion",
        "choices": [{ "index": 0, "finish_reason": openai_reason(told), "message": {
            "role": "assistant", "content": told.text, "tool_calls": calls } }],
        "usage": openai_usage(told),
    })
    .to_string()
}

fn openai_frames(told: &Told) -> String {
    let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let (first, second) = halves(&told.text);
    let mut frames = vec![
        delta(json!({ "role": "assistant", "content": null })),
        delta(json!({ "content": first })),
        delta(json!({ "content": second })),
    ];
    for (index, call) in told.calls.iter().enumerate() {
        frames.push(delta(json!({ "tool_calls": [openai_call(index, call, "")] })));
        let (first, second) = halves(call.2.as_deref().unwrap_or(""));
        for piece in [first, second] {
            let piece = json!({ "index": index, "function": { "arguments": piece } });
            frames.push(delta(json!({ "tool_calls": [piece] })));
        }
    }
    frames.push(
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": openai_reason(told) }] }),
    );
    frames.push(json!({ "choices": [], "usage": openai_usage(told) }));
    let frames: String = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    format!("{frames}data: [DONE]\n\n")
}

fn claude_reason(told: &Told) -> &'static str {
    match (told.cut, told.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    }
}

fn claude(told: &Told) -> String {
    let mut blocks = Vec::new();
    if !told.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": told.text }).to_string());
    }
    for (id, name, arguments) in &told.calls {
        let id = id.map_or(String::new(), |id| format!(r#""id":{},"#, json!(id)));
        let input = arguments.as_deref().unwrap_or("{}");
        blocks.push(format!(r#"{{"type":"tool_use",{id}"name":{},"input":{input}}}"#, json!(name)));
    }
    format!(
        r#"{{"id":"msg_1","type":"message","role":"assistant","content":[{}],"stop_reason":"{}","usage":{{"input_tokens":9,"output_tokens":{}}}}}"#,
        blocks.join(","),
        claude_reason(told),
        told.output
    )
}

fn claude_frames(told: &Told) -> String {
    let mut events = vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
            "content": [], "stop_reason": null, "usage": { "input_tokens": 9, "output_tokens": 1 } } }),
        json!({ "type": "ping" }),
    ];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        let mut block =
            vec![json!({ "type": "content_block_start", "index": index, "content_block": start })];
        block.extend(
            deltas
                .into_iter()
                .map(|d| json!({ "type": "content_block_delta", "index": index, "delta": d })),
        );
        block.push(json!({ "type": "content_block_stop", "index": index }));
        index += 1;
        block
    };
    if !told.text.is_empty() {
        let (first, second) = halves(&told.text);
        let deltas = [first, second].map(|text| json!({ "type": "text_delta", "text": text }));
        events.extend(block(json!({ "type": "text", "text": "" }), deltas.to_vec()));
    }
    for (id, name, arguments) in &told.calls {
        let mut start = json!({ "type": "tool_use", "name": name, "input": {} });
        if let Some(id) = id {
            start["id"] = json!(id);
        }
        let (first, second) = halves(arguments.as_deref().unwrap_or(""));
        let pieces = ["", first, second].into_iter();
        let deltas =
            pieces.map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
        events.extend(block(start, deltas.collect()));
    }
    events.push(json!({ "type": "message_delta",
        "delta": { "stop_reason": claude_reason(told), "stop_sequence": null },
        "usage": { "output_tokens": told.output } }));
    events.push(json!({ "type": "message_stop" }));
    let frame =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(frame).collect()
}
