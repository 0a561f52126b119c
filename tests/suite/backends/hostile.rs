//! Bodies that no server should send.
use super::fixtures::ask;
use crate::seeded::Random;
use sovereign_backends::scripted::Scripted;
use sovereign_core::backend::BackendTurn;

async fn read(body: &[u8]) -> Option<BackendTurn> {
    ask(&Scripted::ollama().replies(body)).await.ok()
}

/// Whatever is read as arguments is one JSON object to an independent reader too.
pub fn check(turn: &BackendTurn) {
    for proposal in &turn.proposals {
        if let Ok(arguments) = &proposal.arguments {
            let value: serde_json::Value = serde_json::from_str(arguments.as_str()).unwrap();
            assert!(value.is_object());
        }
    }
}

const WHOLE: &str = r#"{"model":"m","created_at":"2026-11-30T00:00:00Z","message":{"role":"assistant","content":"Tëxt \"x\"","thinking":"t","tool_calls":[{"id":"call_x1y2z3ab","function":{"index":0,"name":"web__fetch__v1","arguments":{"url":"https://a/","n":[1,2.5e3,{"d":null}]}}},{"function":{"name":"t__v1"}}]},"done":true,"done_reason":"stop","total_duration":1,"prompt_eval_count":9,"eval_count":7}"#;

/// must-beat 33
#[tokio::test]
async fn garbage_never_panics() {
    let deep_array = format!(
        r#"{{"message":{{"tool_calls":[{{"function":{{"name":"t","arguments":{}}}}}]}}}}"#,
        "[".repeat(100_000)
    );
    let deep_object = format!(
        r#"{{"message":{{"tool_calls":[{{"function":{{"name":"t","arguments":{}1{}}}}}]}},"done":true}}"#,
        r#"{"a":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    let deep_unknown = format!(
        r#"{{"unknown":{}{},"message":{{"content":"x"}},"done":true}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let table: &[&[u8]] = &[
        b"",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"null",
        b"[]",
        b"[{\"message\":{}}]",
        b"\"text\"",
        b"data: {}\n\n",
        b"<html>",
        br#"{"message":"text"}"#,
        br#"{"message":{"content":"\ud83d"},"done":true}"#,
        br#"{"message":{"tool_calls":[{"function":{"name":"t","arguments":{"a":"\ud83d"}}}]},"done":true}"#,
        br#"{"message":{"tool_calls":[{"function":null}]},"done":true}"#,
        br#"{"message":{"tool_calls":[{"function":{"name":{"a":1},"arguments":{}}}]},"done":true}"#,
        br#"{"message":{"tool_calls":[{"function":{"name":"t","arguments":"{}"}}]},"done":true}"#,
        br#"{"message":{},"done":true,"eval_count":-1}"#,
        br#"{"message":{},"done":true,"eval_count":1e999}"#,
        br#"{"message":{},"done":true,"eval_count":99999999999999999999}"#,
        br#"{"message":{},"done":true,"eval_count":"7"}"#,
        deep_array.as_bytes(),
        deep_object.as_bytes(),
        deep_unknown.as_bytes(),
    ];
    for body in table {
        if let Some(turn) = read(body).await {
            check(&turn);
        }
    }
    assert_eq!(read(WHOLE.as_bytes()).await.unwrap().proposals.len(), 2);
}

#[tokio::test]
async fn a_prefix_of_a_reply_is_never_a_reply() {
    for end in 0..WHOLE.len() {
        assert!(read(&WHOLE.as_bytes()[..end]).await.is_none(), "{end}");
    }
}

/// Replaces, removes, repeats and swaps bytes and structural pieces; the seed is fixed.
#[tokio::test]
async fn mutated_replies_never_panic() {
    const PIECES: [&str; 16] = [
        "null",
        "{}",
        "[]",
        "\"\"",
        "0",
        "-1e9",
        "true",
        "\"arguments\":",
        "\"name\":",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\\u0000",
        "\"\\ud800\"",
    ];
    let mut random = Random(0x5eed_0f50_4e12_e161);
    let mut understood = 0_u32;
    for _ in 0..3000 {
        let mut body = WHOLE.as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(body.len());
            let end = at + random.below(body.len() - at).min(8);
            match random.below(4) {
                0 => body[at] = random.below(256) as u8,
                1 => drop(body.drain(at..end)),
                2 => drop(body.splice(at..end, PIECES[random.below(16)].bytes())),
                _ => {
                    let piece = body[at..end].to_vec();
                    drop(body.splice(at..at, piece));
                }
            }
        }
        if let Some(turn) = read(&body).await {
            check(&turn);
            understood += 1;
        }
    }
    assert!((100..2900).contains(&understood), "both ways are taken: {understood}");
}
