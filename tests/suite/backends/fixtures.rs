//! A model server, capabilities, and the real executor between them.
use sovereign_backends::{Ollama, OllamaConfig};
use sovereign_core::backend::{Backend, BackendError, BackendTurn, Message, Request};
use sovereign_core::capability::Reach;
use sovereign_core::catalog::CatalogSnapshot;
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Report};
use sovereign_core::prelude::*;
use sovereign_core::testing::{Harness, HarnessBuilder, Replies};
use sovereign_tests::double::{Answer, Double, Received};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Reports how much disk space is free, used and left on the data volume.
#[capability(
    name = "system.disk_status", side_effect = read_only, network = local, category = system,
    max_per_turn = 3,
)]
pub struct DiskStatus {}

/// Space on a volume.
#[derive(Debug, serde::Serialize, Schema)]
pub struct Space {
    /// All of it.
    pub total_bytes: u64,
    /// What is free.
    pub free_bytes: u64,
    /// What is used.
    pub used_percent: f64,
}

impl Run for DiskStatus {
    type State = ();
    type Output = Space;
    async fn run(self, _: Call<'_, Self>) -> Result<Space, Failure> {
        Ok(Space { total_bytes: 4096, free_bytes: 1024, used_percent: 75.0 })
    }
}

/// Tells whether the node is healthy.
#[capability(name = "system.health", side_effect = read_only, network = local, category = system)]
pub struct Health {}

impl Run for Health {
    type State = ();
    type Output = bool;
    async fn run(self, _: Call<'_, Self>) -> Result<bool, Failure> {
        Err(Failure::new("no_sensor"))
    }
}

/// Adds one to a number.
#[capability(
    name = "sums.increment", side_effect = read_only, network = local, category = notes,
    max_per_turn = 12,
)]
pub struct Increment {
    /// The number.
    n: u32,
}

impl Run for Increment {
    type State = ();
    type Output = u32;
    async fn run(self, _: Call<'_, Self>) -> Result<u32, Failure> {
        Ok(self.n.saturating_add(1))
    }
}

/// Fetches one page from the web as text.
#[capability(name = "web.fetch", side_effect = read_only, network = external, category = search)]
pub struct Fetch {
    /// The page to fetch; this leaves the device.
    #[arg(length(max = 2000))]
    url: String,
}

impl Run for Fetch {
    type State = ();
    type Output = String;
    async fn run(self, _: Call<'_, Self>) -> Result<String, Failure> {
        Ok(self.url)
    }
}

static HERE: Plugin<()> =
    Plugin::new("here", &[DiskStatus::ENTRY, Health::ENTRY, Increment::ENTRY]);
static WEB: Plugin<()> = Plugin::new("web", &[Fetch::ENTRY]);

pub fn lab() -> Harness {
    lab_builder().build()
}

pub fn lab_builder() -> HarnessBuilder {
    let nowhere = Arc::new(Replies::reaching(Reach::public()));
    Harness::install(&HERE, Arc::default()).install_reaching(&WEB, Arc::default(), nowhere)
}

/// An Ollama-shaped server with a model `m` that can propose; chat answers come in order.
pub async fn server(chat: impl IntoIterator<Item = Answer>) -> Double {
    let chat = Mutex::new(chat.into_iter().collect::<VecDeque<_>>());
    Double::start(move |request| match request.path.as_str() {
        "/api/chat" => {
            let next = chat.lock().unwrap().pop_front();
            next.unwrap_or_else(|| Answer::json(500, r#"{"error":"the script is over"}"#))
        }
        _ => about_the_model(request),
    })
    .await
}

pub fn about_the_model(request: &Received) -> Answer {
    match request.path.as_str() {
        "/api/tags" => Answer::json(200, r#"{"models":[{"name":"m:latest","digest":"d1"}]}"#),
        "/api/show" => Answer::json(200, r#"{"capabilities":["completion","tools"]}"#),
        "/api/ps" => Answer::json(200, r#"{"models":[{"name":"m:latest","context_length":8192}]}"#),
        _ => Answer::json(404, "404 page not found"),
    }
}

pub fn config(double: &Double) -> OllamaConfig {
    OllamaConfig::new(double.url().parse().unwrap(), "m")
}

pub fn ollama(double: &Double) -> Ollama {
    Ollama::new(config(double)).unwrap()
}

/// A chat reply of prose.
pub fn says(text: &str) -> Answer {
    let content = serde_json::to_string(text).unwrap();
    Answer::json(
        200,
        format!(
            r#"{{"model":"m","message":{{"role":"assistant","content":{content}}},"done":true,"done_reason":"stop"}}"#
        ),
    )
}

/// A chat reply of these calls.
pub fn calls(calls: &str) -> Answer {
    Answer::json(
        200,
        format!(
            r#"{{"model":"m","message":{{"role":"assistant","content":"","tool_calls":{calls}}},"done":true,"done_reason":"stop"}}"#
        ),
    )
}

/// One message of a person, sent to one backend with everything in the catalog.
pub async fn ask(backend: &dyn Backend) -> Result<BackendTurn, BackendError> {
    ask_within(backend, Duration::from_secs(30)).await
}

pub async fn ask_within(
    backend: &dyn Backend,
    timeout: Duration,
) -> Result<BackendTurn, BackendError> {
    // thousands of bodies are read against one catalog
    static CATALOG: OnceLock<CatalogSnapshot> = OnceLock::new();
    let catalog = CATALOG.get_or_init(|| {
        let lab = lab();
        lab.executor.catalog(&lab.scope)
    });
    let messages = [Message::User("how much space is left?".into())];
    let mut text = String::new();
    let turn =
        backend.send(Request::new("Be brief.", &messages, catalog, timeout), &mut text).await?;
    assert_eq!(text, turn.text, "deltas are the text");
    Ok(turn)
}

/// One turn of a conversation with these legs; what is to be confirmed is denied.
pub async fn say(conversation: &Conversation, text: &str) -> Report {
    conversation.say(text).unwrap().run(|_| Decision::Deny).await
}

pub fn conversation(lab: &Harness, legs: Vec<Arc<dyn Backend>>) -> Conversation {
    Conversation::with_legs(&lab.executor, legs, lab.scope.clone())
}
