use super::vault::vault;
use super::{Home, chat, model, records, say, users};
use crate::conversation::outcomes;
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{FailureClass, Message, WireProposal};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Event, TurnError};
use sovereign_core::history::{MAX_TOOL_RESULT_CHARS, Notice, TurnEnd};
use sovereign_core::testing::Scripted;
use sovereign_tests::lab;

const SECRET: &str = "lnbc1-secret/\"path\"";
const NUMBER: u64 = 987_654_321;

fn arguments() -> String {
    serde_json::json!({ "text": SECRET, "number": NUMBER }).to_string()
}

/// F08, T-13-62: over all categories, also where results and prose tell the argument again.
#[tokio::test]
async fn wallet_tool_arguments_never_reach_the_transcript() {
    let kept = ["apps", "system", "network", "media", "search", "ai_local", "notes", "bitcoin"];
    let withheld = ["wallet", "files", "home"];
    for category in kept.iter().chain(&withheld) {
        let (lab, home) = (vault(), Home::new());
        let name = format!("vault__{category}__v1");
        let script = model()
            .proposes(&name, &arguments())
            .says(&format!("I have sent {NUMBER} to {SECRET} for you."));
        let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
        let report = say(&chat, "do it").await;
        assert_eq!(report.receipts[0].outcome, OutcomeKind::Executed, "{category}");
        let found = home.bytes();
        let escaped = serde_json::to_string(SECRET).unwrap();
        let says = |text: &str| found.contains(text.trim_matches('"'));
        let tells = says("lnbc1-secret") || says(&escaped) || says(&NUMBER.to_string());
        assert_eq!(tells, kept.contains(category), "{category}: {found}");
        let row = chat.history().recent(1).remove(0).calls.remove(0);
        assert_eq!(row.arguments.is_some(), kept.contains(category));
        assert_eq!(row.capability, Some(format!("vault.{category}")));
        assert_eq!((row.version, row.outcome.as_deref()), (Some(1), Some("executed")));
        assert_eq!(row.audit_id, Some(report.receipts[0].audit_id.to_string()));
        let word = if *category == "home" { "custom:home" } else { category };
        assert_eq!(row.category.as_deref(), Some(word));
        assert!(row.result.unwrap().text.contains("\"balance\":21"), "the rest is kept");
    }
}

#[tokio::test]
async fn sensitive_arguments_never_reach_the_transcript() {
    let (lab, home) = (vault(), Home::new());
    let given = r#"{"user":"alice in person","password":"hunter2-hunter2"}"#;
    let script = model().proposes("vault__login__v1", given).says("In, with hunter2-hunter2.");
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    say(&chat, "log in").await;
    let found = home.bytes();
    assert!(found.contains("alice in person") && !found.contains("hunter2"), "{found}");
    let turn = chat.history().recent(1).remove(0);
    assert_eq!(turn.assistant.text, "In, with [withheld].");
    assert_eq!(turn.calls[0].arguments.as_ref().unwrap()["password"], "[withheld]");
}

