//! What each leg says that its model holds, and where it knows that from.
use super::fixtures::{conversation, lab, say};
use super::wires::{Dialect, Told, Wire};
use serde_json::{Value, json};
use sovereign_backends::claude::CLAUDE_WINDOW;
use sovereign_backends::{Claude, ClaudeConfig, OpenAi, OpenAiConfig};
use sovereign_core::backend::{Backend, Window};
use sovereign_core::conversation::TurnError;
use sovereign_tests::double::{Answer, Double};
use std::sync::{Arc, Mutex};

const CHAT: &str = "/v1/chat/completions";

/// A `llama-server` that says this of its context, and answers everything with one word.
struct LlamaServer {
    double: Double,
    n_ctx: Arc<Mutex<Value>>,
}

impl LlamaServer {
    async fn with(n_ctx: Value) -> Self {
        let n_ctx = Arc::new(Mutex::new(n_ctx));
        let told = Arc::clone(&n_ctx);
        let hello = Wire { dialect: Dialect::OpenAi, in_pieces: false }.body(&Told::text("Hello."));
        let double = Double::start(move |request| match request.path.as_str() {
            CHAT => Answer::json(200, &hello),
            "/props" => {
                let settings = json!({ "n_ctx": *told.lock().unwrap() });
                let caps = json!({ "supports_tools": true });
                let props =
                    json!({ "default_generation_settings": settings, "chat_template_caps": caps });
                Answer::json(200, props.to_string())
            }
            _ => Answer::json(404, "{}"),
        })
        .await;
        Self { double, n_ctx }
    }

    fn leg(&self, window: Option<u32>) -> OpenAi {
        let base = format!("{}/v1", self.double.url()).parse().unwrap();
        OpenAi::new(OpenAiConfig { window, ..OpenAiConfig::new(base, "m") }).unwrap()
    }
}

fn tokens(leg: &dyn Backend) -> Option<usize> {
    leg.window().map(|window| window.tokens)
}

#[tokio::test]
async fn a_server_on_this_device_says_how_large_its_window_is_and_is_asked_for_each_turn() {
    let server = LlamaServer::with(json!(4096)).await;
    let (leg, told_more, told_less) =
        (server.leg(None), server.leg(Some(32_768)), server.leg(Some(2_048)));
    assert_eq!((tokens(&leg), tokens(&told_more)), (None, Some(32_768)), "nobody was asked yet");
    for leg in [&leg, &told_more, &told_less] {
        leg.ready().await.unwrap();
    }
    assert_eq!(leg.window(), Some(Window { tokens: 4_096, reply: 1_024 }));
    // whoever says less is right: more would be refused by the server, or is not wanted
    assert_eq!((tokens(&told_more), tokens(&told_less)), (Some(4_096), Some(2_048)));
    *server.n_ctx.lock().unwrap() = json!(65_536);
    leg.ready().await.unwrap();
    assert_eq!(leg.window(), Some(Window { tokens: 65_536, reply: 2_048 }), "started anew");
    for nothing in [json!(0), json!(-1), json!("4096"), json!(1_u64 << 40), Value::Null] {
        *server.n_ctx.lock().unwrap() = nothing;
        leg.ready().await.unwrap();
        assert_eq!(tokens(&leg), None);
    }
}

#[tokio::test]
async fn a_request_is_held_against_the_window_that_the_server_named() {
    for (n_ctx, fits) in [(4_096, false), (32_768, true)] {
        let server = LlamaServer::with(json!(n_ctx)).await;
        let chat = conversation(&lab(), vec![Arc::new(server.leg(None))]);
        // more than a leg is sent of whom nothing is known
        let report = say(&chat, &"some words ".repeat(2_500)).await;
        let sent = server.double.received_at(CHAT);
        assert_eq!(sent.len(), usize::from(fits), "{report:?}");
        assert_eq!(report.error, (!fits).then_some(TurnError::TooLong));
        assert!(sent.iter().all(|request| request.body.len() > 27_500));
    }
}

#[tokio::test]
async fn anthropics_window_is_known_and_that_of_another_server_of_its_wire_is_not() {
    let there = ClaudeConfig::in_data_dir("/nowhere").unwrap();
    assert_eq!(there.window, Some(CLAUDE_WINDOW));
    let other = ClaudeConfig::new("http://127.0.0.1:8080/v1".parse().unwrap(), "m");
    let window = |config: ClaudeConfig| Claude::new(config).unwrap().window();
    assert_eq!(window(there.clone()), Some(Window { tokens: 200_000, reply: 2_048 }));
    assert_eq!(window(other.clone()), None);
    let less = Some(Window { tokens: 4_096, reply: 1_024 });
    for config in [there, other] {
        assert_eq!(window(ClaudeConfig { window: Some(4_096), ..config }), less);
    }
}
