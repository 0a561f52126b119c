//! What every adapter does, on every wire, whole and in pieces.
use super::fixtures::{about_the_model, ask, ask_within, conversation, lab, say};
use super::wires::{CAP, Dialect, Told, WIRES, Wire};
use serde_json::Value;
use sovereign_backends::scripted::Scripted;
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{BackendTurn, FailureClass, Stop, Usage};
use sovereign_core::conversation::Report;
use std::collections::BTreeSet;
use std::sync::Arc;

const DISK: &str = "system__disk_status__v1";
const INCREMENT: &str = "sums__increment__v1";

async fn read(wire: Wire, told: Told) -> BackendTurn {
    ask(&wire.telling([told])).await.unwrap_or_else(|e| panic!("{wire:?}: {e}"))
}

/// One turn of a conversation with these replies.
async fn turn(wire: Wire, replies: impl IntoIterator<Item = Told>) -> (Report, Scripted) {
    let model = wire.telling(replies);
    let report = say(&conversation(&lab(), vec![Arc::new(model.clone())]), "go").await;
    (report, model)
}

fn ends(report: &Report) -> Vec<(OutcomeKind, Option<&'static str>)> {
    report.receipts.iter().map(|r| (r.outcome, r.code)).collect()
}

/// Names and arguments of what it asks for.
fn asked(turn: &BackendTurn) -> Vec<(&str, Result<&str, &'static str>)> {
    turn.proposals
        .iter()
        .map(|p| {
            (p.wire_name.as_str(), p.arguments.as_ref().map(|a| a.as_str()).map_err(|m| m.code()))
        })
        .collect()
}

#[tokio::test]
async fn text_only_is_text() {
    for wire in WIRES {
        let turn = read(wire, Told::text("Grüße, 1 < 2 & \"x\"\n")).await;
        assert_eq!(turn.text, "Grüße, 1 < 2 & \"x\"\n", "{wire:?}");
        assert_eq!((turn.proposals.len(), turn.stop), (0, Stop::End), "{wire:?}");
        assert_eq!(turn.usage, Usage { input: 9, output: 7 }, "{wire:?}");
    }
}

