use super::{NoTurn, decode, elsewhere, is_cloud, is_same_model};
use crate::http::Reply;
use crate::ollama::{OLLAMA_BASE_URL, OLLAMA_CHAT_URL, OllamaConfig};
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, FailureClass, Stop, Usage, WireProposal,
};

fn config() -> OllamaConfig {
    OllamaConfig { num_predict: 100, ..OllamaConfig::new(OLLAMA_BASE_URL.parse().unwrap(), "m") }
}

fn read(status: u16, body: impl AsRef<[u8]>) -> Result<BackendTurn, NoTurn> {
    let reply = Reply { status, body: body.as_ref().to_vec() };
    decode(&config(), BackendIdentity::local("ollama", None), &reply)
}

fn turn(body: &str) -> BackendTurn {
    read(200, body).unwrap()
}

fn calls(calls: &str) -> Vec<WireProposal> {
    turn(&format!(r#"{{"message":{{"content":"","tool_calls":{calls}}},"done":true}}"#)).proposals
}

fn failed(no: NoTurn) -> BackendError {
    match no {
        NoTurn::Failed(error) => error,
        other => panic!("{other:?}"),
    }
}

/// The arguments as they go on, or the code of what is wrong with them.
fn arguments(proposal: &WireProposal) -> Result<&str, &'static str> {
    proposal.arguments.as_ref().map(|a| a.as_str()).map_err(|m| m.code())
}

#[test]
fn the_chat_url_is_the_base_url_and_the_endpoint() {
    let base: crate::BaseUrl = OLLAMA_BASE_URL.parse().unwrap();
    assert_eq!(base.join("api/chat").as_str(), OLLAMA_CHAT_URL);
}

#[test]
fn a_text_reply_is_text() {
    let turn = turn(
        r#"{"model":"m","message":{"role":"assistant","content":"Hi."},"done":true,"done_reason":"stop",
        "prompt_eval_count":9,"eval_count":7}"#,
    );
    assert_eq!((turn.text.as_str(), turn.proposals.len(), turn.stop), ("Hi.", 0, Stop::End));
    assert_eq!(turn.usage, Usage { input: 9, output: 7 });
}

