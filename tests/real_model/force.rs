//! A forwarder between adapter and server that makes a small model call.
//!
//! No adapter forces a call, and a model of this size makes none by itself. So this changes three fields
//! of a request on its way (the choice of tools; the temperature, so that each run is the same; and how
//! likely a reply ends, because this model would make a call without arguments again and again) and
//! nothing of a reply. A request that ends in a result goes to the server with the model's own template,
//! without the tools, because the other template can only make calls.
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The token `<|im_end|>` of this model.
const END_OF_TURN: u32 = 2;

pub struct Forced {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Forced {
    pub async fn start(calling: &str, plain: &str) -> Self {
        let (calling, plain) = (host(calling), host(plain));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                forward(client, &calling, &plain).await;
            }
        });
        Self { address, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Forced {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(mut client: TcpStream, calling: &str, plain: &str) {
    let Some((head, body)) = read(&mut client).await else { return };
    let first = head.lines().next().unwrap_or_default();
    let (body, to) = match serde_json::from_slice::<Value>(&body) {
        Ok(mut request) => {
            let after_result = ends_in_result(&request);
            let is_messages = first.contains("/messages");
            request["temperature"] = json!(0);
            if after_result {
                for field in ["tools", "tool_choice", "parallel_tool_calls"] {
                    request.as_object_mut().unwrap().remove(field);
                }
            } else {
                request["tool_choice"] =
                    if is_messages { json!({ "type": "any" }) } else { json!("required") };
                if !is_messages {
                    request["logit_bias"] = json!([[END_OF_TURN, 50.0]]);
                }
            }
            (request.to_string().into_bytes(), if after_result { plain } else { calling })
        }
        Err(_) => (body, calling),
    };
    let mut server = TcpStream::connect(to).await.unwrap();
    let head = format!(
        "{first}\r\nhost: {to}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    server.write_all(head.as_bytes()).await.unwrap();
    server.write_all(&body).await.unwrap();
    // the client may have gone: it is allowed to
    let _gone = tokio::io::copy(&mut server, &mut client).await;
}

/// The host and port of a base URL.
pub fn host(url: &str) -> String {
    url.trim_start_matches("http://").trim_end_matches('/').to_owned()
}

/// Whether the last thing said is the result of a call.
fn ends_in_result(request: &Value) -> bool {
    let last = request["messages"].as_array().and_then(|m| m.last()).cloned().unwrap_or_default();
    last["role"] == "tool" || last["content"][0]["type"] == "tool_result"
}

/// One request: its head and its body.
pub async fn read(client: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at;
        }
        if client.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let length = head.lines().find_map(|l| {
        let (name, value) = l.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = bytes.split_off(end + 4);
    while body.len() < length.unwrap_or(0) {
        if client.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some((head, body))
}
