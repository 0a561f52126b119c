use super::{Home, chat, model, say, users};
use sovereign_core::confirmation::ConfirmationToken;
use sovereign_core::history::HistoryKey;
use sovereign_core::host::CallerScope;
use sovereign_tests::lab;

/// F03, T-13-61: one name, two kinds of caller.
#[tokio::test]
async fn operator_and_mesh_transcripts_are_separate() {
    let (lab, home) = (lab().0, Home::new());
    let histories = home.open(&lab);
    let (operator, mesh) = (CallerScope::operator("alice", "s1"), CallerScope::mesh("alice"));
    assert_ne!(HistoryKey::of(&operator), HistoryKey::of(&mesh));
    let (ours, theirs) = (model().says("a").says("a"), model().says("b").says("b"));
    let (ours_chat, _) = chat(&lab, &histories, &operator, ours.clone());
    let (theirs_chat, _) = chat(&lab, &histories, &mesh, theirs.clone());
    say(&ours_chat, "from the sofa").await;
    say(&theirs_chat, "from afar").await;
    say(&ours_chat, "again").await;
    say(&theirs_chat, "again").await;
    assert_eq!(users(&ours.seen()[1].messages), ["from the sofa", "again"]);
    assert_eq!(users(&theirs.seen()[1].messages), ["from afar", "again"]);
    assert_eq!(std::fs::read_dir(home.dir()).unwrap().count(), 2);
    theirs_chat.history().clear().unwrap();
    assert!(!home.bytes().contains("from afar") && home.bytes().contains("from the sofa"));
    let after = home.open(&lab).load(&operator).unwrap().history.recent(9);
    assert_eq!(after[0].user.text, "from the sofa");
}

/// C-23: the account names the transcript, the session only binds decisions.
#[tokio::test]
async fn a_new_session_of_the_same_account_goes_on_with_its_transcript() {
    let (lab, home) = (lab().0, Home::new());
    let first = CallerScope::operator("alice", "monday");
    let (monday, _) = chat(&lab, &home.open(&lab), &first, model().says("Noted."));
    say(&monday, "remember the milk").await;
    drop(monday);
    let second = model().says("The milk.");
    let friday = CallerScope::operator("alice", "friday");
    let (friday, _) = chat(&lab, &home.open(&lab), &friday, second.clone());
    say(&friday, "what was it?").await;
    assert_eq!(users(&second.seen()[0].messages), ["remember the milk", "what was it?"]);
    let other = model().says("I do not know.");
    let bob = CallerScope::operator("bob", "friday");
    let (bob, _) = chat(&lab, &home.open(&lab), &bob, other.clone());
    say(&bob, "what was it?").await;
    assert_eq!(users(&other.seen()[0].messages), ["what was it?"]);
}

/// T-13-69: holds only while no implementation of `Serialize` makes the second one apply as well.
#[test]
fn no_token_can_be_serialised_into_anything() {
    trait Ambiguous<A> {
        const NONE: () = ();
    }
    struct Serialisable;
    impl<T: ?Sized> Ambiguous<()> for T {}
    impl<T: ?Sized + serde::Serialize> Ambiguous<Serialisable> for T {}
    let () = <ConfirmationToken as Ambiguous<_>>::NONE;
    let () = <sovereign_core::executor::Suspended as Ambiguous<_>>::NONE;
    let () = <sovereign_core::executor::Proposal as Ambiguous<_>>::NONE;
    let () = <sovereign_core::backend::Message as Ambiguous<_>>::NONE;
}

/// Clearing counts at once, also for what this run has said.
#[tokio::test]
async fn what_was_cleared_is_not_sent_again() {
    let (lab, home) = (lab().0, Home::new());
    let script = model().says("one").says("two");
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script.clone());
    say(&chat, "a secret").await;
    chat.history().clear().unwrap();
    say(&chat, "hello").await;
    assert_eq!(users(&script.seen()[1].messages), ["hello"]);
    assert!(!home.bytes().contains("a secret"));
}
