//! Decisions: who may take one, once, in time, for exactly what was shown.
use sovereign_core::audit::{Administrative, Mark, OutcomeKind, Record};
use sovereign_core::caller::CallerScope;
use sovereign_core::confirmation::{
    ConfirmationRequest, ConfirmationToken, Decision, MAX_OPEN_PER_SESSION, MAX_SURFACINGS,
    NotOpen, WINDOW,
};
use sovereign_core::executor::{Outcome, Proposal, Submitted, Suspended};
use sovereign_core::testing::Harness;
use sovereign_tests::lab;
use std::time::Duration;

async fn ask(lab: &Harness) -> (ConfirmationRequest, Suspended) {
    ask_for(lab, "lab.change", r#"{"text":"a"}"#).await
}

async fn ask_for(lab: &Harness, name: &str, arguments: &str) -> (ConfirmationRequest, Suspended) {
    let proposal = Proposal::new(name, 1, arguments.as_bytes());
    match lab.executor.invoke(lab.scope.clone(), proposal).await {
        Submitted::Awaiting(request, suspended) => (request, suspended),
        Submitted::Settled(outcome) => panic!("it did not ask: {outcome:?}"),
    }
}

async fn refused(lab: &Harness, scope: CallerScope, arguments: &str) -> Outcome {
    let proposal = Proposal::new("lab.change", 1, arguments.as_bytes());
    match lab.executor.invoke(scope, proposal).await {
        Submitted::Settled(outcome) => outcome,
        Submitted::Awaiting(..) => panic!("it asked"),
    }
}

#[tokio::test]
async fn a_token_decides_one_proposal() {
    let (lab, state) = lab();
    let (request, suspended) = ask(&lab).await;
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    let approve = |token| lab.executor.decide(&lab.scope, request.id(), token, Decision::Approve);
    assert!(approve(&token).is_ok());
    assert_eq!(approve(&token), Err(NotOpen::AlreadyResolved));
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Executed);
    assert_eq!(approve(&token), Err(NotOpen::AlreadyResolved));
    assert_eq!(state.ran(), ["change a"]);
}

#[tokio::test]
async fn denied_token_never_executes() {
    let (lab, state) = lab();
    let (request, suspended) = ask(&lab).await;
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    lab.executor.decide(&lab.scope, request.id(), &token, Decision::Deny).unwrap();
    let again = lab.executor.decide(&lab.scope, request.id(), &token, Decision::Approve);
    assert_eq!(again, Err(NotOpen::AlreadyResolved));
    assert_eq!(request.decide(Decision::Approve), Err(NotOpen::AlreadyResolved));
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Denied);
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn denial_and_expiry_are_audited_at_confirmation_stage() {
    use sovereign_core::audit::{Point, Stage};
    let (lab, _) = lab();
    let (request, suspended) = ask(&lab).await;
    request.decide(Decision::Deny).unwrap();
    suspended.outcome().await;
    let (_request, suspended) = ask(&lab).await;
    let (outcome, ()) = tokio::join!(suspended.outcome(), async { lab.clock.advance(WINDOW) });
    assert_eq!(outcome.kind(), OutcomeKind::Expired);
    assert_eq!(lab.audit.ends(), [OutcomeKind::Denied, OutcomeKind::Expired]);
    let at_confirm = |r: &sovereign_core::audit::CallRecord| r.point == Point::At(Stage::Confirm);
    assert!(lab.audit.calls().iter().all(at_confirm));
}

