//! A server shaped like Ollama whose replies the test writes.
use serde_json::{Value, json};
use sovereign_tests::double::{Answer, Double, Gate, Received};
use tokio::runtime::Runtime;

pub(super) struct Model {
    double: Double,
    // stops after the server
    _runtime: Runtime,
}

impl Model {
    /// `reply` gives the `message` of each `/api/chat` reply; it sees the request.
    pub(super) fn new(reply: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        Self::start(reply, None)
    }

    /// The same, with every reply held back until the gate opens.
    pub(super) fn held(
        gate: &Gate,
        reply: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        Self::start(reply, Some(gate.clone()))
    }

    fn start(reply: impl Fn(&Value) -> Value + Send + Sync + 'static, gate: Option<Gate>) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let answer = move |request: &Received| match request.path.as_str() {
            "/api/tags" => ok(&json!({"models": [{"name": "double:1b", "digest": "d1"}]})),
            "/api/show" => ok(&json!({"capabilities": ["completion", "tools"]})),
            "/api/ps" => ok(&json!({"models": [{"name": "double:1b", "digest": "d1"}]})),
            "/api/chat" => {
                let message = reply(&request.json());
                let body = json!({"model": "double:1b", "message": message, "done": true,
                    "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 9});
                match &gate {
                    Some(gate) => Answer::held(gate, 200, body.to_string()),
                    None => ok(&body),
                }
            }
            _ => Answer::json(404, "{}"),
        };
        let double = runtime.block_on(Double::start(answer));
        Self { double, _runtime: runtime }
    }

    /// The flags that lead a node here.
    pub(super) fn flags(&self) -> [String; 4] {
        ["--ollama-url".into(), self.double.url(), "--model".into(), "double:1b".into()]
    }

    /// The chat requests so far.
    pub(super) fn asked(&self) -> Vec<Value> {
        self.double.received_at("/api/chat").iter().map(Received::json).collect()
    }

    /// `ask --json TEXT` with this model.
    pub(super) fn ask(&self, home: &super::home::Home, text: &str) -> super::home::Ran {
        let flags = self.flags();
        home.run(["ask", "--json", text].into_iter().chain(flags.iter().map(String::as_str)))
    }
}

fn ok(body: &Value) -> Answer {
    Answer::json(200, body.to_string())
}

/// A reply that proposes, and may talk as well.
pub(super) fn proposes(text: &str, wire_name: &str, arguments: &Value) -> Value {
    json!({"role": "assistant", "content": text,
        "tool_calls": [{"function": {"name": wire_name, "arguments": arguments}}]})
}

/// A reply of words.
pub(super) fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// What the last message is, when it is an outcome.
pub(super) fn outcome(request: &Value) -> Option<String> {
    let last = request["messages"].as_array()?.last()?;
    (last["role"] == "tool").then(|| last["content"].as_str().unwrap_or_default().to_owned())
}

/// Proposes this once, then talks.
pub(super) fn once(wire_name: &'static str, arguments: Value) -> Model {
    Model::new(move |request| match outcome(request) {
        None => proposes("", wire_name, &arguments),
        Some(_) => says("So that is how it went."),
    })
}
