//! Which backend answers, and what happens when one does not.
use crate::conversation::{kinds, legs, outcomes};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{BackendIdentity, FailureClass};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Event, TurnError};
use sovereign_core::host::Backend;
use sovereign_core::testing::Scripted;
use sovereign_tests::lab;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn results_survive_provider_failure() {
    let (lab, _) = lab();
    let model = Scripted::new()
        .proposes("lab__read__v1", "{}")
        .fails(FailureClass::Unreachable, "gone")
        .says("I still know the figure.");
    let chat = lab.conversation(&model);
    let failed = chat.say("go").unwrap().run(|_| Decision::Deny).await;
    assert_eq!(failed.error, Some(TurnError::NoBackend));
    assert_eq!(kinds(&failed), [OutcomeKind::Executed]);
    let next = chat.say("and now?").unwrap().run(|_| Decision::Deny).await;
    assert_eq!(next.error, None);
    let seen = model.seen().pop().unwrap();
    assert!(outcomes(&seen.messages)[0].1.contains("figure"));
}

#[tokio::test]
async fn a_failed_leg_falls_to_the_next_with_its_reason() {
    let (lab, _) = lab();
    let identity = |id| BackendIdentity::local(id, None);
    let first =
        Scripted::as_backend(identity("first")).not_ready(FailureClass::Unsupported, "no tools");
    let second = Scripted::as_backend(identity("second")).fails(FailureClass::Timeout, "too slow");
    let third = Scripted::as_backend(identity("third")).says("here");
    let chat =
        Conversation::with_legs(&lab.executor, legs(&[&first, &second, &third]), lab.scope.clone());
    let mut turn = chat.say("go").unwrap();
    let mut failed = Vec::new();
    let report = loop {
        match turn.next().await.expect("it finishes") {
            Event::LegFailed { skipped, next } => failed.push((skipped.id, next.unwrap().id)),
            Event::Finished(report) => break report,
            _ => {}
        }
    };
    assert_eq!(failed, [("first", "second"), ("second", "third")]);
    assert_eq!(report.backend.identity.as_ref().map(|i| i.id), Some("third"));
    let reasons: Vec<_> = report.backend.skipped.iter().map(|s| s.reason.as_str()).collect();
    assert_eq!(reasons, ["no tools", "too slow"]);
    assert!(first.seen().is_empty(), "nothing is sent to a leg that is not ready");
}

#[tokio::test]
async fn a_remote_leg_is_never_sent_anything_without_consent() {
    let (lab, _) = lab();
    let remote =
        Scripted::as_backend(BackendIdentity::remote("cloud", None, "https://cloud.example"))
            .says("from afar");
    let local = Scripted::new().says("from here");
    let chat = Conversation::with_legs(&lab.executor, legs(&[&remote, &local]), lab.scope.clone());
    let report = chat.say("go").unwrap().run(|_| Decision::Approve).await;
    assert_eq!(report.text, "from here");
    assert!(remote.seen().is_empty());
    assert_eq!(report.backend.skipped[0].id, "cloud");
}

#[tokio::test]
async fn deadline_is_enforced() {
    use async_trait::async_trait;
    use sovereign_core::backend::{BackendError, BackendTurn, DeltaSink, Request};
    struct Stuck(tokio::sync::Notify);
    #[async_trait]
    impl Backend for Stuck {
        fn identity(&self) -> BackendIdentity {
            BackendIdentity::local("stuck", None)
        }
        async fn ready(&self) -> Result<(), BackendError> {
            Ok(())
        }
        async fn send(
            &self,
            request: Request<'_>,
            _: &mut dyn DeltaSink,
        ) -> Result<BackendTurn, BackendError> {
            assert_eq!(request.timeout, Duration::from_secs(150));
            self.0.notify_one();
            std::future::pending().await
        }
    }
    let (lab, _) = lab();
    let stuck = Arc::new(Stuck(tokio::sync::Notify::new()));
    let chat = Conversation::new(&lab.executor, stuck.clone(), lab.scope.clone());
    let turn = chat.say("go").unwrap();
    let (report, ()) = tokio::join!(turn.run(|_| Decision::Deny), async {
        stuck.0.notified().await;
        while lab.clock.sleepers() == 0 {
            tokio::task::yield_now().await;
        }
        lab.clock.advance(Duration::from_secs(150));
    });
    assert_eq!(report.error, Some(TurnError::OutOfTime));
    assert!(chat.say("next").is_ok());
}

#[tokio::test]
async fn prose_that_was_not_streamed_is_still_an_event() {
    let (lab, _) = lab();
    let chat = lab.conversation(&Scripted::new().says("some words here"));
    let mut turn = chat.say("go").unwrap();
    let mut text = String::new();
    while let Some(event) = turn.next().await {
        if let Event::Text(delta) = event {
            text.push_str(&delta);
        }
    }
    assert_eq!(text, "some words here");
}

