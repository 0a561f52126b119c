//! What is particular to servers of the OpenAI-compatible kind.
use super::fixtures::{ask, conversation, lab, say};
use super::wires::{Dialect, Told, Wire};
use serde_json::{Value, json};
use sovereign_backends::openai::{CapField, NoContent, OpenAiConfig, Quirks};
use sovereign_backends::scripted::Scripted;
use sovereign_backends::{OpenAi, Streaming};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{Backend, FailureClass, Stop};
use sovereign_core::conversation::{Conversation, TurnLimits};
use sovereign_tests::double::{Answer, Double};
use std::sync::Arc;

const WHOLE: Wire = Wire { dialect: Dialect::OpenAi, in_pieces: false };
const PIECES: Wire = Wire { dialect: Dialect::OpenAi, in_pieces: true };

fn config() -> OpenAiConfig {
    OpenAiConfig::new("http://127.0.0.1:1/v1".parse().unwrap(), "m")
}

fn request(model: &Scripted, at: usize) -> Value {
    serde_json::from_str(&model.requests()[at]).unwrap()
}

fn frames(deltas: &[&str]) -> String {
    let frames: String = deltas.iter().map(|delta| format!("data: {delta}\n\n")).collect();
    format!("{frames}data: [DONE]\n\n")
}

#[tokio::test]
async fn a_request_has_the_function_envelope_and_the_cap() {
    let model = PIECES.telling([Told::text("Hello.")]);
    ask(&model).await.unwrap();
    let body = request(&model, 0);
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "how much space is left?" },
        ])
    );
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("m"), &json!(500)));
    assert_eq!(body["parallel_tool_calls"], false);
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
    let tools = body["tools"].as_array().unwrap();
    let fetch = tools.iter().find(|t| t["function"]["name"] == "web__fetch__v1").unwrap();
    assert_eq!(fetch["type"], "function");
    assert_eq!(fetch["function"]["parameters"]["properties"]["url"]["maxLength"], 2000);
    assert!(fetch["function"].get("strict").is_none());
}

