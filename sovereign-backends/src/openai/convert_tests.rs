use super::decode;
use crate::http::Reply;
use crate::openai::OpenAiConfig;
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, FailureClass, Stop, Usage,
};

fn read(status: u16, body: &str) -> Result<BackendTurn, BackendError> {
    let base_url = "http://127.0.0.1:8080/v1".parse().unwrap();
    let config = OpenAiConfig { max_tokens: 100, ..OpenAiConfig::new(base_url, "m") };
    let reply = Reply { status, body: body.as_bytes().to_vec() };
    decode(&config, BackendIdentity::local("openai", None), &reply)
}

fn turn(choice: &str) -> BackendTurn {
    read(
        200,
        &format!(r#"{{"choices":[{choice}],"usage":{{"prompt_tokens":9,"completion_tokens":7}}}}"#),
    )
    .unwrap()
}

#[test]
fn a_recorded_reply_of_llama_server_is_a_call() {
    let turn = turn(
        r#"{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":"","tool_calls":[
        {"type":"function","function":{"name":"get_weather","arguments":"{\n  \"city\": \"Paris\",\n  \"unit\": \"c\"\n}"},
        "id":"PNqJjkKGUmfPhhuGnzUm5DsHQ9jhaOfB"}]}}"#,
    );
    let call = &turn.proposals[0];
    assert_eq!(
        (call.wire_name.as_str(), call.wire_id.as_deref()),
        ("get_weather", Some("PNqJjkKGUmfPhhuGnzUm5DsHQ9jhaOfB"))
    );
    let arguments = call.arguments.as_ref().unwrap().as_str();
    assert_eq!(arguments, "{\n  \"city\": \"Paris\",\n  \"unit\": \"c\"\n}", "byte for byte");
    assert_eq!((turn.stop, turn.usage), (Stop::End, Usage { input: 9, output: 7 }));
}

/// opencode#14973, sglang#2877, `model_server`#3927, workflow#1387
#[test]
fn the_reason_does_not_decide_whether_there_are_calls() {
    for reason in [r#""stop""#, r#""tool_calls""#, r#""other""#, r#""eos""#, r#""""#, "null"] {
        let called = turn(&format!(
            r#"{{"finish_reason":{reason},"message":{{"content":null,"tool_calls":[{{"function":{{"name":"a","arguments":"{{}}"}}}}]}}}}"#
        ));
        assert_eq!((called.proposals.len(), called.stop), (1, Stop::End), "{reason}");
        let silent = turn(&format!(
            r#"{{"finish_reason":{reason},"message":{{"content":null,"tool_calls":[]}}}}"#
        ));
        assert_eq!(
            (silent.text.as_str(), silent.proposals.len()),
            ("", 0),
            "mastra#14187: {reason}"
        );
    }
}

/// recorded from llama-server, and from llama-cpp-python, which says `tool_calls` when it was cut
#[test]
fn a_cut_reply_is_cut_whatever_reason_is_given() {
    let by_reason = turn(
        r#"{"finish_reason":"length","message":{"tool_calls":[{"function":{"name":"a","arguments":"{"},"id":"x"}]}}"#,
    );
    assert_eq!((by_reason.stop, by_reason.proposals.len()), (Stop::Length, 1));
    let at_the_cap = read(
        200,
        r#"{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}],
        "usage":{"completion_tokens":100}}"#,
    );
    assert_eq!(at_the_cap.unwrap().stop, Stop::Length);
}

#[test]
fn what_is_no_object_is_malformed() {
    for arguments in [
        r#""0""#,
        r#""false""#,
        r#""[]""#,
        r#""null""#,
        r#""\"{}\"""#,
        r#""{}{}""#,
        r#""{\"a\":1,\"a\":2}""#,
        r#""{\"a\"""#,
        "{}",
        r#"{"a":1}"#,
        "0",
        "[]",
        "true",
    ] {
        let turn = turn(&format!(
            r#"{{"message":{{"tool_calls":[{{"function":{{"name":"a","arguments":{arguments}}}}}]}}}}"#
        ));
        assert!(turn.proposals[0].arguments.is_err(), "{arguments}");
    }
}

/// goose#7589: what cannot be dispatched is still answered
#[test]
fn a_call_without_a_name_is_still_a_proposal() {
    for call in ["{}", r#"{"function":null}"#, r#"{"id":"x","function":{"name":null}}"#] {
        let turn = turn(&format!(r#"{{"message":{{"tool_calls":[{call}]}}}}"#));
        assert_eq!((turn.proposals.len(), turn.proposals[0].wire_name.as_str()), (1, ""), "{call}");
    }
}

#[test]
fn a_refusal_beside_no_content_is_shown() {
    let turn =
        turn(r#"{"finish_reason":"stop","message":{"content":null,"refusal":"I will not."}}"#);
    assert_eq!((turn.text.as_str(), turn.stop), ("I will not.", Stop::Refusal));
}

#[test]
fn a_filtered_reply_has_no_calls() {
    let turn = turn(
        r#"{"finish_reason":"content_filter","message":{"content":"x","tool_calls":[{"function":{"name":"a"}}]}}"#,
    );
    assert_eq!((turn.stop, turn.proposals.len()), (Stop::Refusal, 0));
}

#[test]
fn text_that_looks_like_a_call_stays_text() {
    for text in [
        r#"{"name":"a","arguments":{}}"#,
        r#"<tool_call>{"name":"a","arguments":{}}</tool_call>"#,
        "[TOOL_CALLS] a {}",
        ">>>a\n{}",
    ] {
        let content = serde_json::to_string(text).unwrap();
        let turn = turn(&format!(
            r#"{{"finish_reason":"stop","message":{{"content":{content},"reasoning_content":{content}}}}}"#
        ));
        assert_eq!((turn.text.as_str(), turn.proposals.len()), (text, 0));
    }
}

#[test]
fn an_error_under_status_200_is_an_error() {
    let error = read(200, r#"{"error":{"message":"overloaded","code":"rate_limit_exceeded"}}"#)
        .unwrap_err();
    assert_eq!(
        (error.class(), error.to_string().as_str()),
        (FailureClass::Refused, "it answered with an error: overloaded")
    );
}

#[test]
fn a_body_without_a_message_is_no_reply() {
    for body in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":null}"#,
        "data: {}\n\n",
    ] {
        assert_eq!(read(200, body).unwrap_err().class(), FailureClass::Protocol, "{body}");
    }
}
