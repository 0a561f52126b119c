//! What a model off the device is sent of earlier turns.
use super::vault::VAULT;
use super::{Home, model, records, say, users};
use crate::conversation::legs;
use sovereign_core::audit::{Administrative, Record};
use sovereign_core::backend::{BackendIdentity, FailureClass, Message};
use sovereign_core::conversation::Conversation;
use sovereign_core::policy::RemoteInference;
use sovereign_core::testing::{Harness, Scripted};
use std::sync::Arc;

fn far() -> Scripted {
    let model = Some("grand".to_owned());
    Scripted::as_backend(BackendIdentity::remote("cloud", model, "https://cloud.example"))
}

fn vault_saying(remote: RemoteInference) -> Harness {
    Harness::install(&VAULT, Arc::default()).remote(remote).build()
}

#[tokio::test]
async fn what_the_transcript_withholds_does_not_leave_the_device_from_memory_either() {
    let lab = vault_saying(RemoteInference::Always);
    let spoken = "I looked at account bc1q-secret for you.";
    let local = model()
        .proposes("vault__wallet__v1", r#"{"text":"bc1q-secret","number":21000000}"#)
        .proposes("vault__login__v1", r#"{"user":"alice","password":"hunter2-secret"}"#)
        .says(spoken)
        .says("Still here.")
        .fails(FailureClass::Unreachable, "gone");
    let remote = far().says("hello");
    let chat = Conversation::with_legs(&lab.executor, legs(&[&local, &remote]), lab.scope.clone());
    say(&chat, "look at my wallet").await;
    say(&chat, "and then?").await;
    let kept = format!("{:?}", local.seen().pop().unwrap().messages);
    assert!(kept.contains("bc1q-secret"), "a model on the device sees its own turns whole");
    let report = say(&chat, "go on").await;
    assert_eq!(report.text, "hello");
    let seen = remote.seen().pop().unwrap();
    assert_eq!(users(&seen.messages), ["look at my wallet", "and then?", "go on"]);
    let sent = format!("{:?}", seen.messages);
    for secret in ["bc1q-secret", "21000000", "hunter2-secret"] {
        assert!(!sent.contains(secret), "{secret} in {sent}");
    }
    let told = records(&seen.messages);
    assert!(told[0].contains("vault.wallet") && told[0].contains("vault.login"), "{told:?}");
    assert!(told[0].contains(r#""user":"alice""#), "what may be kept may be sent: {told:?}");
    let whole = |m: &Message| matches!(m, Message::Outcome { .. });
    assert!(!seen.messages.iter().any(whole), "no outcome of an earlier turn is sent whole");
}

#[tokio::test]
async fn a_summary_is_made_elsewhere_only_under_the_standing_choice_and_on_record() {
    for (policy, asked_for_it) in [(RemoteInference::Ask, false), (RemoteInference::Always, true)] {
        let lab = vault_saying(policy);
        let mut remote = far();
        for _ in 0..60 {
            remote = remote.says("words");
        }
        let home = Home::new();
        let histories = home.open(&lab);
        let (chat, _) = super::chat(&lab, &histories, &lab.scope, remote.clone());
        for _ in 0..30 {
            say(&chat, &"many words ".repeat(20)).await;
        }
        let summaries =
            remote.seen().iter().filter(|seen| seen.system.contains("You condense")).count();
        assert_eq!(summaries > 0, asked_for_it, "{policy:?}");
        let sends = lab.audit.records().into_iter().filter(|record| {
            matches!(record, Record::Administrative(r)
                if matches!(r.event, Administrative::RemoteSend { .. }))
        });
        assert_eq!(sends.count(), remote.seen().len(), "every send is on record");
        assert_eq!(remote.seen().len(), 30 + summaries);
    }
}

#[tokio::test]
async fn a_leg_that_is_elsewhere_is_not_sent_what_another_caller_said() {
    let lab = vault_saying(RemoteInference::Always);
    let home = Home::new();
    let histories = home.open(&lab);
    let remote = far().says("to alice").says("to bob");
    let bob = sovereign_core::host::CallerScope::operator("bob", "s");
    for (scope, words) in [(&lab.scope, "I am alice and 42"), (&bob, "who am I?")] {
        let (chat, _) = super::chat(&lab, &histories, scope, remote.clone());
        say(&chat, words).await;
    }
    assert_eq!(users(&remote.seen()[1].messages), ["who am I?"]);
}

#[tokio::test]
async fn turn_dropped_at_any_poll_has_sent_nothing_without_a_record_and_leaves_no_question() {
    use super::cancel::{assert_paired, polled};
    for polls in 0.. {
        let lab = vault_saying(RemoteInference::Ask);
        let remote = far().proposes("vault__read__v1", "{}").says("Done.").says("And on.");
        let remote = remote.says("And on.").says("And on.");
        let legs = legs(&[&remote]);
        let chat = Conversation::with_legs(&lab.executor, legs, lab.scope.clone());
        let mut turn = chat.say("go").unwrap();
        let finished = polled(&mut turn, polls).await;
        turn.cancel().await;
        let sends = || {
            let records = lab.audit.records().into_iter().filter(|record| {
                matches!(record, Record::Administrative(r)
                    if matches!(r.event, Administrative::RemoteSend { decision: Some(_), .. }))
            });
            records.count()
        };
        let (sent, recorded) = (remote.seen().len(), sends());
        assert!(sent <= recorded, "after {polls} polls: {sent} sent, {recorded} on record");
        assert!(lab.executor.pending(&lab.scope).is_empty(), "after {polls} polls");
        assert_paired(&chat.transcript(), polls);
        assert_eq!(say(&chat, "next").await.error, None, "after {polls} polls");
        assert!(remote.seen().len() <= sends());
        if finished {
            assert_eq!(recorded, 2);
            break;
        }
        assert!(polls < 300, "it never ends");
    }
}
