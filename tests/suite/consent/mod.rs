//! What leaves the device for a model elsewhere: never without policy, a person's yes where policy
//! asks for one, and a record on the disk before it goes.
mod record;

use crate::conversation::legs;
use sovereign_core::audit::{Administrative, Record};
use sovereign_core::backend::{BackendIdentity, FailureClass, Message};
use sovereign_core::caller::CallerScope;
use sovereign_core::confirmation::{Decision, Disclosure, MAX_OPEN_PER_SESSION, WINDOW};
use sovereign_core::conversation::{Busy, Conversation, Event, Pause, Report, Turn};
use sovereign_core::host::ConfirmationRequest;
use sovereign_core::policy::{PolicyFile, RemoteInference};
use sovereign_core::testing::{Harness, MemoryAudit, Scripted, Seen};
use sovereign_tests::{Lab, lab_builder};
use std::sync::Arc;
use std::time::Duration;

fn lab_saying(remote: RemoteInference) -> (Harness, Arc<Lab>) {
    let (builder, state) = lab_builder();
    (builder.remote(remote).build(), state)
}

fn far(host: &str) -> Scripted {
    let (id, model) = ("cloud", Some("grand".to_owned()));
    Scripted::as_backend(BackendIdentity::remote(id, model, format!("https://{host}/v1")))
}

fn near() -> Scripted {
    Scripted::new().says("from here").says("from here")
}

fn chat(lab: &Harness, models: &[&Scripted]) -> Conversation {
    Conversation::with_legs(&lab.executor, legs(models), lab.scope.clone())
}

/// Every remote send on record: bytes, and whether it stands on a decision.
fn sends(audit: &MemoryAudit) -> Vec<(usize, bool)> {
    let send = |record: Record| match record {
        Record::Administrative(record) => match record.event {
            Administrative::RemoteSend { bytes, decision, .. } => Some((bytes, decision.is_some())),
            _ => None,
        },
        Record::Call(_) => None,
    };
    audit.records().into_iter().filter_map(send).collect()
}

/// The turn up to its next question.
async fn asked(turn: &mut Turn) -> ConfirmationRequest {
    loop {
        match turn.next().await.expect("it asks") {
            Event::ConfirmationRequested(request) => return request,
            Event::Finished(report) => panic!("it did not ask: {report:?}"),
            _ => {}
        }
    }
}

/// The rest of the turn, in which nobody is asked any more.
async fn finished(turn: &mut Turn) -> Report {
    loop {
        match turn.next().await.expect("it finishes") {
            Event::ConfirmationRequested(request) => panic!("it asked: {}", request.disclosure()),
            Event::Finished(report) => return *report,
            _ => {}
        }
    }
}

fn reasons(report: &Report) -> Vec<&str> {
    report.backend.skipped.iter().map(|s| s.reason.as_str()).collect()
}

#[tokio::test]
async fn nothing_is_sent_when_policy_says_never() {
    let (lab, _) = lab_saying(RemoteInference::Never);
    let (remote, local) = (far("cloud.example").says("from afar"), near());
    let report = chat(&lab, &[&remote, &local]).say("go").unwrap().run(|_| panic!("asked")).await;
    assert_eq!(report.text, "from here");
    assert_eq!((remote.seen().len(), remote.ready_asked()), (0, 0));
    assert_eq!(reasons(&report), ["nothing was sent: policy `inference.remote` says `never`"]);
    assert!(sends(&lab.audit).is_empty());
}

#[tokio::test]
async fn a_missing_or_corrupt_policy_is_never() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    sovereign_core::files::create_private_dir(&data).unwrap();
    let file = Arc::new(PolicyFile::create_default(data.join("policy.json")).unwrap());
    let (builder, _) = lab_builder();
    let grants = Arc::new(|_: &CallerScope| sovereign_core::caller::Categories::NONE);
    let switches: Arc<PolicyFile> = Arc::clone(&file);
    let policy = sovereign_core::policy::Policy::new(grants, switches);
    let lab = builder.policy(policy).build();
    let remote = far("cloud.example").says("one").says("two").says("three");
    let local = Scripted::new().says("here").says("here").says("here");
    let chat = chat(&lab, &[&remote, &local]);
    let run = async || chat.say("go").unwrap().run(|_| Decision::Approve).await.text;
    assert_eq!(run().await, "one", "a fresh policy asks");
    std::fs::write(file.path(), r#"{"version":1,"inference":{"remote":"allways"}}"#).unwrap();
    assert_eq!(run().await, "here");
    std::fs::remove_file(file.path()).unwrap();
    assert_eq!(run().await, "here");
    assert_eq!(remote.seen().len(), 1);
}

