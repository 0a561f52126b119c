//! The six stages from outside: every outcome of the table, each with exactly one terminal record.
use sovereign_core::audit::{Mark, OutcomeKind, Point, Stage};
use sovereign_core::caller::{CallerScope, Category};
use sovereign_core::executor::{Outcome, Proposal};
use sovereign_core::policy::Policy;
use sovereign_core::testing::Harness;
use sovereign_tests::{Lab, lab, lab_builder};
use std::time::Duration;

fn propose(name: &str, version: u32, arguments: &str) -> Proposal {
    Proposal::new(name, version, arguments.as_bytes())
}

fn point_of_end(lab: &Harness) -> Point {
    lab.audit.calls().last().map(|r| r.point).expect("a record")
}

/// (name, version, arguments, approved) → (outcome, code, point, what ran)
type Row = (
    (&'static str, u32, &'static str, bool),
    (OutcomeKind, Option<&'static str>, Point, &'static [&'static str]),
);

const TABLE: &[Row] = {
    use OutcomeKind::{Denied, Executed, Failed, ParseFailed, Refused, UnknownEffect};
    const PARSE: Point = Point::Parse;
    const RESOLVE: Point = Point::At(Stage::Resolve);
    const VALIDATE: Point = Point::At(Stage::Validate);
    const POLICY: Point = Point::At(Stage::Policy);
    const CONFIRM: Point = Point::At(Stage::Confirm);
    const EXECUTE: Point = Point::At(Stage::Execute);
    &[
        (("lab.read", 1, "{}", false), (Executed, None, EXECUTE, &["read"])),
        (("lab.read", 1, " {\n} ", false), (Executed, None, EXECUTE, &["read"])),
        (("lab.read", 1, "", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, "0", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, "false", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, "null", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, "[]", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, "[{}]", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, r#""{}""#, false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (("lab.read", 1, "{}{}", false), (ParseFailed, Some("not_one_json_object"), PARSE, &[])),
        (
            ("lab.read", 1, r#"{"path":"#, false),
            (ParseFailed, Some("not_one_json_object"), PARSE, &[]),
        ),
        (
            ("lab.read", 1, r#"{"a":1,"\u0061":2}"#, false),
            (ParseFailed, Some("duplicate_key"), PARSE, &[]),
        ),
        (
            ("lab.read", 1, r#"{"name":"lab.read","parameters":{}}"#, false),
            (Refused, Some("invalid_arguments"), VALIDATE, &[]),
        ),
        (("lab.reed", 1, "{}", false), (Refused, Some("unknown_capability"), RESOLVE, &[])),
        (("lab.read", 2, "{}", false), (Refused, Some("unknown_capability"), RESOLVE, &[])),
        (("LAB.READ", 1, "{}", false), (Refused, Some("unknown_capability"), RESOLVE, &[])),
        (("lab__read__v1", 1, "{}", false), (Refused, Some("unknown_capability"), RESOLVE, &[])),
        (("lab.read ", 1, "{}", false), (Refused, Some("unknown_capability"), RESOLVE, &[])),
        (("lab.change", 1, "{}", true), (Refused, Some("invalid_arguments"), VALIDATE, &[])),
        (
            ("lab.change", 1, r#"{"text":""}"#, true),
            (Refused, Some("invalid_arguments"), VALIDATE, &[]),
        ),
        (
            ("lab.change", 1, r#"{"text":7}"#, true),
            (Refused, Some("invalid_arguments"), VALIDATE, &[]),
        ),
        (
            ("lab.change", 1, r#"{"text":"a","confirmed":true}"#, true),
            (Refused, Some("invalid_arguments"), VALIDATE, &[]),
        ),
        (("lab.change", 1, r#"{"text":"a"}"#, false), (Denied, None, CONFIRM, &[])),
        (("lab.change", 1, r#"{"text":"a"}"#, true), (Executed, None, EXECUTE, &["change a"])),
        (
            ("lab.send", 1, r#"{"query":"q","times":2.0}"#, true),
            (Executed, None, EXECUTE, &["send q Some(2)"]),
        ),
        (
            ("lab.send", 1, r#"{"query":"q","times":null}"#, true),
            (Executed, None, EXECUTE, &["send q None"]),
        ),
        (
            ("lab.send", 1, r#"{"query":"q","times":2.5}"#, true),
            (Refused, Some("invalid_arguments"), VALIDATE, &[]),
        ),
        (
            ("lab.send", 1, r#"{"query":"q","times":"2"}"#, true),
            (Refused, Some("invalid_arguments"), VALIDATE, &[]),
        ),
        (
            ("lab.forbidden", 1, r#"{"panics":false}"#, true),
            (Refused, Some("target_not_listed"), POLICY, &[]),
        ),
        (
            ("lab.forbidden", 1, r#"{"panics":true}"#, true),
            (Refused, Some("panicked"), POLICY, &[]),
        ),
        (("lab.panics", 1, "{}", false), (Failed, Some("panicked"), EXECUTE, &[])),
        (
            ("lab.panics_changing", 1, "{}", true),
            (UnknownEffect, Some("panicked"), EXECUTE, &["half a change"]),
        ),
        (("lab.fails", 1, "{}", false), (Failed, Some("sensor_gone"), EXECUTE, &[])),
        (("lab.fails_changing", 1, "{}", true), (UnknownEffect, Some("link_lost"), EXECUTE, &[])),
        (("lab.fails_before", 1, "{}", true), (Failed, Some("busy"), EXECUTE, &[])),
        (("lab.big", 1, "{}", false), (Failed, Some("result_too_large"), EXECUTE, &[])),
        (("lab.odd", 1, "{}", false), (Failed, Some("result_invalid"), EXECUTE, &[])),
        (
            ("lab.odd_change", 1, "{}", true),
            (Executed, Some("result_invalid"), EXECUTE, &["odd change"]),
        ),
    ]
};

#[tokio::test]
async fn every_proposal_ends_as_the_table_says_with_one_terminal_record() {
    for ((name, version, arguments, approved), (kind, code, point, ran)) in TABLE {
        let (lab, state) = lab();
        let call = lab.propose(propose(name, *version, arguments));
        let outcome = if *approved { call.approved().await } else { call.await };
        let case = format!("{name}@{version} {arguments}");
        assert_eq!((outcome.kind(), outcome.code()), (*kind, *code), "{case}");
        assert_eq!(lab.audit.ends(), [*kind], "{case}");
        assert_eq!(point_of_end(&lab), *point, "{case}");
        assert_eq!(state.ran(), *ran, "{case}");
        assert_eq!(lab.audit.calls().last().map(|r| r.id), Some(outcome.audit_id), "{case}");
    }
}

#[tokio::test]
async fn malformed_arguments_never_execute() {
    let (lab, state) = lab();
    for hostile in ["", " ", "0", "false", "\"\"", "[]", "null", "{", "{}}", "{\"a\":}", "\u{7}"] {
        let outcome = lab.propose(propose("lab.read", 1, hostile)).await;
        assert_eq!(outcome.kind(), OutcomeKind::ParseFailed, "{hostile:?}");
    }
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn unknown_proposal_is_audited() {
    let (lab, _) = lab();
    let outcome = lab.propose(propose("no.such", 7, "{}")).await;
    let [record] = <[_; 1]>::try_from(lab.audit.calls()).expect("one record");
    assert_eq!(record.id, outcome.audit_id);
    assert_eq!(record.code, Some("unknown_capability"));
}

#[tokio::test]
async fn model_text_never_in_audit() {
    let (lab, _) = lab();
    let secret = "household-secret-".repeat(2000);
    lab.propose(propose(&secret, 1, "{}")).await;
    lab.propose(propose("lab.read", 1, &format!(r#"{{"{secret}":"{secret}"}}"#))).await;
    lab.propose(propose("lab.change", 1, r#"{"text":"household-secret"}"#)).approved().await;
    lab.propose(propose("lab.panics", 1, "{}")).await;
    lab.propose(propose("lab.fails", 1, "{}")).await;
    let written = format!("{:?}", lab.audit.records());
    assert!(!written.contains("household") && !written.contains("secret"), "{written}");
}

#[tokio::test]
async fn executor_enforces_cap() {
    let (lab, state) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let mut codes = Vec::new();
    for _ in 0..5 {
        let submitted = lab.executor.submit(&turn, propose("lab.read", 1, "{}")).await;
        let sovereign_core::executor::Submitted::Settled(outcome) = submitted else {
            panic!("automatic")
        };
        codes.push(outcome.code());
    }
    let spent = Some("capability_budget");
    assert_eq!(codes, [None, None, None, spent, spent]);
    assert_eq!(state.ran().len(), 3);
    assert_eq!(point_of_end(&lab), Point::At(Stage::Confirm));
}

#[tokio::test]
async fn refusals_before_confirm_do_not_use_up_the_cap() {
    let (lab, state) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    for _ in 0..9 {
        let _ = lab.executor.submit(&turn, propose("lab.read", 1, r#"{"x":1}"#)).await;
    }
    let _ = lab.executor.submit(&turn, propose("lab.read", 1, "{}")).await;
    assert_eq!(state.ran(), ["read"]);
}

#[tokio::test]
async fn policy_off_blocks_mutating_local() {
    let policy = Policy::granting(|_| [Category::Notes, Category::System].into());
    let (builder, state) = lab_builder();
    let lab = builder.policy(policy).build();
    let outcome = lab.propose(propose("lab.change", 1, r#"{"text":"a"}"#)).approved().await;
    assert_eq!(
        (outcome.code(), point_of_end(&lab)),
        (Some("not_enabled"), Point::At(Stage::Policy))
    );
    assert_eq!(lab.propose(propose("lab.read", 1, "{}")).await.kind(), OutcomeKind::Executed);
    assert_eq!(state.ran(), ["read"]);
}

#[tokio::test]
async fn policy_off_never_prompts() {
    let (builder, state) = lab_builder();
    let lab = builder.granted([Category::System]).build();
    let outcome = lab.propose(propose("lab.change", 1, r#"{"text":"a"}"#)).approved().await;
    assert_eq!(outcome.code(), Some("not_granted"));
    assert!(lab.audit.calls().iter().all(|r| r.mark != Mark::AwaitingConfirmation));
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn no_audit_no_execution() {
    for broken in [true, false] {
        let (lab, state) = lab();
        if broken {
            lab.audit.fail();
        } else {
            lab.audit.fail_durable();
        }
        let outcome = lab.propose(propose("lab.change", 1, r#"{"text":"a"}"#)).approved().await;
        assert_eq!(outcome.code(), Some("audit_unavailable"));
        assert!(state.ran().is_empty(), "it ran without a record");
    }
    let (lab, state) = lab();
    lab.audit.fail();
    let outcome = lab.propose(propose("lab.read", 1, "{}")).await;
    assert_eq!(outcome.code(), Some("audit_unavailable"));
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn begin_record_stands_before_the_effect_of_a_confirmed_call() {
    let (lab, _) = lab();
    lab.propose(propose("lab.change", 1, r#"{"text":"a"}"#)).approved().await;
    let marks: Vec<_> = lab.audit.calls().iter().map(|r| r.mark).collect();
    let end = Mark::End(OutcomeKind::Executed);
    assert_eq!(marks, [Mark::AwaitingConfirmation, Mark::Begin, end]);
    let ids: std::collections::HashSet<_> = lab.audit.calls().iter().map(|r| r.id).collect();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn audit_distinguishes_outcomes() {
    let (lab, _) = lab();
    lab.propose(propose("lab.change", 1, r#"{"text":"a"}"#)).approved().await;
    lab.propose(propose("lab.change", 1, r#"{"text":"as it is"}"#)).approved().await;
    lab.propose(propose("lab.change", 1, r#"{"text":"a"}"#)).await;
    lab.propose(propose("lab.read", 1, "{}")).await;
    let ended = lab.audit.calls().into_iter().filter(|r| matches!(r.mark, Mark::End(_)));
    let changed: Vec<_> = ended.map(|r| (r.mark, r.changed)).collect();
    assert_eq!(
        changed,
        [
            (Mark::End(OutcomeKind::Executed), Some(true)),
            (Mark::End(OutcomeKind::Executed), Some(false)),
            (Mark::End(OutcomeKind::Denied), None),
            (Mark::End(OutcomeKind::Executed), None),
        ]
    );
}

#[tokio::test]
async fn undeclared_field_refused() {
    let (lab, _) = lab();
    let outcome = lab.propose(propose("lab.odd", 1, "{}")).await;
    assert_eq!((outcome.result(), outcome.code()), (None, Some("result_invalid")));
    assert!(!outcome.envelope().contains("undeclared"));
}

#[tokio::test]
async fn error_text_never_reaches_the_model() {
    let (lab, _) = lab();
    for name in ["lab.fails", "lab.panics"] {
        let outcome = lab.propose(propose(name, 1, "{}")).await;
        let client = serde_json::to_string(&outcome).unwrap();
        for text in [client, outcome.envelope(), format!("{outcome:?}")] {
            assert!(!text.contains("secret"), "{text}");
        }
    }
    let outcome = lab.propose(propose("lab.fails", 1, "{}")).await;
    assert!(outcome.envelope().contains("The sensor does not answer."));
}

#[tokio::test]
async fn wrong_values_are_named_by_pointer_and_never_repeated() {
    let (lab, _) = lab();
    let hostile = r#"{"query":["hunter2"],"times":"hunter2","hunter2":1}"#;
    let outcome = lab.propose(propose("lab.send", 1, hostile)).await;
    let envelope = outcome.envelope();
    assert!(envelope.contains("/query") && envelope.contains("/times"), "{envelope}");
    assert!(!envelope.contains("hunter2"), "{envelope}");
}

/// Must-beat 24: what has nothing to wait for is over when it was polled once, so no thread and no task
/// can have taken part.
#[tokio::test]
async fn calls_that_do_not_wait_need_no_thread_and_no_task_of_their_own() {
    let (lab, state) = lab();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..100 {
        let mut call = lab.propose(Proposal::new("lab.read", 1, b"{}")).into_future();
        let std::task::Poll::Ready(outcome) = call.as_mut().poll(&mut context) else {
            panic!("it waits for something")
        };
        assert_eq!(outcome.kind(), OutcomeKind::Executed);
    }
    assert_eq!(state.ran().len(), 100);
}

#[tokio::test]
async fn timeout_cancels_and_frees() {
    let (lab, state) = lab();
    let (outcome, ()) = tokio::join!(
        lab.propose(propose("lab.slow", 1, "{}")).into_future(),
        expire(&lab, &state, Duration::from_secs(5)),
    );
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, Some("timeout")));
    assert!(state.ran().is_empty());
    assert_eq!(lab.propose(propose("lab.read", 1, "{}")).await.kind(), OutcomeKind::Executed);
}

#[tokio::test]
async fn a_mutating_call_cut_off_is_of_unknown_effect() {
    let (lab, state) = lab();
    let (outcome, ()) = tokio::join!(
        lab.propose(propose("lab.slow_change", 1, "{}")).approved().into_future(),
        expire(&lab, &state, Duration::from_secs(5)),
    );
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::UnknownEffect, Some("timeout")));
    assert_eq!(state.ran(), ["slow_change started"]);
    assert!(outcome.envelope().contains("Do not repeat it"));
}

/// Lets the clock pass the deadline once the call has started and sleeps on it.
async fn expire(lab: &Harness, state: &Lab, by: Duration) {
    state.started.notified().await;
    while lab.clock.sleepers() == 0 {
        tokio::task::yield_now().await;
    }
    lab.clock.advance(by);
}

#[tokio::test]
async fn result_is_the_exact_object_for_model_and_client() {
    let (lab, _) = lab();
    let outcome = lab.propose(propose("lab.hostile", 1, "{}")).await;
    let envelope: serde_json::Value = serde_json::from_str(&outcome.envelope()).unwrap();
    let client: serde_json::Value = serde_json::from_str(outcome.result().unwrap()).unwrap();
    assert_eq!(envelope["untrusted_data"], client);
    assert!(!outcome.envelope().contains('\u{e0041}') && !outcome.envelope().contains('\u{202e}'));
}

#[tokio::test]
async fn every_exit_path_audits() {
    let (lab, _) = lab();
    let names =
        ["lab.read", "lab.change", "lab.send", "lab.panics", "lab.odd", "x", "", "lab.echo"];
    let bodies = ["{}", "", "{", r#"{"text":"a"}"#, r#"{"query":"q"}"#, "[1]", r#"{"a":1,"a":2}"#];
    let mut count = 0;
    for name in names {
        for version in [0, 1, 2, u32::MAX] {
            for body in bodies {
                for approved in [true, false] {
                    let call = lab.propose(propose(name, version, body));
                    let outcome: Outcome =
                        if approved { call.approved().await } else { call.await };
                    count += 1;
                    assert_eq!(lab.audit.ends().last(), Some(&outcome.kind()));
                }
            }
        }
    }
    assert_eq!(lab.audit.ends().len(), count);
}

#[tokio::test]
async fn cut_off_mutating_call_has_one_ending_when_its_waiter_is_dropped() {
    let (lab, state) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let proposal = propose("lab.slow_change", 1, "{}");
    let sovereign_core::executor::Submitted::Awaiting(request, suspended) =
        lab.executor.submit(&turn, proposal).await
    else {
        panic!("it has to ask")
    };
    request.decide(sovereign_core::confirmation::Decision::Approve).unwrap();
    let mut running = Box::pin(suspended.outcome());
    tokio::select! {
        biased;
        () = state.started.notified() => {}
        _ = &mut running => panic!("it waits at the gate"),
    }
    drop(running);
    turn.idle().await;
    assert_eq!(lab.audit.ends(), [OutcomeKind::UnknownEffect]);
    assert_eq!(turn.outcomes()[0].code(), Some("cancelled"));
}

#[tokio::test]
async fn cut_off_reading_call_is_cancelled() {
    let (lab, state) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let mut running = Box::pin(lab.executor.submit(&turn, propose("lab.slow", 1, "{}")));
    tokio::select! {
        biased;
        () = state.started.notified() => {}
        _ = &mut running => panic!("it waits at the gate"),
    }
    drop(running);
    turn.idle().await;
    assert_eq!(lab.audit.ends(), [OutcomeKind::Cancelled]);
}

#[tokio::test]
async fn mesh_caller_gets_the_same_stages_and_its_own_grants() {
    let (builder, state) = lab_builder();
    let policy = Policy::granting(|scope| match scope {
        CallerScope::Mesh { .. } => [Category::System].into(),
        _ => [Category::Notes].into(),
    });
    let lab = builder.policy(policy).build();
    let mesh = CallerScope::mesh("!a1");
    assert_eq!(lab.propose(propose("lab.read", 1, "{}")).by(mesh).await.code(), None);
    assert_eq!(lab.propose(propose("lab.read", 1, "{}")).await.code(), Some("not_granted"));
    assert_eq!(state.ran(), ["read"]);
}