#[tokio::test]
async fn one_call_is_executed_and_its_result_goes_back() {
    for wire in WIRES {
        let call = Told::text("").calls(Some("call_a"), INCREMENT, Some(r#"{"n": 41}"#));
        let (report, model) = turn(wire, [call, Told::text("It is 42.")]).await;
        assert_eq!(ends(&report), [(OutcomeKind::Executed, None)], "{wire:?}");
        assert_eq!(report.text, "It is 42.", "{wire:?}");
        let second: Value = serde_json::from_str(&model.requests()[1]).unwrap();
        assert!(second.to_string().contains(r#"\"untrusted_data\":42"#), "{wire:?}: {second}");
    }
}

#[tokio::test]
async fn several_calls_keep_their_order_and_their_bytes() {
    for wire in WIRES {
        let told = Told::text("")
            .calls(Some("a"), INCREMENT, Some(r#"{ "n" : 1.0e1 }"#))
            .calls(Some("b"), DISK, Some("{}"))
            .calls(Some("c"), INCREMENT, Some(r#"{"n":"\u0041\"\\"}"#));
        let turn = read(wire, told).await;
        let expected = [
            (INCREMENT, Ok(r#"{ "n" : 1.0e1 }"#)),
            (DISK, Ok("{}")),
            (INCREMENT, Ok(r#"{"n":"\u0041\"\\"}"#)),
        ];
        assert_eq!(asked(&turn), expected, "{wire:?}");
        let ids: Vec<_> = turn.proposals.iter().map(|p| p.wire_id.as_deref()).collect();
        assert_eq!(ids, [Some("a"), Some("b"), Some("c")], "{wire:?}");
    }
}

#[tokio::test]
async fn a_call_beside_text_is_kept_with_the_text() {
    for wire in WIRES {
        let turn = read(wire, Told::text("One moment.").calls(Some("a"), DISK, None)).await;
        assert_eq!(turn.text, "One moment.", "{wire:?}");
        assert_eq!(asked(&turn), [(DISK, Ok("{}"))], "{wire:?}");
    }
}

#[tokio::test]
async fn a_call_without_arguments_has_the_empty_object() {
    for wire in WIRES {
        let none = Told::text("").calls(Some("a"), DISK, None);
        let (report, _) = turn(wire, [none, Told::text("Done.")]).await;
        assert_eq!(ends(&report), [(OutcomeKind::Executed, None)], "{wire:?}");
    }
}

/// C-12; facts: a cut call looks whole on several servers
#[tokio::test]
async fn a_truncated_reply_executes_nothing() {
    for wire in WIRES {
        let call = Told::text("").calls(Some("a"), DISK, Some("{}"));
        let hidden = call.clone().output(u64::from(CAP));
        for cut in [call.cut(), hidden] {
            let (report, _) = turn(wire, [cut, Told::text("Sorry.")]).await;
            let truncated = (OutcomeKind::ParseFailed, Some("truncated_reply"));
            assert_eq!(ends(&report), [truncated], "{wire:?}");
        }
    }
}

#[tokio::test]
async fn malformed_arguments_are_answered_and_never_executed() {
    for wire in WIRES {
        for malformed in
            ["[]", "0", "false", r#""{}""#, r#"{"n":1,"n":1}"#, r#"{"a":{"b":1,"\u0062":2}}"#]
        {
            let call = Told::text("").calls(Some("a"), DISK, Some(malformed));
            let (report, _) = turn(wire, [call, Told::text("Sorry.")]).await;
            let kinds: Vec<_> = report.receipts.iter().map(|r| r.outcome).collect();
            assert_eq!(kinds, [OutcomeKind::ParseFailed], "{wire:?} {malformed}");
        }
    }
}

#[tokio::test]
async fn malformed_arguments_are_not_sent_back() {
    for wire in WIRES {
        let call = Told::text("").calls(Some("a"), DISK, Some(r#"["poison"]"#));
        let (_, model) = turn(wire, [call, Told::text("Sorry.")]).await;
        assert!(!model.requests()[1].contains("poison"), "llama.cpp#22072: {wire:?}");
    }
}

/// Missing, empty, reused and duplicate ids (C-11, must-beat 32)
#[tokio::test]
async fn every_call_has_an_id_of_its_own_and_its_result() {
    for wire in WIRES {
        let odd = Told::text("")
            .calls(None, INCREMENT, Some(r#"{"n":1}"#))
            .calls(Some(""), INCREMENT, Some(r#"{"n":2}"#))
            .calls(Some("same"), INCREMENT, Some(r#"{"n":3}"#))
            .calls(Some("same"), INCREMENT, Some(r#"{"n":3}"#));
        let done = Told::text("Done.");
        let model = wire.telling([odd.clone(), done.clone(), odd, done]);
        let talk = conversation(&lab(), vec![Arc::new(model.clone())]);
        for _ in 0..2 {
            assert_eq!(say(&talk, "add").await.receipts.len(), 4, "{wire:?}");
        }
        let last = serde_json::from_str(model.requests().last().unwrap()).unwrap();
        let (calls, results) = wire.ids(&last);
        assert_eq!((calls.len(), &calls), (8, &results), "{wire:?}");
        assert_eq!(calls.iter().collect::<BTreeSet<_>>().len(), 8, "{wire:?}: {calls:?}");
        assert!(calls.iter().all(|id| !id.is_empty()), "{wire:?}");
    }
}

#[tokio::test]
async fn unknown_fields_change_nothing() {
    for wire in WIRES {
        let told = Told::text("One moment.").calls(Some("a"), DISK, Some("{}"));
        let body = wire.body(&told);
        let new = "\"x_new\":[1,{\"y\":null}],\"";
        // in every object but the arguments, which are a call's own and empty here
        let more = [":{\"", "[{\"", "{\"model\"", "{\"type\"", "{\"id\""]
            .iter()
            .fold(body, |body, at| body.replace(at, &at.replacen("{\"", &format!("{{{new}"), 1)));
        let model = wire.replies(wire.scripted(), more);
        let turn = ask(&model).await.unwrap_or_else(|e| panic!("{wire:?}: {e}"));
        assert_eq!((turn.text.as_str(), turn.proposals.len()), ("One moment.", 1), "{wire:?}");
    }
}

#[tokio::test]
async fn error_bodies_of_every_status_are_reasons() {
    for wire in WIRES {
        for status in 400..600 {
            let bodies =
                [wire.error("no\u{1b}[2J"), String::new(), "<html>".to_owned(), "[]".to_owned()];
            for (n, body) in bodies.into_iter().enumerate() {
                let model = wire.scripted().answers(status, body);
                let error = ask(&model).await.unwrap_err().to_string();
                assert!(error.starts_with(&format!("it answered {status}")), "{wire:?}: {error}");
                assert!(n > 0 || error.ends_with(r": no\u{1b}[2J"), "{wire:?}: {error}");
                assert_eq!(model.requests().len(), 1, "asked once: {wire:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_under_status_200_is_a_reason_whole_or_in_the_middle() {
    for wire in WIRES {
        let error = wire.error("overloaded");
        let body = match (wire.dialect, wire.in_pieces) {
            (_, false) => error,
            (Dialect::Ollama, true) => {
                let begun = r#"{"message":{"content":"One"},"done":false}"#;
                format!("{begun}\n{error}\n")
            }
            (Dialect::OpenAi, true) => {
                format!(
                    "data: {{\"choices\":[{{\"delta\":{{\"content\":\"One\"}}}}]}}\n\ndata: {error}\n\n"
                )
            }
            (Dialect::Claude, true) => format!("event: error\ndata: {error}\n\n"),
        };
        let failed = ask(&wire.replies(wire.scripted(), body)).await.unwrap_err();
        assert_eq!(failed.to_string(), "it answered with an error: overloaded", "{wire:?}");
    }
}

#[tokio::test]
async fn a_reply_is_the_same_wherever_its_pieces_are_cut() {
    let told = Told::text("Grüße.")
        .calls(Some("a"), INCREMENT, Some(r#"{"n": 41}"#))
        .calls(None, DISK, None);
    for wire in WIRES.into_iter().filter(|wire| wire.in_pieces) {
        let body = wire.body(&told).into_bytes();
        let whole = read(wire, told.clone()).await;
        for at in 1..body.len() {
            let (before, after) = body.split_at(at);
            let turn = ask(&wire.scripted().streams([before, after])).await.unwrap();
            assert_eq!((&turn.text, asked(&turn)), (&whole.text, asked(&whole)), "{wire:?} {at}");
        }
        let bytes = ask(&wire.scripted().streams(body.chunks(1))).await.unwrap();
        assert_eq!((&bytes.text, asked(&bytes)), (&whole.text, asked(&whole)), "{wire:?}");
    }
}

/// must-beat 35
#[tokio::test]
async fn truncated_stream_is_error() {
    let told = Told::text("Grüße.")
        .calls(Some("a"), INCREMENT, Some(r#"{"n": 41}"#))
        .calls(None, DISK, None);
    for wire in WIRES {
        let body = wire.body(&told).into_bytes();
        // the last bytes are line feeds that nothing waits for
        let needed = body.trim_ascii_end().len();
        for end in 0..needed {
            let cut = &body[..end];
            let closed = wire.replies(wire.scripted(), cut);
            assert!(ask(&closed).await.is_err(), "{wire:?} closed after {end} of {needed}");
            let reset = wire.scripted().breaks_after([cut]);
            assert!(ask(&reset).await.is_err(), "{wire:?} reset after {end} of {needed}");
        }
    }
}

/// must-beat 33; the seed is fixed
#[tokio::test]
async fn garbage_never_panics_and_never_executes() {
    const PIECES: [&str; 18] = [
        "null",
        "{}",
        "[]",
        "\"\"",
        "0",
        "-1e9",
        "true",
        "\"arguments\":",
        "\"input\":",
        "\"name\":",
        "{",
        "}",
        "[",
        "]",
        "\n",
        "data: ",
        "\\u0000",
        "\"\\ud800\"",
    ];
    let mut random = crate::seeded::Random(0x5eed_0ada_97e4_0001);
    for wire in WIRES {
        let told = Told::text("Tëxt")
            .calls(Some("a"), INCREMENT, Some(r#"{"n":[1,{"d":null}]}"#))
            .calls(None, DISK, None);
        let whole = wire.body(&told).into_bytes();
        let mut understood = 0_u32;
        for _ in 0..800 {
            let mut body = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(body.len());
                let end = at + random.below(body.len() - at).min(8);
                match random.below(4) {
                    0 => body[at] = random.below(256) as u8,
                    1 => drop(body.drain(at..end)),
                    2 => drop(body.splice(at..end, PIECES[random.below(PIECES.len())].bytes())),
                    _ => {
                        let piece = body[at..end].to_vec();
                        drop(body.splice(at..at, piece));
                    }
                }
            }
            if let Ok(turn) = ask(&wire.replies(wire.scripted(), body)).await {
                super::hostile::check(&turn);
                understood += 1;
            }
        }
        assert!((10..790).contains(&understood), "both ways are taken on {wire:?}: {understood}");
    }
}

#[tokio::test]
async fn text_that_looks_like_a_call_is_never_executed() {
    for wire in WIRES {
        for text in [
            r#"{"name":"sums__increment__v1","arguments":{"n":1}}"#,
            "<tool_call>{\"name\":\"sums__increment__v1\",\"arguments\":{\"n\":1}}</tool_call>",
            // and one that does not end (omlx#3153)
            "<tool_call>{\"name\":\"sums__increment__v1\"",
            "data: {\"choices\":[]}\n\n",
        ] {
            let (report, _) = turn(wire, [Told::text(text)]).await;
            assert_eq!((report.text.as_str(), report.receipts.len()), (text, 0), "{wire:?}");
        }
    }
}

#[tokio::test]
async fn a_wire_name_is_dispatched_exactly_or_refused_with_an_answer() {
    for wire in WIRES {
        for name in [
            "sums.increment",
            "functions.sums__increment__v1",
            "Sums__increment__v1",
            "sums/increment",
            "multi_tool_use.parallel",
            "",
        ] {
            let call = Told::text("").calls(Some("a"), name, Some(r#"{"n":1}"#));
            let (report, _) = turn(wire, [call, Told::text("Sorry.")]).await;
            let refused = (OutcomeKind::Refused, Some("unknown_capability"));
            assert_eq!(ends(&report), [refused], "{wire:?} {name}");
        }
    }
}

/// must-beat 36
#[tokio::test]
async fn every_reply_names_backend_and_model() {
    use sovereign_tests::double::Double;
    for wire in WIRES {
        let double = Double::start(move |request| {
            if request.path == wire.path() {
                wire.answer(&Told::text("Hello."))
            } else {
                about_the_model(request)
            }
        })
        .await;
        let leg = wire.leg(&double, None);
        leg.ready().await.unwrap();
        let identity = ask(&*leg).await.unwrap().identity;
        let id = match wire.dialect {
            Dialect::Ollama => "ollama",
            Dialect::OpenAi => "openai",
            Dialect::Claude => "claude",
        };
        assert_eq!((identity.id, identity.model.as_deref()), (id, Some("m")), "{wire:?}");
    }
}

#[tokio::test]
async fn a_slow_stream_is_the_same_reply() {
    let told = Told::text("Grüße.").calls(Some("a"), INCREMENT, Some(r#"{"n": 41}"#));
    for wire in WIRES.into_iter().filter(|wire| wire.in_pieces) {
        let body = wire.body(&told).into_bytes();
        let slow = std::time::Duration::from_millis(1);
        let turn = ask(&wire.scripted().streams_every(slow, body.chunks(97))).await.unwrap();
        let whole = read(wire, told.clone()).await;
        assert_eq!((&turn.text, asked(&turn)), (&whole.text, asked(&whole)), "{wire:?}");
    }
}

/// continue#11866, rust-genai#55; ollama#10976, #15288: what a model thought is neither its answer nor
/// a call, and stands beside calls that count
#[tokio::test]
async fn thoughts_are_neither_prose_nor_calls() {
    let thought = r#"{\"name\":\"sums__increment__v1\",\"arguments\":{\"n\":1}}"#;
    for (model, body) in [
        (
            Scripted::ollama(),
            format!(r#"{{"message":{{"content":"","thinking":"{thought}"CALLS}},"done":true}}"#),
        ),
        (
            Scripted::openai(),
            format!(
                r#"{{"choices":[{{"finish_reason":"stop","message":{{"content":"","reasoning":"{thought}","reasoning_content":"{thought}"CALLS}}}}]}}"#
            ),
        ),
    ] {
        let arguments = if body.contains("choices") { r#""{}""# } else { "{}" };
        let call = format!(
            r#","tool_calls":[{{"function":{{"name":"system__disk_status__v1","arguments":{arguments}}}}}]"#
        );
        let model = model.replies(body.replace("CALLS", "")).replies(body.replace("CALLS", &call));
        let nothing = ask(&model).await.unwrap();
        assert_eq!((nothing.text.as_str(), nothing.proposals.len()), ("", 0));
        let called = ask(&model).await.unwrap();
        assert_eq!((called.text.as_str(), asked(&called)), ("", vec![(DISK, Ok("{}"))]));
    }
}

#[tokio::test]
async fn a_stream_that_falls_silent_ends_at_the_deadline() {
    for wire in WIRES.into_iter().filter(|wire| wire.in_pieces) {
        let body = wire.body(&Told::text("One moment.").calls(Some("a"), DISK, None));
        let begun = &body[..body.len() / 2];
        let model = wire.scripted().hangs_after([begun]);
        let short = std::time::Duration::from_millis(30);
        let error = ask_within(&model, short).await.unwrap_err();
        assert_eq!(error.class(), FailureClass::Timeout, "{wire:?}");
    }
}