#[tokio::test]
async fn one_question_covers_the_rounds_of_a_turn_and_each_send_is_recorded() {
    let (lab, state) = lab_saying(RemoteInference::Ask);
    let remote = far("cloud.example")
        .proposes("lab__read__v1", "{}")
        .proposes("lab__echo__v2", "{}")
        .says("done");
    let chat = chat(&lab, &[&remote]);
    let mut turn = chat.say("what is the figure?").unwrap();
    let request = asked(&mut turn).await;
    assert!(remote.seen().is_empty() && sends(&lab.audit).is_empty(), "nothing before the yes");
    request.decide(Decision::Approve).unwrap();
    let report = finished(&mut turn).await;
    assert_eq!((report.text.as_str(), state.ran().len()), ("done", 1));
    let recorded = sends(&lab.audit);
    assert_eq!(recorded.len(), 3, "one for each round");
    assert!(recorded.iter().all(|(_, decided)| *decided));
    assert!(recorded.windows(2).all(|w| w[0].0 < w[1].0), "each round sends more: {recorded:?}");
    let shown = request.disclosure().remote_send().unwrap();
    assert_eq!(shown.sends.bytes, recorded[0].0, "what was shown is what was sent first");
    let next = chat.say("and now?").unwrap();
    let mut next = next;
    assert!(asked(&mut next).await.is_open(), "a yes is for one turn");
}

#[tokio::test]
async fn the_question_names_the_receiver_and_counts_what_would_be_sent() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let local = Scripted::new()
        .proposes("lab__read__v1", "{}")
        .says("It is a figure.")
        .fails(FailureClass::Unreachable, "gone");
    let remote = far("b\u{fc}cher.example:8443").says("hello");
    let chat = chat(&lab, &[&local, &remote]);
    chat.say("read it").unwrap().run(|_| Decision::Deny).await;
    let mut turn = chat.say("and now?").unwrap();
    let request = asked(&mut turn).await;
    let shown = request.disclosure().remote_send().unwrap().clone();
    request.decide(Decision::Approve).unwrap();
    finished(&mut turn).await;
    assert_eq!((shown.backend, shown.receiver.as_str()), ("cloud", "xn--bcher-kva.example:8443"));
    assert_eq!(shown.model.as_deref(), Some("\"grand\""));
    assert!(shown.results_follow && !shown.sends.summary);
    assert_eq!((shown.sends.request_bytes, shown.sends.earlier_turns), ("and now?".len(), 1));
    assert_eq!(shown.sends.results, ["lab.read@1"]);
    let Seen { system, messages, offered, .. } = remote.seen().pop().unwrap();
    assert_eq!(shown.sends.system_prompt_bytes, system.len());
    assert_eq!(shown.sends.capabilities, offered.len());
    let words: usize = messages
        .iter()
        .map(|message| match message {
            Message::User(text) | Message::Assistant { text, .. } => text.len(),
            Message::Recalled(record) => record.envelope().len(),
            other => panic!("an earlier turn is sent as its record: {other:?}"),
        })
        .sum();
    assert!(shown.sends.bytes > words + system.len(), "tools weigh something too");
    let json = serde_json::to_value(&request).unwrap();
    assert_eq!(json["disclosure"]["kind"], "remote_send");
    assert_eq!(json["disclosure"]["sends"]["bytes"], shown.sends.bytes);
    let bytes = shown.sends.bytes;
    let lines = [
        "Send this turn to a model off this device (cloud)\n".to_owned(),
        "  It goes to xn--bcher-kva.example:8443.\n  The model is \"grand\".\n".to_owned(),
        format!("  {bytes} bytes would be sent:\n"),
        "  - your words of this turn (8 bytes)\n  - 1 turn before this one\n".to_owned(),
        "  - what came of lab.read@1\n".to_owned(),
        "  - and later the results of what you ask it to do in this turn.\n".to_owned(),
    ];
    let text = request.disclosure().to_string();
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    assert!(!text.contains("Look twice"), "{text}");
}

