//! What is particular to Anthropic's wire.
use super::fixtures::{ask, conversation, lab, say};
use super::wires::{Dialect, Told, Wire};
use serde_json::{Value, json};
use sovereign_backends::claude::{CLAUDE_MODEL, ClaudeConfig};
use sovereign_backends::scripted::Scripted;
use sovereign_backends::{ASSISTANT_HTTP_TIMEOUT, Claude, Streaming};
use sovereign_core::backend::{Backend, Locality};
use sovereign_core::conversation::{Conversation, TurnLimits};
use sovereign_tests::double::Double;
use std::sync::Arc;
use std::time::Duration;

const WHOLE: Wire = Wire { dialect: Dialect::Claude, in_pieces: false };
const PIECES: Wire = Wire { dialect: Dialect::Claude, in_pieces: true };

fn request(model: &Scripted, at: usize) -> Value {
    serde_json::from_str(&model.requests()[at]).unwrap()
}

/// B16, B18
#[tokio::test]
async fn a_claude_request_says_what_the_contract_asks_for() {
    let config = ClaudeConfig::in_data_dir("/nonexistent").unwrap();
    assert_eq!((config.model.as_str(), config.max_tokens), ("claude-haiku-4-5-20251001", 2048));
    assert_eq!(
        (config.reply_timeout, ASSISTANT_HTTP_TIMEOUT),
        (Duration::from_secs(180), config.reply_timeout)
    );
    assert_eq!(config.base_url.to_string(), "https://api.anthropic.com/v1");
    assert!(config.key.as_ref().unwrap().path().ends_with("secrets/claude-api-key"));
    assert_eq!(Claude::new(config).unwrap().identity().locality, Locality::Remote);

    let hello = WHOLE.answer(&Told::text("Hello."));
    let double = Double::start(move |_| hello.clone()).await;
    let base_url = format!("{}/v1", double.url()).parse().unwrap();
    let config =
        ClaudeConfig { streaming: Streaming::Never, ..ClaudeConfig::new(base_url, CLAUDE_MODEL) };
    ask(&Claude::new(config).unwrap()).await.unwrap();
    let received = &double.received()[0];
    assert_eq!(received.path, "/v1/messages");
    assert_eq!(received.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(received.header("x-api-key"), None);
    let body = received.json();
    assert_eq!(
        (&body["model"], &body["max_tokens"], &body["stream"]),
        (&json!(CLAUDE_MODEL), &json!(2048), &json!(false))
    );
    assert_eq!(body["tool_choice"], json!({ "type": "auto", "disable_parallel_tool_use": true }));
    assert_eq!(body["system"], "Be brief.");
    assert_eq!(
        body["messages"],
        json!([{ "role": "user", "content": [{ "type": "text", "text": "how much space is left?" }] }])
    );
    let tools = body["tools"].as_array().unwrap();
    let fetch = tools.iter().find(|t| t["name"] == "web__fetch__v1").unwrap();
    assert_eq!(fetch["input_schema"]["properties"]["url"]["maxLength"], 2000);
    let names: Vec<_> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "the same bytes each time: {names:?}");
}