#[tokio::test]
async fn a_leg_is_asked_once_per_turn_whether_it_is_ready() {
    let (lab, _) = lab();
    let model = Scripted::new().proposes("lab__read__v1", "{}").says("one").says("two");
    let chat = Conversation::new(&lab.executor, Arc::new(model.clone()), lab.scope.clone());
    for turn in 1..=2 {
        chat.say("go").unwrap().run(|_| Decision::Deny).await;
        assert_eq!(model.ready_asked(), turn);
    }
}

#[tokio::test]
async fn a_flood_of_proposals_is_a_leg_that_failed() {
    use sovereign_core::backend::WireProposal;
    let (lab, state) = lab();
    let flood = vec![WireProposal::new("lab__read__v1", b"{}"); 70_000];
    let model = Scripted::new().replies("", flood);
    let other = Scripted::as_backend(BackendIdentity::local("other", None)).says("here");
    let chat = Conversation::with_legs(&lab.executor, legs(&[&model, &other]), lab.scope.clone());
    let report = chat.say("go").unwrap().run(|_| Decision::Deny).await;
    assert_eq!((report.text.as_str(), report.receipts.len()), ("here", 0));
    assert!(report.backend.skipped[0].reason.contains("70000 proposals"), "{report:?}");
    assert!(state.ran().is_empty() && lab.audit.records().is_empty());
}

#[tokio::test]
async fn an_empty_reply_is_no_answer() {
    let (lab, _) = lab();
    let (silent, other) = (Scripted::new().says("  "), Scripted::new().says("here"));
    let chat = Conversation::with_legs(&lab.executor, legs(&[&silent, &other]), lab.scope.clone());
    let report = chat.say("go").unwrap().run(|_| Decision::Deny).await;
    assert_eq!(report.text, "here");
    assert_eq!(report.backend.skipped[0].reason, "its reply is empty");
}

#[tokio::test]
async fn words_beside_a_call_are_kept_when_nothing_is_said_after_it() {
    use sovereign_core::backend::WireProposal;
    let (lab, _) = lab();
    let call = WireProposal::new("lab__read__v1", b"{}");
    let model = Scripted::new().replies("The answer is 42.", vec![call]).says("");
    let chat = Conversation::new(&lab.executor, Arc::new(model), lab.scope.clone());
    let report = chat.say("go").unwrap().run(|_| Decision::Deny).await;
    assert_eq!((report.text.as_str(), report.error), ("The answer is 42.", None));
}