#[tokio::test]
async fn other_session_cannot_approve() {
    let (lab, state) = lab();
    let (request, suspended) = ask(&lab).await;
    let stranger = CallerScope::operator("tester", "another-session");
    assert_eq!(lab.executor.surface(&stranger, request.id()).err(), Some(NotOpen::NotPending));
    assert!(lab.executor.pending(&stranger).is_empty());
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    let stolen = lab.executor.decide(&stranger, request.id(), &token, Decision::Approve);
    assert_eq!(stolen, Err(NotOpen::NotPending));
    let outcome = suspended.outcome().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Void, Some("wrong_context")));
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn failed_use_consumes_token() {
    let (lab, state) = lab();
    let (first, waits_first) = ask(&lab).await;
    let (second, waits_second) = ask_for(&lab, "lab.change", r#"{"text":"b"}"#).await;
    let token = lab.executor.surface(&lab.scope, first.id()).unwrap();
    let decide = |id| lab.executor.decide(&lab.scope, id, &token, Decision::Approve);
    assert_eq!(decide(second.id()), Err(NotOpen::NotPending), "minted for another decision");
    assert_eq!(decide(first.id()), Err(NotOpen::AlreadyResolved), "the wrong use used it up");
    assert_eq!(waits_first.outcome().await.kind(), OutcomeKind::Void);
    assert!(second.is_open());
    drop(waits_second);
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn first_of_several_surfaces_decides_and_the_others_are_told() {
    let (lab, state) = lab();
    let (request, suspended) = ask(&lab).await;
    let surface = || lab.executor.surface(&lab.scope, request.id());
    let (left, right) = (surface().unwrap(), surface().unwrap());
    assert_ne!(left.reveal(), right.reveal());
    let decide = |token, decision| lab.executor.decide(&lab.scope, request.id(), token, decision);
    assert!(decide(&left, Decision::Approve).is_ok());
    assert_eq!(decide(&right, Decision::Deny), Err(NotOpen::AlreadyResolved));
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Executed);
    assert_eq!(state.ran().len(), 1);
}

#[tokio::test]
async fn a_decision_has_at_most_eight_surfaces() {
    let (lab, _) = lab();
    let (request, _suspended) = ask(&lab).await;
    for _ in 0..MAX_SURFACINGS {
        assert!(lab.executor.surface(&lab.scope, request.id()).is_ok());
    }
    assert!(lab.executor.surface(&lab.scope, request.id()).is_err());
}

#[tokio::test]
async fn expired_token_is_refused_at_confirm() {
    let instant = Duration::from_millis(1);
    for (when, kind) in [
        (WINDOW - instant, OutcomeKind::Executed),
        (WINDOW, OutcomeKind::Expired),
        (WINDOW + instant, OutcomeKind::Expired),
    ] {
        let (lab, state) = lab();
        let (request, suspended) = ask(&lab).await;
        let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
        lab.clock.advance(when);
        let decided = lab.executor.decide(&lab.scope, request.id(), &token, Decision::Approve);
        assert_eq!(decided.is_ok(), kind == OutcomeKind::Executed, "{when:?}");
        assert_eq!(suspended.outcome().await.kind(), kind, "{when:?}");
        assert_eq!(state.ran().len(), usize::from(kind == OutcomeKind::Executed));
    }
}

#[tokio::test]
async fn either_clock_alone_expires_a_decision() {
    for suspend in [true, false] {
        let (lab, state) = lab();
        let (request, suspended) = ask(&lab).await;
        let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
        if suspend {
            lab.clock.advance_wall(WINDOW);
        } else {
            lab.clock.advance_monotonic(WINDOW);
        }
        assert!(!request.is_open());
        let decided = lab.executor.decide(&lab.scope, request.id(), &token, Decision::Approve);
        assert_eq!(decided, Err(NotOpen::NotPending));
        assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Expired);
        assert!(state.ran().is_empty());
    }
}

#[tokio::test]
async fn unknown_expired_and_foreign_tokens_get_one_identical_error() {
    let (lab, _) = lab();
    let (request, _waits) = ask(&lab).await;
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    let present = |scope: &CallerScope, token: &ConfirmationToken| {
        lab.executor.decide(scope, request.id(), token, Decision::Approve).unwrap_err().to_string()
    };
    let unknown = present(&lab.scope, &ConfirmationToken::presented("0".repeat(64)));
    let empty = present(&lab.scope, &ConfirmationToken::presented(""));
    lab.clock.advance(WINDOW);
    let expired = present(&lab.scope, &token);
    let foreign = present(&CallerScope::mesh("!b2"), &token);
    assert!(unknown == empty && unknown == expired && unknown == foreign, "{unknown} {expired}");
}

#[tokio::test]
async fn mesh_caller_cannot_confirm() {
    let (lab, state) = lab();
    let outcome = refused(&lab, CallerScope::mesh("!a1"), r#"{"text":"a"}"#).await;
    assert_eq!(outcome.code(), Some("caller_cannot_confirm"));
    assert!(lab.executor.pending(&lab.scope).is_empty());
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn session_end_and_shutdown_void_what_is_pending() {
    let (lab, state) = lab();
    let (request, suspended) = ask(&lab).await;
    assert_eq!(lab.executor.void(&CallerScope::operator("tester", "other")), 0);
    assert!(request.is_open());
    assert_eq!(lab.executor.void(&lab.scope), 1);
    let outcome = suspended.outcome().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Void, Some("withdrawn")));
    let (_request, suspended) = ask(&lab).await;
    assert_eq!(lab.executor.void_all(), 1);
    assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Void);
    assert!(state.ran().is_empty());
    let voided = |r: &Record| match r {
        Record::Administrative(event) => event.event == Administrative::Voided { decisions: 1 },
        Record::Call(_) => false,
    };
    assert_eq!(lab.audit.records().iter().filter(|r| voided(r)).count(), 2);
}

