use super::Draft;
use crate::openai::wire::Chunk;
use sovereign_core::backend::{BackendIdentity, BackendTurn, Stop};

fn turn(draft: Draft) -> BackendTurn {
    draft.into_turn(100, BackendIdentity::local("openai", None))
}

/// Frames of a stream, each the `tool_calls` of one delta.
fn streamed(deltas: &[&str]) -> Vec<(Option<String>, String, Result<String, &'static str>)> {
    let mut draft = Draft::default();
    for delta in deltas {
        let frame = format!(r#"{{"choices":[{{"delta":{{"tool_calls":{delta}}}}}]}}"#);
        let chunk: Chunk<'_> = serde_json::from_str(&frame).unwrap();
        for call in chunk.choices.into_iter().filter_map(|c| c.message).flat_map(|m| m.tool_calls) {
            draft.piece(call).unwrap();
        }
    }
    let calls = turn(draft).proposals.into_iter().map(|p| {
        let arguments = p.arguments.map(|a| a.as_str().to_owned()).map_err(|m| m.code());
        (p.wire_id, p.wire_name, arguments)
    });
    calls.collect()
}

fn call(
    id: &str,
    name: &str,
    arguments: &str,
) -> (Option<String>, String, Result<String, &'static str>) {
    ((!id.is_empty()).then(|| id.to_owned()), name.to_owned(), Ok(arguments.to_owned()))
}

#[test]
fn pieces_of_one_call_are_put_together() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","type":"function","function":{"name":"a","arguments":""}}]"#,
        r#"[{"index":0,"function":{"arguments":"{\"n\""}}]"#,
        r#"[{"index":0,"function":{"name":null,"arguments":":1}"}}]"#,
    ]);
    assert_eq!(calls, [call("x", "a", r#"{"n":1}"#)]);
}

/// rig#1443, ollama#15457: a gateway gives every call index 0
#[test]
fn two_names_at_one_index_are_two_calls() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{\"n\":1}"}}]"#,
        r#"[{"index":0,"id":"y","function":{"name":"a","arguments":""}}]"#,
        r#"[{"index":0,"function":{"arguments":"{\"n\":2}"}}]"#,
        r#"[{"index":0,"function":{"name":"b","arguments":"{}"}}]"#,
    ]);
    assert_eq!(
        calls,
        [call("x", "a", r#"{"n":1}"#), call("y", "a", r#"{"n":2}"#), call("", "b", "{}")]
    );
}

/// rig#1508, #1510
#[test]
fn a_new_id_on_every_piece_is_one_call() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{"}}]"#,
        r#"[{"index":0,"id":"y","function":{"arguments":"\"n\":1"}}]"#,
        r#"[{"index":0,"id":"z","function":{"arguments":"}"}}]"#,
    ]);
    assert_eq!(calls, [call("x", "a", r#"{"n":1}"#)]);
}

/// goose#11686
#[test]
fn a_name_that_comes_after_its_id_is_kept() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","function":{"name":"","arguments":""}}]"#,
        r#"[{"index":0,"id":"","function":{"name":"a"}}]"#,
        r#"[{"index":0,"function":{"arguments":"{}"}}]"#,
    ]);
    assert_eq!(calls, [call("x", "a", "{}")]);
}

/// goose#3609, and genai's own
#[test]
fn two_calls_in_one_delta_are_two_calls() {
    let calls = streamed(&[r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{}"}},
            {"index":1,"id":"y","function":{"name":"b","arguments":"{}"}}]"#]);
    assert_eq!(calls, [call("x", "a", "{}"), call("y", "b", "{}")]);
}

/// simonw/llm#1218
#[test]
fn arguments_in_the_first_piece_are_counted_once() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{}"}}]"#,
        r#"[{"index":0,"function":{"arguments":""}}]"#,
    ]);
    assert_eq!(calls, [call("x", "a", "{}")]);
}