/// What a model wrote under a name that nobody registered is kept nowhere; nor is a field that is
/// not declared.
#[tokio::test]
async fn unregistered_names_and_undeclared_fields_are_not_kept() {
    let (lab, home) = (vault(), Home::new());
    let proposals = vec![
        WireProposal::new("lnbc1-secret", arguments().as_bytes()),
        WireProposal::new("vault__notes__v1", br#"{"text":"t","pin":"lnbc1-secret"}"#),
    ];
    let script = model().replies("", proposals).says("no");
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    say(&chat, "do it").await;
    let found = home.bytes();
    assert!(!found.contains("lnbc1-secret"), "{found}");
    let codes: Vec<_> =
        chat.history().recent(1).remove(0).calls.into_iter().map(|c| c.code.unwrap()).collect();
    assert_eq!(codes, ["unknown_capability", "invalid_arguments"]);
}

/// F08, T-13-69.
#[tokio::test]
async fn nothing_of_an_open_decision_is_written() {
    let (lab, state) = lab();
    let home = Home::new();
    let script = model().proposes("lab__change__v1", r#"{"text":"hunter2"}"#).says("done");
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    let mut turn = chat.say("change it").unwrap();
    let request = loop {
        if let Event::ConfirmationRequested(request) = turn.next().await.expect("it asks") {
            break request;
        }
    };
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    chat.history().save().unwrap();
    let open = home.bytes();
    assert!(open.contains("change it"), "the person's words are there (C-17)");
    let pending = request.id().to_string();
    for word in ["lab.change", "hunter2", &pending, token.reveal(), "awaiting", "note becomes"] {
        assert!(!open.contains(word), "`{word}` in {open}");
    }
    // the program stops here: nothing of it runs, and the request is not lost
    let copy = home.open(&lab).load(&lab.scope).unwrap();
    assert_eq!(copy.notices, [Notice::Interrupted { turns: 1, calls: 0 }]);
    assert_eq!(copy.history.recent(1)[0].end, Some(TurnEnd::Interrupted));
    assert!(state.ran().is_empty());
    request.decide(Decision::Approve).unwrap();
    while turn.next().await.is_some() {}
    let closed = home.bytes();
    assert!(closed.contains("lab.change") && !closed.contains(token.reveal()));
}

/// cases 4e, goose#2951: the program stops while a confirmed call runs.
#[tokio::test]
async fn transcript_that_ends_in_an_open_call_is_told_as_unknown_and_not_run_again() {
    let (lab, state) = lab();
    let home = Home::new();
    let script = model().proposes("lab__slow_change__v1", "{}");
    let (chat_before, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    let mut turn = chat_before.say("change it slowly").unwrap();
    let request = loop {
        if let Event::ConfirmationRequested(request) = turn.next().await.expect("it asks") {
            break request;
        }
    };
    request.decide(Decision::Approve).unwrap();
    tokio::select! {
        biased;
        () = state.started.notified() => {}
        event = turn.next() => panic!("it waits at the gate: {event:?}"),
    }
    // what the program would have left, had it stopped now
    tokio::select! {
        biased;
        event = turn.next() => panic!("it waits at the gate: {event:?}"),
        () = tokio::task::yield_now() => {}
    }
    chat_before.history().save().unwrap();
    let histories = home.open(&lab);
    let script = model().says("I do not know whether it happened.");
    let (chat_after, notices) = chat(&lab, &histories, &lab.scope, script.clone());
    assert_eq!(notices, [Notice::Interrupted { turns: 1, calls: 1 }]);
    let ran = state.ran();
    say(&chat_after, "and?").await;
    assert_eq!(state.ran(), ran, "nothing runs again");
    let seen = script.seen().remove(0).messages;
    assert_eq!(users(&seen), ["change it slowly", "and?"]);
    let [record] = records(&seen)[..] else { panic!("{seen:?}") };
    for word in ["lab.slow_change", "unknown_effect", "restart", "interrupted"] {
        assert!(record.contains(word), "`{word}` in {record}");
    }
    assert!(
        !seen
            .iter()
            .any(|m| matches!(m, Message::Assistant { proposals, .. } if !proposals.is_empty()))
    );
}

/// F02, rig#1733.
#[tokio::test]
async fn transcript_survives_a_restart() {
    let home = Home::new();
    {
        let (lab, _) = lab();
        let script = model().proposes("lab__read__v1", "{}").says("It is a figure.");
        let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
        say(&chat, "what is it?").await;
    }
    let (lab, state) = lab();
    let script = model().says("A figure, as I said.");
    let (chat, notices) = chat(&lab, &home.open(&lab), &lab.scope, script.clone());
    assert!(notices.is_empty(), "{notices:?}");
    say(&chat, "again?").await;
    let seen = script.seen().remove(0).messages;
    assert_eq!(users(&seen), ["what is it?", "again?"]);
    let [record] = records(&seen)[..] else { panic!("{seen:?}") };
    let record: serde_json::Value = serde_json::from_str(record).unwrap();
    let call = &record["untrusted_data"]["calls"][0];
    assert_eq!(
        (&call["capability"], &call["result"]["word"]),
        (&"lab.read".into(), &"figure".into())
    );
    assert!(outcomes(&seen).is_empty() && state.ran().is_empty(), "a record is no call");
}

/// F05, goose#7846, #3263, #1988.
#[tokio::test]
async fn long_result_is_cut_with_a_marker_outside_the_payload() {
    let home = Home::new();
    let lab = vault();
    let script = model().proposes("vault__long__v1", r#"{"chars":9000}"#).says("long");
    let (chat_before, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    say(&chat_before, "go").await;
    let result = chat_before.history().recent(1).remove(0).calls.remove(0).result.unwrap();
    assert_eq!(result.text.chars().count(), MAX_TOOL_RESULT_CHARS);
    assert_eq!(result.of_chars, Some(9002), "with its quotes");
    assert!(result.text.starts_with("\"内") && result.text.ends_with('内'));
    drop(chat_before);
    let script = model().says("yes");
    let (chat_after, _) = chat(&lab, &home.open(&lab), &lab.scope, script.clone());
    say(&chat_after, "still there?").await;
    let seen = script.seen().remove(0).messages;
    let record: serde_json::Value = serde_json::from_str(records(&seen)[0]).unwrap();
    let shown = &record["untrusted_data"]["calls"][0]["result"];
    assert_eq!(shown["cut_from_chars"], 9002);
    assert!(!shown["beginning"].as_str().unwrap().contains("cut"));
}

/// F10, C-17, C-19, openhuman#6281.
#[tokio::test]
async fn failed_turn_is_kept_with_its_results_and_its_failure() {
    let home = Home::new();
    let (lab, _) = lab();
    let script = model()
        .proposes("lab__read__v1", "{}")
        .proposes("lab__read__v1", "{}")
        .fails(FailureClass::Refused, "status 500");
    let (chat_before, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    let report = say(&chat_before, "go").await;
    assert_eq!(report.error, Some(TurnError::NoBackend));
    drop(chat_before);
    let loaded = home.open(&lab).load(&lab.scope).unwrap();
    let turn = loaded.history.recent(1).remove(0);
    assert_eq!((turn.end, turn.code.as_deref()), (Some(TurnEnd::Failed), Some("no_backend")));
    assert_eq!(turn.calls.len(), 2);
    assert!(turn.calls.iter().all(|c| c.result.as_ref().unwrap().text.contains("figure")));
}

#[tokio::test]
async fn completed_turn_is_on_the_disk_when_it_is_reported() {
    let (lab, home) = (lab().0, Home::new());
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, model().says("Hello."));
    let report = say(&chat, "hi").await;
    assert_eq!(report.unsaved, None);
    let turn = home.open(&lab).load(&lab.scope).unwrap().history.recent(1).remove(0);
    assert_eq!((turn.user.text.as_str(), turn.assistant.text.as_str()), ("hi", "Hello."));
    assert_eq!((turn.end, turn.at.as_str()), (Some(TurnEnd::Answered), "2026-01-01T00:00:00Z"));
}

#[tokio::test]
async fn transcript_that_cannot_be_saved_is_reported_and_the_answer_still_comes() {
    let (lab, home) = (lab().0, Home::new());
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, model().says("Hello.").says("Again."));
    std::fs::remove_dir_all(home.dir()).unwrap();
    let report = say(&chat, "hi").await;
    assert_eq!(report.text, "Hello.");
    assert!(report.unsaved.unwrap().contains("does not exist"));
    sovereign_core::files::create_private_dir(&home.dir()).unwrap();
    assert_eq!(say(&chat, "again").await.unsaved, None);
    assert!(home.bytes().contains("hi") && home.bytes().contains("again"));
}

/// Provider-specific blocks live only within the turn: not even a provider's call id is kept.
#[tokio::test]
async fn nothing_of_a_providers_wire_is_kept() {
    let (lab, home) = (lab().0, Home::new());
    let wire = WireProposal::new("lab__read__v1", b"{}").with_wire_id("toolu_01ABC");
    let script = Scripted::new().replies("", vec![wire]).says("done");
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
    say(&chat, "go").await;
    let found = home.bytes();
    assert!(found.contains("lab.read"));
    for word in ["toolu_01ABC", "lab__read__v1", "call_1_0_0"] {
        assert!(!found.contains(word), "`{word}` in {found}");
    }
}

#[tokio::test]
async fn two_conversations_of_one_caller_remember_the_same() {
    let (lab, home) = (lab().0, Home::new());
    let histories = home.open(&lab);
    let (first, _) = chat(&lab, &histories, &lab.scope, model().says("one"));
    let script = model().says("two");
    let (second, _) = chat(&lab, &histories, &lab.scope, script.clone());
    say(&first, "in this tab").await;
    say(&second, "in that tab").await;
    assert_eq!(users(&script.seen()[0].messages), ["in this tab", "in that tab"]);
}
