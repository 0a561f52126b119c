use super::super::tests::of;
use super::*;
use sovereign_core::caller::Category;
use std::time::Duration;

fn peer(id: &str) -> Peer {
    Peer::parse(id).unwrap()
}

#[test]
fn mesh_is_off_and_open_to_nobody_by_default() {
    assert!(of("").unwrap().mesh.is_none());
    assert!(of("[mesh]\ntrusted_only = false").unwrap().mesh.is_none());
    let mesh = of("[mesh]\nenabled = true").unwrap().mesh.unwrap();
    assert!(mesh.contacts.categories(&peer("!a1")).is_none());
    assert_eq!(mesh.sent, Sent::OnDevice);
}

#[test]
fn every_key_of_mesh_is_read() {
    let text = r#"
        [mesh]
        enabled = true
        trusted_only = false
        denied_askers = ["!e4e"]
        others = ["search"]
        remote = true
        turns_per_hour = 1
        concurrent = 2
        queued = 3
        message_bytes = 4
        reply_bytes = 65
        [mesh.allowed_contacts]
        "!a11ce" = ["system", "custom:home"]
        b0b = []
        [limits]
        turn_seconds = 7
    "#;
    let mesh = of(text).unwrap().mesh.unwrap();
    let holds = |id| mesh.contacts.categories(&peer(id)).cloned();
    assert_eq!(holds("!a11ce"), Some([Category::System, Category::Custom("home")].into()));
    assert_eq!(holds("b0b"), Some(Categories::NONE));
    assert_eq!(holds("!e4e"), None);
    assert_eq!(holds("!any"), Some([Category::Search].into()));
    let numbers =
        (mesh.turns_per_hour, mesh.concurrent, mesh.queued, mesh.message_bytes, mesh.reply_bytes);
    assert_eq!((mesh.sent, numbers), (Sent::ByPolicy, (1, 2, 3, 4, 65)));
    assert_eq!(mesh.limits.max_time(), Duration::from_secs(7));
}

#[test]
fn what_is_wrong_with_mesh_is_refused_with_its_line() {
    for (text, line, word) in [
        ("[mesh]\nenable = true", 2, "unknown field `enable`"),
        ("[mesh]\nenabled = \"yes\"", 2, "invalid type"),
        ("[mesh]\nallowed_contacts = [\"!a1\"]", 2, "invalid type"),
        ("[mesh.allowed_contacts]\n\"!a 1\" = []", 2, "a peer's id is 1 to 64"),
        ("[mesh.allowed_contacts]\n\"!a1\" = [\"system\",\n\"sytem\"]", 3, "is not a category"),
        ("[mesh.allowed_contacts]\na = []\na = []", 3, "duplicate key"),
        ("[mesh]\ndenied_askers = [\"\"]", 2, "a peer's id is 1 to 64"),
        ("[mesh]\nothers = [\"system\"]", 2, "while `trusted_only` is true"),
        ("[mesh]\ntrusted_only = false\nothers = [\"x\"]", 3, "is not a category"),
        ("[mesh]\nturns_per_hour = 0", 2, "0 is not from 1 to 1000"),
        ("[mesh]\nconcurrent = 17", 2, "17 is not from 1 to 16"),
        ("[mesh]\nqueued = 65", 2, "65 is not from 0 to 64"),
        ("[mesh]\nmessage_bytes = 4097", 2, "4097 is not from 1 to 4096"),
        ("[mesh]\nreply_bytes = 63", 2, "63 is not from 64 to 4096"),
    ] {
        let error = of(text).unwrap_err();
        assert!(error.starts_with(&format!("`c.toml`, line {line}: ")), "{text:?}: {error}");
        assert!(error.contains(word), "{text:?}: {error}");
    }
}