#[tokio::test]
async fn a_call_is_disclosed_as_a_call() {
    let (lab, _) = lab_saying(RemoteInference::Never);
    let model = Scripted::new().proposes("lab__change__v1", r#"{"text":"a"}"#).says("done");
    let mut turn = chat(&lab, &[&model]).say("go").unwrap();
    let request = asked(&mut turn).await;
    let json = serde_json::to_value(request.disclosure()).unwrap();
    assert_eq!((&json["kind"], &json["capability"]), (&"call".into(), &"lab.change".into()));
    assert!(request.disclosure().remote_send().is_none());
    assert_eq!(request.disclosure().subject(), "lab.change@1");
}

#[tokio::test]
async fn a_way_that_is_not_encrypted_is_pointed_out() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let remote =
        Scripted::as_backend(BackendIdentity::remote("openai", None, "http://192.168.1.20:8080"));
    let mut turn = chat(&lab, &[&remote]).say("go").unwrap();
    let text = asked(&mut turn).await.disclosure().to_string();
    for part in ["192.168.1.20:8080", "not encrypted", "The model is not named."] {
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn a_denied_receiver_is_passed_over_and_not_asked_about_again_in_the_turn() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let other_model = |model: &str| {
        let receiver = "https://cloud.example/other";
        Scripted::as_backend(BackendIdentity::remote("cloud", Some(model.into()), receiver))
    };
    let (first, second, local) = (far("cloud.example"), other_model("small"), near());
    let chat = chat(&lab, &[&first, &second, &local]);
    let mut turn = chat.say("go").unwrap();
    asked(&mut turn).await.decide(Decision::Deny).unwrap();
    let report = finished(&mut turn).await;
    assert_eq!(report.text, "from here");
    assert_eq!(
        reasons(&report),
        [
            "nothing was sent: the person said no",
            "nothing was sent: this receiver was not agreed to before in this turn",
        ]
    );
    assert!(first.seen().is_empty() && second.seen().is_empty());
    assert!(sends(&lab.audit).is_empty());
    let mut next = chat.say("again").unwrap();
    asked(&mut next).await;
}

#[tokio::test]
async fn a_yes_is_for_one_receiver_and_one_model() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let gone = |host| far(host).fails(FailureClass::Unreachable, "gone");
    let other = BackendIdentity::remote("cloud", Some("small".into()), "https://b.example/v1");
    let same_host = Scripted::as_backend(other).says("small here");
    let (a, b) = (gone("a.example"), gone("b.example"));
    let mut turn = chat(&lab, &[&a, &b, &same_host]).say("go").unwrap();
    for receiver in ["a.example:443", "b.example:443", "b.example:443"] {
        let request = asked(&mut turn).await;
        assert_eq!(request.disclosure().remote_send().unwrap().receiver, receiver);
        request.decide(Decision::Approve).unwrap();
    }
    assert_eq!(finished(&mut turn).await.text, "small here");
    assert_eq!(sends(&lab.audit).len(), 3);
}

#[tokio::test]
async fn an_unanswered_question_expires_and_the_turns_clock_stands_still() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let (remote, local) = (far("cloud.example"), near());
    let chat = chat(&lab, &[&remote, &local]);
    let mut turn = chat.say("go").unwrap();
    let request = asked(&mut turn).await;
    lab.clock.advance(WINDOW);
    let report = finished(&mut turn).await;
    assert!(request.decide(Decision::Approve).is_err(), "too late");
    assert_eq!((report.text.as_str(), report.error), ("from here", None));
    assert_eq!(reasons(&report), ["nothing was sent: nobody answered in time"]);
    // 119 s and 119 s of questions leave the 150 s of the turn as they were
    let (one, two) = (far("a.example"), far("b.example").says("from afar"));
    let slow = Conversation::with_legs(&lab.executor, legs(&[&one, &two]), lab.scope.clone());
    let mut turn = slow.say("go").unwrap();
    for decision in [Decision::Deny, Decision::Approve] {
        let request = asked(&mut turn).await;
        lab.clock.advance(WINDOW - Duration::from_secs(1));
        request.decide(decision).unwrap();
    }
    assert_eq!(finished(&mut turn).await.text, "from afar");
}

#[tokio::test]
async fn logout_withdraws_the_question() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let (remote, local) = (far("cloud.example"), near());
    let mut turn = chat(&lab, &[&remote, &local]).say("go").unwrap();
    let request = asked(&mut turn).await;
    assert_eq!(lab.executor.void(&lab.scope), 1);
    assert!(request.decide(Decision::Approve).is_err());
    let report = finished(&mut turn).await;
    assert_eq!(reasons(&report), ["nothing was sent: the question was withdrawn"]);
    assert!(remote.seen().is_empty());
}

#[tokio::test]
async fn only_the_session_that_is_asked_agrees_and_a_stray_token_closes_the_question() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let other = CallerScope::operator("tester", "another-session");
    for decided_by in [&lab.scope, &other] {
        let (remote, local) = (far("cloud.example").says("from afar"), near());
        let mut turn = chat(&lab, &[&remote, &local]).say("go").unwrap();
        let request = asked(&mut turn).await;
        let pending = lab.executor.pending(&lab.scope);
        assert_eq!(pending[0].disclosure, *request.disclosure());
        assert!(lab.executor.pending(&other).is_empty());
        assert!(lab.executor.surface(&other, request.id()).is_err());
        let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
        let decided =
            lab.executor.decide(decided_by, request.id(), &token, Decision::Approve).is_ok();
        assert_eq!(decided, *decided_by == lab.scope);
        let report = finished(&mut turn).await;
        assert_eq!(remote.seen().len(), usize::from(decided), "{report:?}");
    }
}

