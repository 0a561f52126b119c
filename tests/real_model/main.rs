//! The adapters against a real llama.cpp server with a real, small model. `tests/model` starts it and
//! runs this; it is no part of `cargo test` because it needs what that must not download.
mod force;
mod node;
mod shim;

use force::Forced;
use shim::OllamaShim;
use sovereign_backends::{
    Claude, ClaudeConfig, Ollama, OllamaConfig, OpenAi, OpenAiConfig, Streaming,
};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{
    Backend, BackendError, BackendTurn, DeltaSink, FailureClass, Message, Request, Stop,
};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Report};
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(300);
const STREAMING: [Streaming; 2] = [Streaming::Never, Streaming::Always];

/// Tells the weather of a city.
#[capability(name = "weather.current", side_effect = read_only, network = local, category = system)]
pub struct Weather {
    /// The city.
    #[arg(length(min = 1, max = 60))]
    city: String,
}

impl Run for Weather {
    type State = Mutex<Vec<String>>;
    type Output = String;
    async fn run(self, call: Call<'_, Self>) -> Result<String, Failure> {
        call.state().lock().unwrap().push(self.city);
        Ok("12 degrees and rain".to_owned())
    }
}

static WEATHER: Plugin<Mutex<Vec<String>>> = Plugin::new("weather", &[Weather::ENTRY]);

/// A base URL that `tests/model` put into the environment.
fn server(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("`{name}` is not set; run `tests/model`"))
}

/// The server whose template makes calls.
fn calling() -> String {
    server("SOVEREIGN_MODEL_CALLING")
}

/// The server with the model's own template, which has no tools.
fn plain() -> String {
    server("SOVEREIGN_MODEL_PLAIN")
}

/// Both adapters, whole and in pieces.
fn legs(url: &str, max_tokens: u32) -> Vec<(String, Arc<dyn Backend>)> {
    let mut legs: Vec<(String, Arc<dyn Backend>)> = Vec::new();
    for streaming in STREAMING {
        let base = || format!("{url}/v1").parse().unwrap();
        let openai = OpenAiConfig {
            streaming,
            max_tokens,
            reply_timeout: LONG,
            ..OpenAiConfig::new(base(), "smollm2")
        };
        let claude = ClaudeConfig {
            streaming,
            max_tokens,
            reply_timeout: LONG,
            ..ClaudeConfig::new(base(), "smollm2")
        };
        legs.push((format!("openai {streaming:?}"), Arc::new(OpenAi::new(openai).unwrap())));
        legs.push((format!("claude {streaming:?}"), Arc::new(Claude::new(claude).unwrap())));
    }
    legs
}

/// The Ollama adapter, whole and in pieces.
fn ollama(shim: &OllamaShim, num_predict: u32) -> Vec<(String, Arc<dyn Backend>)> {
    let leg = |streaming| {
        let config = OllamaConfig {
            streaming,
            num_predict,
            reply_timeout: LONG,
            ..OllamaConfig::new(shim.url().parse().unwrap(), "smollm2")
        };
        let leg: Arc<dyn Backend> = Arc::new(Ollama::new(config).unwrap());
        (format!("ollama {streaming:?}"), leg)
    };
    STREAMING.map(leg).to_vec()
}

#[derive(Default)]
struct Deltas(Vec<String>);

impl DeltaSink for Deltas {
    fn text(&mut self, delta: &str) {
        self.0.push(delta.to_owned());
    }
}

/// One question without tools, and the pieces of its answer.
async fn ask(leg: &dyn Backend, text: &str) -> Result<(BackendTurn, Vec<String>), BackendError> {
    let lab = Harness::install(&WEATHER, Arc::default()).build();
    let catalog = lab.executor.catalog(&lab.scope);
    let messages = [Message::User(text.to_owned())];
    let mut deltas = Deltas::default();
    let request =
        Request::new("Answer in one short sentence.", &messages, &catalog, LONG).closing();
    let turn = leg.send(request, &mut deltas).await?;
    assert_eq!(deltas.0.concat(), turn.text, "deltas are the text");
    Ok((turn, deltas.0))
}

/// One turn with one capability; gives back the cities that it was called with.
async fn converse(leg: Arc<dyn Backend>) -> (Report, Vec<String>) {
    let cities = Arc::new(Mutex::new(Vec::new()));
    let lab = Harness::install(&WEATHER, Arc::clone(&cities)).build();
    let talk = Conversation::with_legs(&lab.executor, vec![leg], lab.scope.clone());
    let turn = talk.say("What is the weather in Paris?").unwrap();
    let report = turn.run(|_| Decision::Deny).await;
    let cities = cities.lock().unwrap().clone();
    (report, cities)
}

