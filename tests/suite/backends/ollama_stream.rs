//! Ollama's replies line by line, and its window.
use super::fixtures::{ask, conversation, lab, say};
use super::wires::{Dialect, Told, Wire};
use serde_json::Value;
use sovereign_backends::ollama::{OLLAMA_BASE_URL, OllamaConfig};
use sovereign_backends::scripted::Scripted;
use sovereign_backends::{BaseUrl, Streaming};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{Backend, FailureClass, Stop};
use sovereign_core::conversation::{Conversation, TurnLimits};
use std::sync::Arc;

const WHOLE: Wire = Wire { dialect: Dialect::Ollama, in_pieces: false };
const PIECES: Wire = Wire { dialect: Dialect::Ollama, in_pieces: true };

/// C-13, E04
#[tokio::test]
async fn only_rounds_without_tools_stream_unless_asked() {
    for (streaming, expected) in [
        (Streaming::Never, [false, false]),
        (Streaming::WithoutTools, [false, true]),
        (Streaming::Always, [true, true]),
    ] {
        let base: BaseUrl = OLLAMA_BASE_URL.parse().unwrap();
        assert_eq!(OllamaConfig::new(base.clone(), "m").streaming, Streaming::WithoutTools);
        let config = OllamaConfig { streaming, ..OllamaConfig::new(base, "m") };
        let call = Told::text("").calls(None, "system__disk_status__v1", None);
        let model = Scripted::ollama_with(config)
            .replies(WHOLE.body(&call))
            .streams([PIECES.body(&Told::text("It is 1 KiB."))]);
        let lab = lab();
        let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(model.clone())];
        let limits = TurnLimits::default().rounds(1);
        let talk = Conversation::limited(&lab.executor, legs, lab.scope.clone(), limits);
        assert_eq!(say(&talk, "how much?").await.text, "It is 1 KiB.");
        let asked: Vec<bool> = model
            .requests()
            .iter()
            .map(|body| serde_json::from_str::<Value>(body).unwrap()["stream"] == true)
            .collect();
        assert_eq!(asked, expected, "{streaming:?}");
    }
}

/// rig#1308, #1309; genai#124
#[tokio::test]
async fn calls_on_any_line_are_executed() {
    let call = r#""tool_calls":[{"function":{"name":"system__disk_status__v1","arguments":{}}}]"#;
    let in_the_middle = format!(
        "{{\"message\":{{\"content\":\"\",{call}}},\"done\":false}}\n{{\"message\":{{\"content\":\"\"}},\"done\":true,\"done_reason\":\"stop\"}}\n"
    );
    let on_the_last = format!(
        "{{\"message\":{{\"content\":\"\",{call}}},\"done\":true,\"done_reason\":\"stop\"}}\n"
    );
    let done = PIECES.body(&Told::text("Done."));
    for body in [in_the_middle, on_the_last.clone(), on_the_last.trim_end().to_owned()] {
        let model = PIECES.scripted().streams([body]).streams([done.clone()]);
        let report = say(&conversation(&lab(), vec![Arc::new(model)]), "how much?").await;
        let kinds: Vec<_> = report.receipts.iter().map(|r| r.outcome).collect();
        assert_eq!(kinds, [OutcomeKind::Executed]);
    }
}

#[tokio::test]
async fn a_line_that_says_error_ends_the_stream() {
    let body = "{\"message\":{\"content\":\"One\"},\"done\":false}\n{\"error\":\"error parsing tool call: unexpected end of JSON input\"}\n";
    let error = ask(&PIECES.scripted().streams([body])).await.unwrap_err();
    assert_eq!(error.class(), FailureClass::Protocol, "{error}");
}

#[tokio::test]
async fn a_line_made_elsewhere_ends_the_leg() {
    let body = "{\"message\":{\"content\":\"One\"},\"remote_host\":\"https://ollama.com\",\"done\":false}\n";
    let model = PIECES.scripted().streams([body]).streams([PIECES.body(&Told::text("Hello."))]);
    assert!(ask(&model).await.unwrap_err().to_string().contains("not on this device"));
    assert!(ask(&model).await.is_err());
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_line_about_length_is_a_cut() {
    let turn = ask(&PIECES.telling([Told::text("One").cut()])).await.unwrap();
    assert_eq!(turn.stop, Stop::Length);
}

/// ollama#17889, #17427, #10980
#[tokio::test]
async fn a_conversation_that_was_cut_to_half_the_window_has_no_answer() {
    for (read, is_cut) in [(513, true), (900, false)] {
        let reply = format!(
            r#"{{"message":{{"content":"Hello."}},"done":true,"done_reason":"stop","prompt_eval_count":{read},"eval_count":3}}"#
        );
        let base: BaseUrl = OLLAMA_BASE_URL.parse().unwrap();
        let config = OllamaConfig { num_ctx: 1024, ..OllamaConfig::new(base, "m") };
        let model = Scripted::ollama_with(config).replies(reply);
        let talk = conversation(&lab(), vec![Arc::new(model)]);
        // system prompt and tools are sent too; together more than 513 tokens and less than 1024
        let report = say(&talk, &"word ".repeat(600)).await;
        assert_eq!(report.error.is_some(), is_cut, "{read}: {report:?}");
    }
}