#[tokio::test]
async fn where_nobody_can_be_asked_ask_means_no_and_always_still_sends() {
    for (remote_inference, sent) in [(RemoteInference::Ask, false), (RemoteInference::Always, true)]
    {
        let (lab, _) = lab_saying(remote_inference);
        let peer = CallerScope::mesh("!a1b2");
        for (scope, unattended) in [(lab.scope.clone(), true), (peer, false)] {
            let (remote, local) = (far("cloud.example").says("from afar"), near());
            let builder =
                Conversation::builder(&lab.executor, scope).legs(legs(&[&remote, &local]));
            let chat = if unattended { builder.unattended().open() } else { builder.open() };
            let report = chat.say("go").unwrap().run(|_| panic!("asked")).await;
            assert_eq!(remote.seen().len(), usize::from(sent));
            let no = "nothing was sent: there is nobody here who could be asked for consent";
            assert_eq!(reasons(&report), if sent { vec![] } else { vec![no] });
        }
        let expected: &[_] = if sent { &[false, false] } else { &[] };
        let decided: Vec<_> = sends(&lab.audit).into_iter().map(|(_, decided)| decided).collect();
        assert_eq!(decided, expected);
    }
}

#[tokio::test]
async fn words_decide_nothing_while_the_question_is_open() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let remote = far("cloud.example");
    let chat = chat(&lab, &[&remote]);
    let mut turn = chat.say("go").unwrap();
    let request = asked(&mut turn).await;
    let Err(Busy::DecisionOutstanding(shown)) = chat.say("yes, send it") else { panic!("taken") };
    assert_eq!(*shown, *request.disclosure());
    assert!(matches!(&*shown, Disclosure::RemoteSend(_)));
    let told = chat.say("yes").unwrap_err().to_string();
    assert_eq!(told, "a decision is outstanding: sending this turn to cloud.example:443");
    assert!(request.is_open() && remote.seen().is_empty());
}

#[tokio::test]
async fn a_turn_that_is_dropped_takes_its_question_with_it() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let (remote, local) = (far("cloud.example"), near());
    let chat = chat(&lab, &[&remote, &local]);
    let mut turn = chat.say("go").unwrap();
    let request = asked(&mut turn).await;
    turn.cancel().await;
    assert!(!request.is_open() && request.decide(Decision::Approve).is_err());
    assert!(lab.executor.pending(&lab.scope).is_empty());
    let mut turn = chat.say("again").unwrap();
    asked(&mut turn).await.decide(Decision::Deny).unwrap();
    assert_eq!(finished(&mut turn).await.text, "from here");
    assert!(remote.seen().is_empty());
}

#[tokio::test]
async fn a_followed_turn_stands_still_for_the_question() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let remote = far("cloud.example").says("from afar");
    let (mut view, drive) = chat(&lab, &[&remote]).say("go").unwrap().follow(|_| {});
    let task = tokio::spawn(drive);
    let Some(Pause::Decision(request)) = view.pause().await else { panic!("no question") };
    let token = lab.executor.surface(&lab.scope, request.id()).unwrap();
    lab.executor.decide(&lab.scope, request.id(), &token, Decision::Approve).unwrap();
    let Some(Pause::Finished(report)) = view.pause().await else { panic!("no end") };
    assert_eq!(report.text, "from afar");
    task.await.unwrap();
}

#[tokio::test]
async fn questions_about_sends_count_against_the_caps_of_decisions() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let mut open = Vec::new();
    for _ in 0..MAX_OPEN_PER_SESSION {
        let remote = far("cloud.example");
        let mut turn = chat(&lab, &[&remote]).say("go").unwrap();
        asked(&mut turn).await;
        open.push(turn);
    }
    let (remote, local) = (far("cloud.example"), near());
    let report = chat(&lab, &[&remote, &local]).say("go").unwrap().run(|_| panic!("asked")).await;
    assert_eq!(reasons(&report), ["nothing was sent: too many decisions are open"]);
    drop(open);
    let many: Vec<_> = (0..10).map(|n| far(&format!("h{n}.example"))).collect();
    let mut count = 0;
    let report = chat(&lab, &many.iter().collect::<Vec<_>>())
        .say("go")
        .unwrap()
        .run(|_| {
            count += 1;
            Decision::Deny
        })
        .await;
    assert_eq!((count, report.backend.skipped.len()), (8, 10));
}