#[test]
fn arguments_object_is_not_string_parsed() {
    let object = r#"{ "n" : 10.0,"b":1e3, "s":"\u0041", "n2":12345678901234567890 }"#;
    let calls = calls(&format!(r#"[{{"function":{{"name":"t__v1","arguments":{object}}}}}]"#));
    assert_eq!(arguments(&calls[0]), Ok(object));
}

/// VTCode#354, forgecode#2764, ollama#12413
#[test]
fn object_encoded_as_string_is_malformed() {
    for encoded in [r#""{\"a\":1}""#, r#""{}""#, r#""""#, r#""null""#] {
        let calls = calls(&format!(r#"[{{"function":{{"name":"t","arguments":{encoded}}}}}]"#));
        assert_eq!(arguments(&calls[0]), Err("not_one_json_object"), "{encoded}");
    }
}

#[test]
fn what_is_no_object_is_malformed() {
    for not_one in ["0", "false", "[]", r#"[{"a":1}]"#] {
        let calls = calls(&format!(r#"[{{"function":{{"name":"t","arguments":{not_one}}}}}]"#));
        assert_eq!(arguments(&calls[0]), Err("not_one_json_object"), "{not_one}");
    }
    let twice = calls(r#"[{"function":{"name":"t","arguments":{"a":1,"\u0061":2}}}]"#);
    assert!(arguments(&twice[0]).is_err());
}

#[test]
fn no_arguments_are_the_empty_object() {
    for function in [r#"{"name":"t"}"#, r#"{"name":"t","arguments":null}"#] {
        let calls = calls(&format!(r#"[{{"function":{function}}}]"#));
        assert_eq!(arguments(&calls[0]), Ok("{}"), "{function}");
    }
}

/// ollama-rs#210: what a model nests inside its arguments stays there
#[test]
fn a_call_nested_in_arguments_is_not_unwrapped() {
    let nested = r#"{"name":"t","parameters":{"url":"https://a/"}}"#;
    let calls =
        calls(&format!(r#"[{{"function":{{"name":"web__fetch__v1","arguments":{nested}}}}}]"#));
    assert_eq!((calls.len(), calls[0].wire_name.as_str()), (1, "web__fetch__v1"));
    assert_eq!(arguments(&calls[0]), Ok(nested));
}

/// genai#124: calls come in the one chunk that also ends the reply
#[test]
fn calls_next_to_the_end_of_the_reply_are_kept() {
    let turn = turn(
        r#"{"message":{"content":"One moment.","tool_calls":[
            {"id":"call_a","function":{"index":0,"name":"a__v1","arguments":{"n":1}}},
            {"function":{"index":0,"name":"b__v1","arguments":{}}}]},
        "done":true,"done_reason":"stop","eval_count":7}"#,
    );
    let names: Vec<_> = turn.proposals.iter().map(|p| p.wire_name.as_str()).collect();
    assert_eq!((turn.text.as_str(), names), ("One moment.", vec!["a__v1", "b__v1"]));
    let ids: Vec<_> = turn.proposals.iter().map(|p| p.wire_id.as_deref()).collect();
    assert_eq!(ids, [Some("call_a"), None]);
    assert_eq!(turn.stop, Stop::End);
}

#[test]
fn an_empty_wire_id_is_none() {
    assert_eq!(calls(r#"[{"id":"","function":{"name":"t"}}]"#)[0].wire_id, None);
}

#[test]
fn text_that_looks_like_a_call_stays_text() {
    for text in [
        r#"{"name":"web__fetch__v1","arguments":{"url":"https://a/"}}"#,
        r#"<tool_call>{"name":"web__fetch__v1","arguments":{}}</tool_call>"#,
        "```json\n{\"tool_calls\":[{\"function\":{\"name\":\"t\"}}]}\n```",
    ] {
        let content = serde_json::to_string(text).unwrap();
        let turn = turn(&format!(r#"{{"message":{{"content":{content}}},"done":true}}"#));
        assert_eq!((turn.text.as_str(), turn.proposals.len()), (text, 0));
    }
}

#[test]
fn a_call_inside_thinking_was_never_made() {
    let turn = turn(
        r#"{"message":{"content":"","thinking":"{\"name\":\"t\",\"arguments\":{}}"},"done":true}"#,
    );
    assert_eq!((turn.text.as_str(), turn.proposals.len()), ("", 0));
}

#[test]
fn a_reply_cut_by_its_length_says_so() {
    let call =
        r#""message":{"content":"","tool_calls":[{"function":{"name":"t","arguments":{}}}]}"#;
    for (rest, stop) in [
        (r#""done":true,"done_reason":"length""#, Stop::Length),
        (r#""done":true,"done_reason":"stop","eval_count":100"#, Stop::Length),
        (r#""done":true,"done_reason":"stop","eval_count":101"#, Stop::Length),
        (r#""done":true,"done_reason":"stop","eval_count":99"#, Stop::End),
        (r#""done":true"#, Stop::End),
    ] {
        assert_eq!(turn(&format!("{{{call},{rest}}}")).stop, stop, "{rest}");
    }
}

#[test]
fn a_reply_that_is_not_whole_is_an_error() {
    for body in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"message":null,"done":true}"#,
        r#"{"message":{"content":"x"},"done":false}"#,
        r#"{"message":{"content":7},"done":true}"#,
        r#"{"message":{"content":"x","tool_calls":{}},"done":true}"#,
        r#"{"message":{"content":"x","tool_calls":[null]},"done":true}"#,
        r#"{"message":{"content":"x","tool_calls":[{"function":null}]},"done":true}"#,
        r#"{"message":{"content":"x","tool_calls":[{"function":{"name":["t"]}}]},"done":true}"#,
        r#"{"message":{"content":"x","tool_calls":[{"function":{"arguments":{}}}]},"done":true}"#,
        r#"{"message":{"content":"x"},"done":true"#,
        r#"{"message":{"content":"x"},"message":{"content":"y"},"done":true}"#,
        "{\"message\":{\"content\":\"x\"},\"done\":true}\n{\"done\":true}",
    ] {
        assert_eq!(failed(read(200, body).unwrap_err()).class(), FailureClass::Protocol, "{body}");
    }
}

#[test]
fn an_error_is_judged_by_what_it_says() {
    let error = |status, said: &str| read(status, format!(r#"{{"error":"{said}"}}"#)).unwrap_err();
    for (status, said, class) in [
        (400, "does not support thinking", FailureClass::Refused),
        (401, "unauthorized", FailureClass::Refused),
        (403, "forbidden", FailureClass::Refused),
        (429, "too many requests", FailureClass::Refused),
        (499, "client closed", FailureClass::Refused),
        (500, "model requires more system memory", FailureClass::Refused),
        (500, "error parsing tool call: unexpected end of JSON input", FailureClass::Protocol),
        (502, "bad gateway", FailureClass::Refused),
        (503, "server busy, please try again", FailureClass::Refused),
        (504, "gateway timeout", FailureClass::Timeout),
        (200, "out of memory", FailureClass::Refused),
    ] {
        let error = failed(error(status, said));
        assert_eq!(error.class(), class, "{status} {said}");
        assert!(error.to_string().ends_with(said), "{error}");
    }
    for (status, said) in [(404, "model 'm' not found"), (400, "m does not support tools")] {
        let NoTurn::Stale(error) = error(status, said) else { panic!("{status} is not stale") };
        assert_eq!(error.class(), FailureClass::Unsupported);
    }
}

#[test]
fn an_error_body_is_shown_as_one_escaped_bounded_line() {
    let hostile = format!("\u{1b}[2J\n\u{202e}fake: {}", "x".repeat(60_000));
    let error = failed(read(500, &hostile).unwrap_err()).to_string();
    assert!(error.starts_with(r"it answered 500: \u{1b}[2J\n\u{202e}fake: x"), "{error}");
    assert!(error.len() < 300 && !error.contains(char::is_control));
}

#[test]
fn a_reply_from_elsewhere_is_not_used() {
    for field in [r#""remote_host":"https://ollama.com:443""#, r#""remote_model":"gpt-oss:120b""#] {
        let body = format!(r#"{{"message":{{"content":"x"}},"done":true,{field}}}"#);
        assert!(matches!(read(200, body), Err(NoTurn::Remote(_))), "{field}");
    }
    let local = r#"{"message":{"content":"x"},"done":true,"remote_host":"","remote_model":null}"#;
    assert_eq!(turn(local).text, "x");
    assert_eq!(elsewhere(None, None), None);
}

#[test]
fn cloud_models_are_known_by_their_names() {
    for cloud in ["x:cloud", "gpt-oss:120b-cloud", "a/b:cloud"] {
        assert!(is_cloud(cloud), "{cloud}");
    }
    for local in ["cloud", "x:latest", "cloud:7b", "x-cloud"] {
        assert!(!is_cloud(local), "{local}");
    }
}

#[test]
fn a_model_without_a_tag_is_the_latest() {
    assert!(is_same_model("qwen3:latest", "qwen3"));
    assert!(is_same_model("host:5000/a/qwen3:latest", "host:5000/a/qwen3"));
    assert!(!is_same_model("qwen3:4b", "qwen3"));
    assert!(!is_same_model("qwen3:4b", "qwen3:8b"));
}