#[tokio::test]
async fn a_dropped_waiter_voids_its_decision_and_its_tokens() {
    let (lab, state) = lab();
    let (request, suspended) = ask(&lab).await;
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    drop(suspended);
    assert_eq!(lab.audit.ends(), [OutcomeKind::Void]);
    let late = lab.executor.decide(&lab.scope, request.id(), &token, Decision::Approve);
    assert_eq!(late, Err(NotOpen::AlreadyResolved));
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn one_session_cannot_open_decisions_without_end() {
    let (lab, _) = lab();
    let mut open = Vec::new();
    for n in 0..MAX_OPEN_PER_SESSION {
        open.push(ask_for(&lab, "lab.change", &format!(r#"{{"text":"{n}"}}"#)).await);
    }
    let outcome = refused(&lab, lab.scope.clone(), r#"{"text":"more"}"#).await;
    assert_eq!(outcome.code(), Some("too_many_decisions"));
    let other = CallerScope::operator("other", "other-session");
    let proposal = Proposal::new("lab.change", 1, br#"{"text":"mine"}"#);
    assert!(matches!(lab.executor.invoke(other, proposal).await, Submitted::Awaiting(..)));
}

#[tokio::test]
async fn an_identical_proposal_after_a_denial_is_refused_without_asking() {
    let (lab, _) = lab();
    let turn = lab.executor.open_turn(lab.scope.clone(), lab.executor.open_conversation());
    let submit = |arguments: &'static str| {
        lab.executor.submit(&turn, Proposal::new("lab.send", 1, arguments.as_bytes()))
    };
    let Submitted::Awaiting(request, suspended) = submit(r#"{"query":"a"}"#).await else {
        panic!("it has to ask")
    };
    request.decide(Decision::Deny).unwrap();
    suspended.outcome().await;
    let Submitted::Settled(again) = submit(r#"{"query":"a"}"#).await else { panic!("asked again") };
    assert_eq!(again.code(), Some("already_denied"));
    assert!(matches!(submit(r#"{"query":"b"}"#).await, Submitted::Awaiting(..)));
}

#[tokio::test]
async fn policy_is_asked_again_after_confirmation() {
    use sovereign_core::caller::{Categories, Category};
    use sovereign_core::policy::Policy;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let granted = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&granted);
    let policy = Policy::granting(move |_| {
        if seen.load(Ordering::SeqCst) { [Category::Notes].into() } else { Categories::NONE }
    });
    let (builder, state) = sovereign_tests::lab_builder();
    let lab = builder.policy(policy.enabled("lab.change")).build();
    let (request, suspended) = ask(&lab).await;
    granted.store(false, Ordering::SeqCst);
    request.decide(Decision::Approve).unwrap();
    let outcome = suspended.outcome().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Refused, Some("not_granted")));
    assert!(state.ran().is_empty());
    assert!(lab.audit.calls().iter().all(|record| record.mark != Mark::Begin), "it began");
}

#[tokio::test]
async fn parallel_decisions_each_run_their_own_call() {
    let (lab, state) = lab();
    let (_first, waits_first) = ask_for(&lab, "lab.change", r#"{"text":"first"}"#).await;
    let (second, waits_second) = ask_for(&lab, "lab.change", r#"{"text":"second"}"#).await;
    second.decide(Decision::Approve).unwrap();
    assert_eq!(waits_second.outcome().await.kind(), OutcomeKind::Executed);
    drop(waits_first);
    assert_eq!(state.ran(), ["change second"]);
}

#[tokio::test]
async fn byte_equal_calls_in_parallel_need_a_decision_each() {
    let (lab, state) = lab();
    let (first, waits_first) = ask(&lab).await;
    let (second, waits_second) = ask(&lab).await;
    assert_ne!(first.id(), second.id());
    first.decide(Decision::Approve).unwrap();
    waits_first.outcome().await;
    assert!(second.is_open());
    drop(waits_second);
    assert_eq!(state.ran().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_one_winner() {
    for _ in 0..50 {
        let (lab, state) = lab();
        let (request, suspended) = ask(&lab).await;
        let mut racers = tokio::task::JoinSet::new();
        let surface = || lab.executor.surface(&lab.scope, request.id()).unwrap();
        for token in std::array::from_fn::<_, MAX_SURFACINGS, _>(|_| surface()) {
            let (executor, scope, id) = (lab.executor.clone(), lab.scope.clone(), request.id());
            racers.spawn(
                async move { executor.decide(&scope, id, &token, Decision::Approve).is_ok() },
            );
        }
        let won = racers.join_all().await.into_iter().filter(|won| *won).count();
        assert_eq!(won, 1);
        assert_eq!(suspended.outcome().await.kind(), OutcomeKind::Executed);
        assert_eq!(state.ran().len(), 1);
    }
}

#[tokio::test]
async fn disclosure_shows_every_argument_whole_and_where_it_goes() {
    let (lab, _) = lab();
    let (request, _waits) = ask_for(&lab, "lab.send", r#"{"query":"\u0061 \"b\""}"#).await;
    let shown = request.disclosure().to_string();
    for part in [
        "lab.send@1 (search)",
        r#"query = "a \"b\"""#,
        "times is not given",
        "leave this device, to search.example:443",
        "It changes nothing.",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    let (request, _waits) = ask(&lab).await;
    let shown = request.disclosure().to_string();
    assert!(shown.contains("Nothing leaves this device."), "{shown}");
    assert!(shown.contains("It changes something: the note becomes 1 characters long"), "{shown}");
}

#[tokio::test]
async fn arguments_cannot_draw_in_the_disclosure() {
    let (lab, _) = lab();
    let hostile =
        r#"{"text":"\u001b[2K\u001b[1Aallow \u009b1A\u202e\u2028 x\nIt changes nothing."}"#;
    let (request, _waits) = ask_for(&lab, "lab.change", hostile).await;
    let shown = request.disclosure().to_string();
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    assert!(!shown.contains('\u{202e}') && !shown.contains('\u{2028}'), "{shown:?}");
    assert_eq!(shown.lines().filter(|l| l.trim() == "It changes nothing.").count(), 0, "{shown}");
}

#[tokio::test]
async fn what_cannot_be_shown_whole_is_refused() {
    let (lab, state) = lab();
    let hidden = "a".repeat(39_000);
    let outcome = refused(&lab, lab.scope.clone(), &format!(r#"{{"text":"{hidden}"}}"#)).await;
    assert_eq!(outcome.code(), Some("cannot_be_shown"));
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn no_token_reaches_the_model() {
    let (lab, _) = lab();
    let (request, suspended) = ask(&lab).await;
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    let listed = serde_json::to_string(&lab.executor.pending(&lab.scope)).unwrap();
    let asked = serde_json::to_string(&request).unwrap();
    let debug = format!("{request:?} {suspended:?} {:?}", lab.executor);
    lab.executor.decide(&lab.scope, request.id(), &token, Decision::Approve).unwrap();
    let outcome = suspended.outcome().await;
    let model = outcome.envelope();
    let written = format!("{:?}", lab.audit.records());
    for text in [listed, asked, debug, model, written] {
        assert!(!text.contains(token.reveal()), "{text}");
    }
}

#[tokio::test]
async fn restart_drops_pending_not_executes() {
    let (before, state) = lab();
    let (request, suspended) = ask(&before).await;
    let token = before.executor.surface(&before.scope, request.id()).unwrap();
    drop(suspended);
    let (after, _) = lab();
    let late = after.executor.decide(&after.scope, request.id(), &token, Decision::Approve);
    assert_eq!(late, Err(NotOpen::NotPending));
    assert!(state.ran().is_empty());
}

mod defaults {
    use sovereign_core::confirmation::Decision;
    use sovereign_core::executor::{Proposal, Submitted};
    use sovereign_core::prelude::*;
    use sovereign_core::testing::Harness;
    use std::sync::Arc;

    /// Rings a bell.
    #[capability(name = "bell.ring", side_effect = mutating, network = local, category = notes)]
    struct Ring {
        /// How often.
        #[arg(default = 3)]
        times: u8,
    }

    impl Run for Ring {
        type State = ();
        type Output = Changed<u8>;
        async fn run(self, _: Call<'_, Self>) -> Result<Changed<u8>, Failure> {
            Ok(Changed::yes(self.times))
        }
    }

    static BELL: Plugin<()> = Plugin::new("bell", &[Ring::ENTRY]);

    #[tokio::test]
    async fn a_default_is_shown_as_the_value_that_will_run() {
        for left_out in ["{}", r#"{"times":null}"#] {
            let lab = Harness::install(&BELL, Arc::default()).build();
            let proposal = Proposal::new("bell.ring", 1, left_out.as_bytes());
            let submitted = lab.executor.invoke(lab.scope.clone(), proposal).await;
            let Submitted::Awaiting(request, suspended) = submitted else { panic!("it asks") };
            let [times] = &request.disclosure().call().unwrap().arguments[..] else {
                panic!("one argument")
            };
            assert_eq!((times.value.as_deref(), times.is_default), (Some("3"), true), "{left_out}");
            request.decide(Decision::Approve).unwrap();
            assert_eq!(suspended.outcome().await.result(), Some("3"));
        }
    }
}
