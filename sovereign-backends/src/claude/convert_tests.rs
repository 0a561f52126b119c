use super::decode;
use crate::claude::ClaudeConfig;
use crate::claude::echo::Echoes;
use crate::http::Reply;
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, FailureClass, Stop, Usage,
};

fn read(body: &str) -> Result<BackendTurn, BackendError> {
    let base_url = "http://127.0.0.1:8080/v1".parse().unwrap();
    let config = ClaudeConfig { max_tokens: 100, ..ClaudeConfig::new(base_url, "m") };
    let reply = Reply { status: 200, body: body.as_bytes().to_vec() };
    decode(&config, &Echoes::default(), BackendIdentity::local("claude", None), &reply)
}

fn turn(content: &str, reason: &str) -> BackendTurn {
    read(&format!(
        r#"{{"id":"msg_1","type":"message","role":"assistant","model":"m","content":{content},"stop_reason":"{reason}",
        "usage":{{"input_tokens":9,"cache_read_input_tokens":4,"cache_creation_input_tokens":2,"output_tokens":7}}}}"#
    ))
    .unwrap()
}

#[test]
fn prose_and_a_call_are_both_kept() {
    let turn = turn(
        r#"[{"type":"text","text":"One moment."},{"type":"tool_use","id":"toolu_1","name":"a__v1","input":{ "n" : 1 }}]"#,
        "tool_use",
    );
    let call = &turn.proposals[0];
    assert_eq!((turn.text.as_str(), call.wire_name.as_str()), ("One moment.", "a__v1"));
    assert_eq!(call.wire_id.as_deref(), Some("toolu_1"));
    assert_eq!(call.arguments.as_ref().unwrap().as_str(), r#"{ "n" : 1 }"#, "byte for byte");
    assert_eq!((turn.stop, turn.usage), (Stop::End, Usage { input: 15, output: 7 }));
}

/// `pi_agent_rust`#80, rust-code-agent-sdks#104, zed#33317, cersei#36
#[test]
fn blocks_of_an_unknown_type_fail_nothing_and_are_no_calls() {
    let turn = turn(
        r#"[{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"x"},
        {"type":"server_tool_use","id":"s","name":"a__v1","input":{}},{"type":"new_in_2027","text":7,"id":[]},
        {"type":"text","text":"Done."}]"#,
        "end_turn",
    );
    assert_eq!((turn.text.as_str(), turn.proposals.len()), ("Done.", 0));
}

/// recorded from llama-server: cut in the middle of a call, it looks whole and empty
#[test]
fn a_call_that_was_cut_is_vetoed() {
    let cut = r#"[{"type":"tool_use","id":"neRD","name":"a","input":{}}]"#;
    assert_eq!(turn(cut, "max_tokens").stop, Stop::Length);
    assert_eq!(turn(cut, "model_context_window_exceeded").stop, Stop::Length);
    let hidden = read(&format!(
        r#"{{"content":{cut},"stop_reason":"tool_use","usage":{{"input_tokens":1,"output_tokens":100}}}}"#
    ));
    assert_eq!(hidden.unwrap().stop, Stop::Length, "as LiteLLM hides it");
}

/// spacebot#171
#[test]
fn an_empty_final_answer_is_an_answer() {
    let turn = turn("[]", "end_turn");
    assert_eq!((turn.text.as_str(), turn.stop), ("", Stop::End));
}

/// litellm#32475
#[test]
fn an_empty_reply_that_counts_nothing_is_a_failure() {
    for usage in [r#"{"input_tokens":0,"output_tokens":0}"#, "null", "{}"] {
        let body = format!(r#"{{"content":[],"stop_reason":"end_turn","usage":{usage}}}"#);
        assert_eq!(read(&body).unwrap_err().class(), FailureClass::Protocol, "{usage}");
    }
}

#[test]
fn a_refusal_is_shown_and_has_no_calls() {
    let said = turn(
        r#"[{"type":"text","text":"No."},{"type":"tool_use","id":"t","name":"a","input":{}}]"#,
        "refusal",
    );
    assert_eq!((said.text.as_str(), said.stop, said.proposals.len()), ("No.", Stop::Refusal, 0));
    let silent = read(
        r#"{"content":[],"stop_reason":"refusal","stop_details":{"category":"x","explanation":"Not that."},
        "usage":{"input_tokens":1}}"#,
    );
    assert_eq!(silent.unwrap().text, "Not that.");
}

#[test]
fn a_reply_that_has_not_ended_is_no_reply() {
    for body in [
        r#"{"content":[{"type":"text","text":"x"}],"stop_reason":null}"#,
        r#"{"content":[{"type":"text","text":"x"}]}"#,
        r#"{"content":[{"type":"text","text":"x"}],"stop_reason":"pause_turn"}"#,
        r#"{"content":[{"text":"x"}],"stop_reason":"end_turn"}"#,
        r#"{"content":"x","stop_reason":"end_turn"}"#,
        "[]",
        "",
    ] {
        assert_eq!(read(body).unwrap_err().class(), FailureClass::Protocol, "{body}");
    }
}

#[test]
fn input_that_is_no_object_is_malformed() {
    for input in [
        r#","input":null"#,
        "",
        r#","input":"{}""#,
        r#","input":[]"#,
        r#","input":0"#,
        r#","input":{"a":1,"a":2}"#,
    ] {
        let turn =
            turn(&format!(r#"[{{"type":"tool_use","id":"t","name":"a"{input}}}]"#), "tool_use");
        assert!(turn.proposals[0].arguments.is_err(), "{input}");
    }
}

#[test]
fn an_error_under_status_200_is_an_error() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(read(body).unwrap_err().class(), FailureClass::Refused);
}
