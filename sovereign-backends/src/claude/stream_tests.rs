use super::Stream;
use crate::claude::ClaudeConfig;
use crate::claude::echo::Echoes;
use crate::http::Assembly;
use serde_json::{Value, json};
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, FailureClass, Stop, Usage,
};

fn frames(events: &[Value]) -> String {
    let frame = |e: &Value| format!("event: {}\ndata: {e}\n\n", e["type"].as_str().unwrap());
    events.iter().map(frame).collect()
}

fn read(text: &str, echoes: &Echoes) -> Result<(BackendTurn, String), BackendError> {
    let base_url = "http://127.0.0.1:8080/v1".parse().unwrap();
    let config = ClaudeConfig { max_tokens: 100, ..ClaudeConfig::new(base_url, "m") };
    let (mut stream, mut shown) = (Stream::default(), String::new());
    stream.feed(text.as_bytes(), &mut shown)?;
    let turn = stream.finish(&config, echoes, BackendIdentity::local("claude", None))?;
    Ok((turn, shown))
}

fn start() -> Value {
    json!({"type":"message_start","message":{"content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}})
}

fn block(index: u64, start: &Value, deltas: &[Value]) -> Vec<Value> {
    let mut events =
        vec![json!({"type":"content_block_start","index":index,"content_block":start})];
    events.extend(
        deltas.iter().map(|d| json!({"type":"content_block_delta","index":index,"delta":d})),
    );
    events.push(json!({"type":"content_block_stop","index":index}));
    events
}

fn end(reason: &str) -> Vec<Value> {
    vec![
        json!({"type":"message_delta","delta":{"stop_reason":reason,"stop_sequence":null},"usage":{"output_tokens":7}}),
        json!({"type":"message_stop"}),
    ]
}

fn message(blocks: &[Vec<Value>], reason: &str) -> String {
    let mut events = vec![start(), json!({"type":"ping"})];
    events.extend(blocks.iter().flatten().cloned());
    events.extend(end(reason));
    frames(&events)
}

fn text_delta(text: &str) -> Value {
    json!({"type":"text_delta","text":text})
}

fn input_delta(text: &str) -> Value {
    json!({"type":"input_json_delta","partial_json":text})
}

fn tool(id: &str) -> Value {
    json!({"type":"tool_use","id":id,"name":"a__v1","input":{}})
}

fn turn(text: &str) -> BackendTurn {
    read(text, &Echoes::default()).unwrap().0
}

#[test]
fn blocks_are_put_together_in_their_order() {
    let text = message(
        &[
            block(
                0,
                &json!({"type":"text","text":""}),
                &[text_delta("One "), text_delta("moment.")],
            ),
            block(1, &tool("t1"), &[input_delta(""), input_delta("{\"n\""), input_delta(": 1}")]),
            block(2, &json!({"type":"tool_use","id":"t2","name":"b__v1"}), &[]),
        ],
        "tool_use",
    );
    let (turn, shown) = read(&text, &Echoes::default()).unwrap();
    assert_eq!((turn.text.as_str(), shown.as_str()), ("One moment.", "One moment."));
    let calls: Vec<_> = turn
        .proposals
        .iter()
        .map(|p| (p.wire_name.as_str(), p.arguments.as_ref().unwrap().as_str()))
        .collect();
    assert_eq!(calls, [("a__v1", r#"{"n": 1}"#), ("b__v1", "{}")]);
    assert_eq!((turn.stop, turn.usage), (Stop::End, Usage { input: 9, output: 7 }));
}

/// aura#591, claux#14, litellm#32159
#[test]
fn a_stream_without_its_end_is_no_reply() {
    let whole = message(&[block(0, &tool("t"), &[input_delta("{}")])], "tool_use");
    for end in 0..whole.len() - 1 {
        let cut = read(whole.get(..end).unwrap_or_default(), &Echoes::default());
        assert_eq!(cut.unwrap_err().class(), FailureClass::Protocol, "{end}");
    }
    assert!(read(&whole, &Echoes::default()).is_ok());
}

/// Marinara-Engine#2659, clicky#132, agent-os#2137
#[test]
fn an_error_after_the_first_words_is_an_error() {
    let mut events = vec![start()];
    events.extend(block(0, &json!({"type":"text","text":""}), &[text_delta("One ")]));
    events.push(json!({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}));
    let error = read(&frames(&events), &Echoes::default()).unwrap_err();
    assert_eq!(
        (error.class(), error.to_string().as_str()),
        (FailureClass::Refused, "it answered with an error: Overloaded")
    );
}

#[test]
fn a_call_that_was_cut_is_vetoed() {
    let text = message(&[block(0, &tool("t"), &[])], "max_tokens");
    assert_eq!(turn(&text).stop, Stop::Length);
}

#[test]
fn input_at_the_start_of_a_block_is_not_lost() {
    let started = json!({"type":"tool_use","id":"t","name":"a__v1","input":{"n":1}});
    let alone = turn(&message(&[block(0, &started, &[])], "tool_use"));
    assert_eq!(alone.proposals[0].arguments.as_ref().unwrap().as_str(), r#"{"n":1}"#);
    let both = turn(&message(&[block(0, &started, &[input_delta("{\"n\":2}")])], "tool_use"));
    assert!(both.proposals[0].arguments.is_err(), "which of them is meant cannot be told");
}

#[test]
fn events_that_do_not_fit_together_are_no_reply() {
    let text = json!({"type":"text","text":""});
    let twice = [block(0, &text, &[]), block(0, &text, &[])].concat();
    let unopened = vec![json!({"type":"content_block_delta","index":3,"delta":text_delta("x")})];
    let after_its_stop = [
        block(0, &text, &[]),
        vec![json!({"type":"content_block_delta","index":0,"delta":text_delta("x")})],
    ]
    .concat();
    let unclosed = vec![json!({"type":"content_block_start","index":0,"content_block":tool("t")})];
    for events in [twice, unopened, after_its_stop, unclosed] {
        let read = read(&message(&[events], "end_turn"), &Echoes::default());
        assert_eq!(read.unwrap_err().class(), FailureClass::Protocol);
    }
}

/// hermes-agent#24107: all or nothing, byte for byte
#[test]
fn blocks_of_the_provider_are_remembered_whole_or_not_at_all() {
    let thinking = json!({"type":"thinking","thinking":"","signature":""});
    let deltas = [
        json!({"type":"thinking_delta","thinking":"hm"}),
        json!({"type":"signature_delta","signature":"sig=="}),
    ];
    let redacted = json!({"type":"redacted_thinking","data":"abc"});
    let blocks = |odd: &[Value]| {
        [
            block(0, &thinking, &deltas),
            block(1, &redacted, odd),
            block(2, &json!({"type":"text","text":""}), &[]),
            block(3, &tool("t"), &[input_delta("{\"n\":1}")]),
        ]
    };
    let echoes = Echoes::default();
    read(&message(&blocks(&[]), "tool_use"), &echoes).unwrap();
    let kept: Vec<Value> =
        echoes.kept_blocks().iter().map(|raw| serde_json::from_str(raw).unwrap()).collect();
    assert_eq!(
        kept,
        [
            json!({"type":"thinking","thinking":"hm","signature":"sig=="}),
            redacted.clone(),
            json!({"type":"tool_use","id":"t","name":"a__v1","input":{"n":1}}),
        ],
        "an empty text is not sent back"
    );

    let odd = [json!({"type":"new_delta","new":1})];
    for (text, why) in [
        (message(&blocks(&odd), "tool_use"), "a block with unknown pieces is not known whole"),
        (message(&blocks(&[]), "max_tokens"), "a cut reply is not repeated"),
        (message(&[block(0, &tool("t"), &[])], "tool_use"), "there is nothing of its own in it"),
        (message(&[block(0, &redacted, &[])], "end_turn"), "the turn is over"),
    ] {
        let echoes = Echoes::default();
        read(&text, &echoes).unwrap();
        assert!(echoes.kept_blocks().is_empty(), "{why}");
    }
}