#[tokio::test]
async fn a_real_model_answers_whole_and_in_pieces() {
    for (name, leg) in legs(&plain(), 24) {
        let (turn, deltas) = ask(&*leg, "What is the capital of France?").await.unwrap();
        println!("{name}: {:?} {:?} {:?}", turn.text, turn.usage, turn.stop);
        assert!(!turn.text.trim().is_empty(), "{name}");
        assert!(turn.usage.input > 0 && turn.usage.output > 0, "{name}");
        assert_eq!(deltas.len() > 1, name.ends_with("Always"), "{name}: {deltas:?}");
        assert_eq!(turn.stop == Stop::Length, turn.usage.output >= 24, "{name}");
    }
}

#[tokio::test]
async fn a_forced_call_of_a_real_model_runs_through_the_whole_pipeline() {
    let forced = Forced::start(&calling(), &plain()).await;
    for (name, leg) in legs(&forced.url(), 60) {
        let (report, cities) = converse(leg).await;
        println!("{name}: {cities:?} {:?}", report.text);
        let ends: Vec<_> = report.receipts.iter().map(|r| (r.outcome, r.code)).collect();
        assert_eq!(ends, [(OutcomeKind::Executed, None)], "{name}: {report:?}");
        assert_eq!(cities, ["Paris"], "{name}");
        assert!(!report.text.trim().is_empty() && report.error.is_none(), "{name}: {report:?}");
    }
}

#[tokio::test]
async fn a_cut_call_of_a_real_model_is_vetoed() {
    let forced = Forced::start(&calling(), &plain()).await;
    // in the middle of the arguments
    for (name, leg) in legs(&forced.url(), 12) {
        let (report, cities) = converse(leg).await;
        let ends: Vec<_> = report.receipts.iter().map(|r| (r.outcome, r.code)).collect();
        println!("{name}: {ends:?}");
        let truncated = (OutcomeKind::ParseFailed, Some("truncated_reply"));
        assert_eq!(ends, [truncated], "{name}: {report:?}");
        assert!(cities.is_empty(), "{name}");
    }
    // in the middle of the name, which this server gives out as prose
    for (name, leg) in legs(&forced.url(), 6) {
        let (report, cities) = converse(leg).await;
        println!("{name}: {:?}", report.text);
        assert!(cities.is_empty() && report.receipts.is_empty(), "{name}: {report:?}");
    }
}

#[tokio::test]
async fn a_real_template_without_tools_is_not_ready() {
    let (_, with_tools) = &legs(&calling(), 6)[0];
    with_tools.ready().await.unwrap();
    let (_, without) = &legs(&plain(), 6)[0];
    let error = without.ready().await.unwrap_err();
    assert_eq!(error.class(), FailureClass::Unsupported);
    assert_eq!(error.to_string(), "the chat template of `smollm2` has no tools");
}

#[tokio::test]
async fn a_real_prompt_that_does_not_fit_says_so() {
    for (name, leg) in legs(&plain(), 6) {
        let error = ask(&*leg, &"many words ".repeat(4000)).await.unwrap_err();
        assert_eq!(error.class(), FailureClass::TooLong, "{name}: {error}");
    }
}

#[tokio::test]
async fn a_real_model_answers_the_ollama_adapter_through_a_shim() {
    let shim = OllamaShim::start(&plain()).await;
    for (name, leg) in ollama(&shim, 24) {
        let (turn, deltas) = ask(&*leg, "What is the capital of France?").await.unwrap();
        println!("{name}: {:?} {:?} {:?}", turn.text, turn.usage, turn.stop);
        assert!(!turn.text.trim().is_empty(), "{name}");
        assert_eq!(deltas.len() > 1, name.ends_with("Always"), "{name}: {deltas:?}");
        let error = leg.ready().await.unwrap_err();
        assert_eq!(error.to_string(), "model `smollm2` does not support tools", "{name}");
    }
}

#[tokio::test]
async fn a_forced_call_reaches_the_ollama_adapter_through_a_shim() {
    let forced = Forced::start(&calling(), &plain()).await;
    let shim = OllamaShim::start(&forced.url()).await;
    for (name, leg) in ollama(&shim, 60) {
        let (report, cities) = converse(leg).await;
        println!("{name}: {cities:?} {:?}", report.text);
        let ends: Vec<_> = report.receipts.iter().map(|r| (r.outcome, r.code)).collect();
        assert_eq!(ends, [(OutcomeKind::Executed, None)], "{name}: {report:?}");
        assert_eq!(cities, ["Paris"], "{name}");
        assert!(!report.text.trim().is_empty() && report.error.is_none(), "{name}: {report:?}");
    }
}

/// As Ollama does, the shim answers 500 where arguments were cut.
#[tokio::test]
async fn a_cut_call_is_a_failed_leg_of_the_ollama_adapter_through_a_shim() {
    let forced = Forced::start(&calling(), &plain()).await;
    let shim = OllamaShim::start(&forced.url()).await;
    for (name, leg) in ollama(&shim, 12) {
        let (report, cities) = converse(leg).await;
        assert!(cities.is_empty() && report.receipts.is_empty(), "{name}: {report:?}");
        let reason = "it answered 500: llama-server returned invalid tool call arguments";
        assert_eq!(report.backend.skipped[0].reason, reason, "{name}");
    }
}