/// ollama#14181 on one server, llama-cpp-python on the other
#[tokio::test]
async fn no_prose_beside_calls_is_written_as_the_server_takes_it() {
    for (no_content, written) in [(NoContent::Null, Value::Null), (NoContent::Empty, json!(""))] {
        let quirks = Quirks { no_content, ..Quirks::COMMON };
        let model = Scripted::openai_with(OpenAiConfig { quirks, ..config() });
        let call = Told::text("").calls(Some("a"), "sums__increment__v1", Some(r#"{ "n":1 }"#));
        let model = [call, Told::text("Done.")]
            .iter()
            .fold(model, |model, told| PIECES.replies(model, PIECES.body(told)));
        say(&conversation(&lab(), vec![Arc::new(model.clone())]), "add").await;
        let sent = &request(&model, 1)["messages"][2];
        assert_eq!(sent["content"], written);
        assert_eq!(sent["tool_calls"][0]["function"]["arguments"], r#"{ "n":1 }"#, "as received");
        let id = sent["tool_calls"][0]["id"].as_str().unwrap();
        assert!(id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()), "server#233: {id}");
    }
}

/// dify#24307 and many: asked once more under the other name, and then always
#[tokio::test]
async fn the_other_name_of_the_cap_is_tried_when_a_server_demands_it() {
    let demand = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let hello = WHOLE.body(&Told::text("Hello."));
    let model =
        Scripted::openai_with(config()).answers(400, demand).replies(hello.clone()).replies(hello);
    for _ in 0..2 {
        assert_eq!(ask(&model).await.unwrap().text, "Hello.");
    }
    let caps: Vec<_> = (0..3).map(|n| request(&model, n)).collect();
    assert_eq!(
        (&caps[0]["max_tokens"], &caps[0]["max_completion_tokens"]),
        (&json!(2048), &Value::Null)
    );
    for body in &caps[1..] {
        assert_eq!(
            (&body["max_tokens"], &body["max_completion_tokens"]),
            (&Value::Null, &json!(2048))
        );
    }
    let stubborn = Scripted::openai_with(config()).answers(400, demand).answers(400, demand);
    assert_eq!(ask(&stubborn).await.unwrap_err().class(), FailureClass::Rejected);
    assert_eq!(stubborn.requests().len(), 2, "once more, not for ever");
    let quirks = Quirks { cap_field: CapField::MaxCompletionTokens, ..Quirks::COMMON };
    let model = Scripted::openai_with(OpenAiConfig { quirks, ..config() });
    let model = model.replies(WHOLE.body(&Told::text("Hello.")));
    ask(&model).await.unwrap();
    assert_eq!(request(&model, 0)["max_completion_tokens"], 2048);
}

#[tokio::test]
async fn the_closing_round_offers_nothing() {
    let call = Told::text("").calls(Some("a"), "system__disk_status__v1", None);
    let model = PIECES.telling([call, Told::text("It is 1 KiB.")]);
    let lab = lab();
    let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(model.clone())];
    let limits = TurnLimits::default().rounds(1);
    let talk = Conversation::limited(&lab.executor, legs, lab.scope.clone(), limits);
    assert_eq!(say(&talk, "how much?").await.text, "It is 1 KiB.");
    for field in ["tools", "parallel_tool_calls"] {
        let offered: Vec<_> = (0..2).map(|n| request(&model, n).get(field).is_some()).collect();
        assert_eq!(offered, [true, false], "{field}");
    }
}

/// rig#2328: a reason in the middle does not end the reply
#[tokio::test]
async fn text_after_a_reason_to_stop_is_kept() {
    let body = frames(&[
        r#"{"choices":[{"delta":{"content":"One "},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":"two."},"finish_reason":null}]}"#,
    ]);
    assert_eq!(ask(&PIECES.replies(PIECES.scripted(), body)).await.unwrap().text, "One two.");
}

/// goose#8641, cline#8518, KiCad-AI-Assistant#90
#[tokio::test]
async fn frames_without_a_delta_are_passed_over() {
    let body = frames(&[
        r#"{"choices":[]}"#,
        r#"{"choices":null,"usage":null}"#,
        r#"{"choices":[{"index":0,"content_filter_results":{}}],"prompt_filter_results":[]}"#,
        r#"{"choices":[{"delta":null}]}"#,
        r#"{"choices":[{"delta":{"content":"Hello."}}]}"#,
        r#"{"usage":{"completion_tokens":3}}"#,
    ]);
    let turn = ask(&PIECES.replies(PIECES.scripted(), body)).await.unwrap();
    assert_eq!((turn.text.as_str(), turn.usage.output), ("Hello.", 3));
}

/// goose#6309
#[tokio::test]
async fn a_frame_that_cannot_be_read_is_an_error_not_an_end() {
    let body = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\"}}]}}]}\n\ndata: {\"choices\":[{\"del\n\ndata: [DONE]\n\n";
    let error = ask(&PIECES.replies(PIECES.scripted(), body)).await.unwrap_err();
    assert_eq!(error.class(), FailureClass::Protocol);
}

/// earendil-works/pi#2537: what llama-cpp-python streams instead of an error
#[tokio::test]
async fn an_empty_stream_is_no_answer() {
    for body in ["", "\n\n", ": ping\n\n"] {
        assert!(ask(&PIECES.replies(PIECES.scripted(), body)).await.is_err());
    }
}

#[tokio::test]
async fn a_stream_without_done_counts_only_where_it_is_known_to() {
    let body =
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert!(ask(&PIECES.replies(PIECES.scripted(), body)).await.is_err());
    let quirks = Quirks { ends_with_done: false, ..Quirks::COMMON };
    let lenient = || Scripted::openai_with(OpenAiConfig { quirks, ..config() });
    assert_eq!(ask(&lenient().streams([body])).await.unwrap().text, "Hi.");
    let unfinished = body.replace(r#""stop""#, "null");
    assert!(ask(&lenient().streams([unfinished])).await.is_err());
    assert!(ask(&lenient().breaks_after([body])).await.is_err());
}

/// rig#2332
#[tokio::test]
async fn a_streamed_refusal_is_shown() {
    let body = frames(&[
        r#"{"choices":[{"delta":{"content":null,"refusal":"I will "}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}"#,
    ]);
    let turn = ask(&PIECES.replies(PIECES.scripted(), body)).await.unwrap();
    assert_eq!((turn.text.as_str(), turn.stop), ("I will not.", Stop::Refusal));
}

/// recorded from llama-server with a cap of six tokens, and from llama-cpp-python, which hides it
#[tokio::test]
async fn recorded_cut_calls_are_vetoed() {
    let llama_server = r#"{"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"system__disk_status__v1","arguments":"{"},"id":"xuzs"}]}}],"usage":{"completion_tokens":6,"prompt_tokens":60,"total_tokens":66}}"#;
    let llama_cpp_python = r#"{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"system__disk_status__v1","arguments":"{}"},"id":"call__0_x"}],"function_call":{"name":"system__disk_status__v1","arguments":"{}"}}}],"usage":{"completion_tokens":6}}"#;
    for body in [llama_server, llama_cpp_python] {
        let config = OpenAiConfig { max_tokens: 6, ..config() };
        let model = Scripted::openai_with(config)
            .replies(body)
            .replies(WHOLE.body(&Told::text("Sorry.").output(2)));
        let report = say(&conversation(&lab(), vec![Arc::new(model)]), "go").await;
        let ends: Vec<_> = report.receipts.iter().map(|r| (r.outcome, r.code)).collect();
        assert_eq!(ends, [(OutcomeKind::ParseFailed, Some("truncated_reply"))]);
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let model = PIECES.scripted().replies(WHOLE.body(&Told::text("Hello.")));
    assert_eq!(ask(&model).await.unwrap().text, "Hello.");
}

async fn ready(props: Answer) -> (Result<(), String>, Vec<String>) {
    let double = Double::start(move |_| props.clone()).await;
    let config = OpenAiConfig::new(format!("{}/v1", double.url()).parse().unwrap(), "m");
    let leg = OpenAi::new(OpenAiConfig { streaming: Streaming::Never, ..config }).unwrap();
    let ready = leg.ready().await.map_err(|e| e.to_string());
    (ready, double.received().iter().map(|r| format!("{} {}", r.method, r.path)).collect())
}

/// llama.cpp#27129: tools are left out silently where the template has none
#[tokio::test]
async fn a_template_without_tools_is_found_out_before_anything_is_sent() {
    let none = r#"{"chat_template_caps":{"supports_tools":false}}"#;
    let (not_ready, asked) = ready(Answer::json(200, none)).await;
    assert_eq!(not_ready.unwrap_err(), "the chat template of `m` has no tools");
    assert_eq!(asked, ["GET /props"]);
    for known in [
        Answer::json(200, r#"{"chat_template_caps":{"supports_tools":true}}"#),
        Answer::json(200, r#"{"chat_template_caps":{}}"#),
        Answer::json(404, r#"{"detail":"Not Found"}"#),
        Answer::json(200, "hello"),
    ] {
        assert_eq!(ready(known).await.0, Ok(()));
    }
    let loading = r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
    let (not_ready, _) = ready(Answer::json(503, loading)).await;
    assert_eq!(not_ready.unwrap_err(), "it answered 503: Loading model");
}