#[tokio::test]
async fn nothing_is_begun_after_the_turns_time_and_no_call_outlives_it() {
    use sovereign_core::backend::WireProposal;
    use sovereign_core::conversation::TurnLimits;
    let (lab, state) = lab();
    let calls = ["lab__slow__v1", "lab__read__v1"].map(|name| WireProposal::new(name, b"{}"));
    let model: Arc<dyn Backend> = Arc::new(Scripted::new().replies("", calls.to_vec()));
    let limits = TurnLimits::default().time(Duration::from_secs(3));
    let chat = Conversation::limited(&lab.executor, vec![model], lab.scope.clone(), limits);
    let turn = chat.say("go").unwrap();
    let both = async {
        tokio::join!(turn.run(|_| Decision::Deny), async {
            state.started.notified().await;
            while lab.clock.sleepers() == 0 {
                tokio::task::yield_now().await;
            }
            // the call's own bound is 5 s
            lab.clock.advance(Duration::from_secs(3));
        })
    };
    // the clock of the lab stands still: a call that went on would never end
    let ended = tokio::time::timeout(Duration::from_secs(30), both).await;
    let (report, ()) = ended.expect("the call ends with its turn");
    let ends: Vec<_> = report.receipts.iter().map(|r| (r.outcome, r.code)).collect();
    assert_eq!(
        ends,
        [
            (OutcomeKind::Failed, Some("timeout")),
            (OutcomeKind::BudgetExhausted, Some("time_budget")),
        ]
    );
    assert_eq!(report.error, Some(TurnError::OutOfTime));
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn a_malformed_call_is_answered_with_what_is_wrong_and_nothing_of_it() {
    let (lab, _) = lab();
    let cut = format!("{{\"text\":\"{}", "secret ".repeat(9_000));
    let model = Scripted::new().proposes("lab__change__v1", &cut).says("sorry");
    let chat = Conversation::new(&lab.executor, Arc::new(model.clone()), lab.scope.clone());
    chat.say("go").unwrap().run(|_| Decision::Deny).await;
    let told = &outcomes(&model.seen()[1].messages)[0].1;
    let sizes = [cut.len().to_string(), (64 << 10).to_string()];
    assert!(sizes.iter().all(|size| told.contains(size)), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

fn kept_at(id: &'static str) -> Scripted {
    Scripted::as_backend(BackendIdentity::local(id, None))
}

fn far(host: &str) -> Scripted {
    Scripted::as_backend(BackendIdentity::remote("far", None, format!("https://{host}")))
}

/// Which of a paid leg and one on the device are asked after a paid leg has failed so.
async fn asked_after(class: FailureClass, first: Scripted) -> (bool, bool) {
    let (builder, _) = sovereign_tests::lab_builder();
    let lab = builder.remote(sovereign_core::policy::RemoteInference::Always).build();
    let first = first.fails(class, "no");
    let paid = far("paid.example").fails(FailureClass::Refused, "busy");
    let free = kept_at("free").says("here");
    let legs = legs(&[&first, &paid, &free]);
    let chat = Conversation::with_legs(&lab.executor, legs, lab.scope.clone());
    let report = chat.say("go").unwrap().run(|_| Decision::Deny).await;
    assert_eq!(first.seen().len(), 1, "{class:?}: nothing is sent twice to one leg");
    assert_eq!(report.backend.skipped[0].code, class.word());
    assert_eq!(report.error.is_none(), !free.seen().is_empty());
    (!paid.seen().is_empty(), !free.seen().is_empty())
}

#[tokio::test]
async fn what_a_failure_says_of_the_other_legs_is_its_class() {
    use FailureClass::{
        Interrupted, Protocol, Refused, Rejected, Timeout, Unauthorised, Unreachable, Unsupported,
    };
    for (class, after_paid, after_free) in [
        (Unreachable, true, true),
        (Unsupported, true, true),
        (Refused, true, true),
        (Unauthorised, true, true),
        // a reply may have been made, and paid for
        (Timeout, false, true),
        (Interrupted, false, true),
        (Protocol, false, true),
        // our own fault is not repeated at somebody's cost
        (Rejected, false, false),
    ] {
        assert_eq!(asked_after(class, far("first.example")).await, (after_paid, true), "{class:?}");
        assert_eq!(asked_after(class, kept_at("first")).await, (after_free, true), "{class:?}");
    }
}

#[tokio::test]
async fn a_refusal_of_the_model_is_an_answer_and_no_other_leg_is_asked() {
    use sovereign_core::backend::{BackendError, BackendTurn, DeltaSink, Request, Stop};
    struct Refuses;
    #[async_trait::async_trait]
    impl Backend for Refuses {
        fn identity(&self) -> BackendIdentity {
            BackendIdentity::local("refuses", None)
        }
        async fn ready(&self) -> Result<(), BackendError> {
            Ok(())
        }
        async fn send(
            &self,
            _: Request<'_>,
            _: &mut dyn DeltaSink,
        ) -> Result<BackendTurn, BackendError> {
            Ok(BackendTurn::text(self.identity(), "").stopped(Stop::Refusal))
        }
    }
    let (lab, _) = lab();
    let other = kept_at("other").says("here");
    let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(Refuses), Arc::new(other.clone())];
    let chat = Conversation::with_legs(&lab.executor, legs, lab.scope.clone());
    let report = chat.say("go").unwrap().run(|_| Decision::Deny).await;
    assert_eq!((report.text.as_str(), report.error), ("", None));
    assert!(other.seen().is_empty() && report.backend.skipped.is_empty());
}

/// The time that a person takes is not taken from what runs afterwards either.
#[tokio::test]
async fn a_call_after_a_long_decision_has_its_whole_time() {
    use sovereign_core::conversation::TurnLimits;
    use sovereign_core::policy::RemoteInference;
    for (leg, name) in
        [(kept_at("here"), "lab__slow_change__v1"), (far("a.example"), "lab__slow__v1")]
    {
        let (builder, state) = sovereign_tests::lab_builder();
        let lab = builder.remote(RemoteInference::Ask).build();
        let model = leg.proposes(name, "{}").says("done");
        let limits = TurnLimits::default().time(Duration::from_secs(60));
        let chat = Conversation::limited(&lab.executor, legs(&[&model]), lab.scope.clone(), limits);
        let clock = lab.clock.clone();
        let decides = move |_: &_| {
            clock.advance(Duration::from_secs(100));
            Decision::Approve
        };
        let (report, ()) = tokio::join!(chat.say("go").unwrap().run(decides), async {
            state.started.notified().await;
            // a deadline that had passed would end the call here
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            state.gate.notify_one();
        });
        assert_eq!((kinds(&report), report.error), (vec![OutcomeKind::Executed], None), "{name}");
    }
}