/// agent-maestro#248, Zoo-Code#1705: results come first, in one message, one for each call
#[tokio::test]
async fn results_stand_together_right_after_their_calls() {
    let two = Told::text("One moment.")
        .calls(Some("t1"), "sums__increment__v1", Some(r#"{"n":1}"#))
        .calls(Some("t2"), "system__health__v1", None);
    let model = PIECES.telling([two, Told::text(""), Told::text("Hello.")]);
    let talk = conversation(&lab(), vec![Arc::new(model.clone())]);
    say(&talk, "both").await;
    say(&talk, "and now?").await;
    let messages = request(&model, 2)["messages"].clone();
    let roles: Vec<_> =
        messages.as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"], "an empty answer is not sent back");
    let kinds = |at: usize| -> Vec<String> {
        let blocks = messages[at]["content"].as_array().unwrap();
        blocks.iter().map(|b| b["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(1), ["text", "tool_use", "tool_use"]);
    assert_eq!(kinds(2), ["tool_result", "tool_result", "text"]);
    let errors: Vec<_> = (0..2).map(|n| messages[2]["content"][n]["is_error"].clone()).collect();
    assert_eq!(errors, [json!(false), json!(true)], "the second one failed");
}

#[tokio::test]
async fn the_closing_round_sends_tools_only_where_the_history_holds_calls() {
    let call = Told::text("").calls(Some("t"), "system__disk_status__v1", None);
    let model = PIECES.telling([call, Told::text("It is 1 KiB.")]);
    let lab = lab();
    let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(model.clone())];
    let limits = TurnLimits::default().rounds(1);
    let talk = Conversation::limited(&lab.executor, legs, lab.scope.clone(), limits);
    assert_eq!(say(&talk, "how much?").await.text, "It is 1 KiB.");
    let closing = request(&model, 1);
    assert!(!closing["tools"].as_array().unwrap().is_empty());
    assert_eq!(closing["tool_choice"], json!({ "type": "none" }));
}

const THINKING: &str = r#"{"type":"thinking", "thinking":"","signature":"c2ln"}"#;

fn with_thinking() -> String {
    format!(
        r#"{{"content":[{THINKING},{{"type":"text","text":""}},{{"type":"tool_use","id":"toolu_1","name":"sums__increment__v1","input":{{ "n":1 }},"caller":{{"type":"direct"}}}}],"stop_reason":"tool_use","usage":{{"input_tokens":9,"output_tokens":7}}}}"#
    )
}

/// hermes-agent#24107, claude-code#62396
#[tokio::test]
async fn blocks_of_the_provider_go_back_as_they_came_within_the_turn_only() {
    let model = Scripted::claude()
        .replies(with_thinking())
        .replies(WHOLE.body(&Told::text("It is 2.")))
        .replies(WHOLE.body(&Told::text("Hello.")));
    let talk = conversation(&lab(), vec![Arc::new(model.clone())]);
    say(&talk, "add").await;
    say(&talk, "and now?").await;
    let second = &model.requests()[1];
    assert!(second.contains(THINKING), "byte for byte: {second}");
    let body = request(&model, 1);
    let blocks = body["messages"][1]["content"].as_array().unwrap();
    assert_eq!((blocks.len(), &blocks[1]["caller"]), (2, &json!({ "type": "direct" })));
    assert_eq!(
        body["messages"][2]["content"][0]["tool_use_id"], "toolu_1",
        "the id that its call has"
    );
    let third = request(&model, 2);
    assert!(!third.to_string().contains("thinking"), "{third}");
    let call = &third["messages"][1]["content"][0];
    assert_eq!((&call["type"], &call["input"]), (&json!("tool_use"), &json!({ "n": 1 })));
    assert_eq!(call["id"], third["messages"][2]["content"][0]["tool_use_id"]);
}

#[tokio::test]
async fn blocks_of_one_conversation_never_reach_another() {
    let model = Scripted::claude()
        .replies(with_thinking())
        .replies(with_thinking().replace("c2ln", "b3RoZXI="))
        .replies(WHOLE.body(&Told::text("It is 2.")));
    let legs = || -> Vec<Arc<dyn Backend>> { vec![Arc::new(model.clone())] };
    let lab = lab();
    let (one, other) = (conversation(&lab, legs()), conversation(&lab, legs()));
    // the first stays in the middle of its turn
    let mut turn = one.say("add").unwrap();
    while model.requests().is_empty() {
        turn.next().await;
    }
    let report = say(&other, "add").await;
    assert_eq!(report.text, "It is 2.");
    let sent = model.requests().pop().unwrap();
    assert!(
        !sent.contains("c2ln") && !sent.contains("b3RoZXI="),
        "either may be the other's: {sent}"
    );
}

#[tokio::test]
async fn blocks_of_a_turn_that_failed_do_not_come_up_in_the_next() {
    let model = Scripted::claude()
        .replies(with_thinking())
        .answers(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#)
        .replies(WHOLE.body(&Told::text("Hello.")));
    let talk = conversation(&lab(), vec![Arc::new(model.clone())]);
    assert!(say(&talk, "add").await.error.is_some());
    assert_eq!(say(&talk, "and now?").await.text, "Hello.");
    assert!(!model.requests()[2].contains("thinking"), "{}", model.requests()[2]);
}
