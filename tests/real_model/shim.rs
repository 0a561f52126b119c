//! A shim that answers Ollama's `/api/*` from a llama.cpp server.
//!
//! It is no Ollama. From 0.30 on, Ollama itself answers most models this way: it is a proxy that
//! translates between its own wire and the same server, so what the adapter sees here has the shape of
//! the real thing, made from the real model's words.
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub struct OllamaShim {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl OllamaShim {
    /// In front of that server.
    pub async fn start(server: &str) -> Self {
        let server = super::force::host(server);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                if let Some((head, body)) = super::force::read(&mut client).await {
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    let (status, kind, body) = answer(&server, &path, &body).await;
                    let answer = format!(
                        "HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    // the client may have gone: it is allowed to
                    let _gone = client.write_all(answer.as_bytes()).await;
                }
            }
        });
        Self { address, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for OllamaShim {
    fn drop(&mut self) {
        self.task.abort();
    }
}

const JSON: &str = "application/json";

async fn answer(server: &str, path: &str, body: &[u8]) -> (u16, &'static str, String) {
    let model = json!({ "name": "smollm2:latest", "digest": "d1" });
    match path {
        "/api/tags" => (200, JSON, json!({ "models": [model] }).to_string()),
        "/api/ps" => (200, JSON, json!({ "models": [model] }).to_string()),
        "/api/show" => {
            let (_, props) = ask(server, "GET", "/props", b"").await;
            let tools = props["chat_template_caps"]["supports_tools"] == true;
            let can = if tools { json!(["completion", "tools"]) } else { json!(["completion"]) };
            (200, JSON, json!({ "capabilities": can }).to_string())
        }
        "/api/chat" => chat(server, &serde_json::from_slice(body).unwrap()).await,
        _ => (404, JSON, "404 page not found".to_owned()),
    }
}

async fn chat(server: &str, request: &Value) -> (u16, &'static str, String) {
    let mut sent = json!({
        "messages": request["messages"].as_array().unwrap().iter().map(message).collect::<Vec<_>>(),
        "max_tokens": request["options"]["num_predict"],
    });
    if request["tools"].is_array() {
        sent["tools"] = request["tools"].clone();
    }
    let (status, reply) =
        ask(server, "POST", "/v1/chat/completions", sent.to_string().as_bytes()).await;
    if status != 200 {
        let error = json!({ "error": reply["error"]["message"] });
        return (status, JSON, error.to_string());
    }
    let choice = &reply["choices"][0];
    let mut calls = Vec::new();
    for call in choice["message"]["tool_calls"].as_array().into_iter().flatten() {
        let text = call["function"]["arguments"].as_str().unwrap_or_default();
        let Ok(arguments) = serde_json::from_str::<Value>(text) else {
            let error = "llama-server returned invalid tool call arguments";
            return (500, JSON, json!({ "error": error }).to_string());
        };
        let function =
            json!({ "index": 0, "name": call["function"]["name"], "arguments": arguments });
        calls.push(json!({ "id": "call_a1b2c3d4", "function": function }));
    }
    let content = choice["message"]["content"].as_str().unwrap_or_default();
    let reason = if choice["finish_reason"] == "length" { "length" } else { "stop" };
    let end = json!({
        "done": true, "done_reason": reason,
        "prompt_eval_count": reply["usage"]["prompt_tokens"], "eval_count": reply["usage"]["completion_tokens"],
    });
    let merged = |message: Value, end: &Value| {
        let mut line = json!({ "model": "smollm2", "message": message });
        line.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        line.to_string()
    };
    if request["stream"] == true {
        let words = content.split_inclusive(' ').map(|word| {
            merged(json!({ "role": "assistant", "content": word }), &json!({ "done": false }))
                + "\n"
        });
        let last = merged(json!({ "role": "assistant", "content": "", "tool_calls": calls }), &end);
        (200, "application/x-ndjson", words.collect::<String>() + &last + "\n")
    } else {
        let message = json!({ "role": "assistant", "content": content, "tool_calls": calls });
        (200, JSON, merged(message, &end))
    }
}

/// A message of Ollama's as the server takes it: arguments become a string again.
fn message(ours: &Value) -> Value {
    let mut message = ours.clone();
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        let arguments = call["function"]["arguments"].to_string();
        call["type"] = json!("function");
        call["function"] = json!({ "name": call["function"]["name"], "arguments": arguments });
    }
    message
}

async fn ask(server: &str, method: &str, path: &str, body: &[u8]) -> (u16, Value) {
    let mut stream = TcpStream::connect(server).await.unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.unwrap();
    let text = String::from_utf8(reply).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body.trim()).unwrap_or_default())
}