/// openai-python#2806
#[test]
fn pieces_without_an_index_belong_to_the_open_call_or_to_their_id() {
    let calls = streamed(&[
        r#"[{"id":"x","function":{"name":"a","arguments":"{"}}]"#,
        r#"[{"function":{"arguments":"\"n\":1"}}]"#,
        r#"[{"id":"y","function":{"name":"b","arguments":"{"}}]"#,
        r#"[{"id":"x","function":{"arguments":"}"}}]"#,
        r#"[{"id":"y","function":{"arguments":"}"}}]"#,
    ]);
    assert_eq!(calls, [call("x", "a", r#"{"n":1}"#), call("y", "b", "{}")]);
}

#[test]
fn a_name_that_is_repeated_under_its_id_is_a_repetition() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{"}}]"#,
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"}"}}]"#,
    ]);
    assert_eq!(calls, [call("x", "a", "{}")]);
}

/// `LiteLLM` 1.99: two calls under one index, id and name: what cannot be told apart is not executed
#[test]
fn two_objects_in_one_call_are_malformed() {
    let calls = streamed(&[
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{\"n\":1}"}}]"#,
        r#"[{"index":0,"id":"x","function":{"name":"a","arguments":"{\"n\":2}"}}]"#,
    ]);
    assert_eq!(calls[0].2, Err("not_one_json_object"));
    assert_eq!(calls.len(), 1);
}

#[test]
fn a_piece_that_is_no_string_makes_its_call_malformed() {
    for wrong in [r#"{"n":1}"#, "1", "false", "[]", r#"{}"#] {
        let calls = streamed(&[
            &format!(r#"[{{"index":0,"function":{{"name":"a","arguments":{wrong}}}}}]"#),
            r#"[{"index":0,"function":{"arguments":"{}"}}]"#,
        ]);
        assert_eq!(calls[0].2, Err("not_one_json_object"), "{wrong}");
    }
}

#[test]
fn no_arguments_are_the_empty_object() {
    for function in [
        r#"{"name":"a"}"#,
        r#"{"name":"a","arguments":null}"#,
        r#"{"name":"a","arguments":""}"#,
        r#"{"name":"a","arguments":" \n\t"}"#,
    ] {
        let calls = streamed(&[&format!(r#"[{{"index":0,"function":{function}}}]"#)]);
        assert_eq!(calls, [call("", "a", "{}")], "{function}");
    }
}

#[test]
fn a_stream_cannot_open_calls_without_end() {
    let mut draft = Draft::default();
    let frame = r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"a"}}]}}]}"#;
    let mut opened = 0;
    loop {
        let chunk: Chunk<'_> = serde_json::from_str(frame).unwrap();
        let part = chunk.choices.into_iter().next().unwrap().message.unwrap().tool_calls.remove(0);
        if draft.piece(part).is_err() {
            break;
        }
        opened += 1;
    }
    assert_eq!(opened, super::MAX_CALLS);
}

/// rig#2332
#[test]
fn a_refusal_is_shown_and_takes_the_calls_away() {
    let mut draft = Draft::default();
    assert_eq!(draft.text("I", ""), "I");
    assert_eq!(draft.text("", "can"), "\ncan");
    assert_eq!(draft.text("", "not"), "not");
    let frame = r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"a"}}]}}]}"#;
    let chunk: Chunk<'_> = serde_json::from_str(frame).unwrap();
    for call in chunk.choices.into_iter().filter_map(|c| c.message).flat_map(|m| m.tool_calls) {
        draft.piece(call).unwrap();
    }
    let turn = turn(draft);
    assert_eq!(
        (turn.text.as_str(), turn.stop, turn.proposals.len()),
        ("I\ncannot", Stop::Refusal, 0)
    );
}

#[test]
fn a_later_reason_does_not_take_back_that_the_reply_was_cut() {
    let mut draft = Draft::default();
    for reason in ["stop", "length", "stop", ""] {
        draft.end(Some(reason.to_owned()));
    }
    assert_eq!(turn(draft).stop, Stop::Length);
}
