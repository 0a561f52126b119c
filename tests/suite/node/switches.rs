//! `policy remote`, `policy list` and `policy drop-stale`.
use super::home::Home;

#[test]
fn remote_models_are_set_told_and_recorded() {
    let home = Home::new();
    let says =
        || home.run(["policy", "list"]).succeeded().stdout.lines().next().unwrap().to_owned();
    assert!(says().starts_with("models off this device: ask ("), "{}", says());
    for (answer, told) in [("never", "never ("), ("always", "always ("), ("ask", "ask (")] {
        let ran = home.run(["policy", "remote", answer]).succeeded();
        assert!(ran.stdout.starts_with(&format!("models off this device: {told}")), "{ran:?}");
        assert!(says().starts_with(&format!("models off this device: {told}")), "{}", says());
    }
    let again = home.run(["policy", "remote", "ask"]).succeeded();
    assert!(again.stdout.ends_with(", as it was already\n"), "{again:?}");
    let log = home.read("audit/000001.jsonl");
    assert_eq!(log.matches("\"remote_inference_set\"").count(), 3, "{log}");
    for wrong in [&["policy", "remote", "sometimes"][..], &["policy", "remote"]] {
        assert_eq!(home.run(wrong).status, 2);
    }
}

const LEFT_BEHIND: &str = r#"{"version": 1, "capabilities": [
  {"name": "old.thing", "version": 3, "side_effect": "mutating", "network": "local", "enabled": true},
  {"name": "old.off", "version": 1, "side_effect": "read_only", "network": "local", "enabled": false},
  {"name": "web.fetch", "version": 1, "side_effect": "read_only", "network": "local", "enabled": true},
  {"name": "system.health", "version": 1, "side_effect": "read_only", "network": "local", "enabled": false}
]}"#;

#[test]
fn entries_that_do_nothing_are_listed_and_dropped_when_somebody_says_so() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write("policy.json", LEFT_BEHIND);
    let list = || home.run(["policy", "list"]).succeeded().stdout;
    let before = list();
    for part in [
        "entries that do nothing:\n",
        "  old.thing@3 is not installed (switched on here)\n",
        "  old.off@1 is not installed (switched off here)\n",
        "  web.fetch@1 is read_only, external now, which nobody switched on (switched on here)\n",
        "policy drop-stale",
    ] {
        assert!(before.contains(part), "{part}: {before}");
    }
    assert_eq!(home.run(["policy", "drop-stale"]).succeeded().stdout, "2 entries taken out\n");
    let after = list();
    assert!(after.contains("old.off@1") && !after.contains("old.thing"), "{after}");
    assert!(after.contains("system.health@1: off, set for it\n"), "{after}");
    let ran = home.run(["policy", "drop-stale", "--also-off"]).succeeded();
    assert_eq!(ran.stdout, "1 entries taken out\n");
    assert!(!list().contains("do nothing"));
    assert_eq!(home.run(["policy", "drop-stale"]).succeeded().stdout, "0 entries taken out\n");
    let stats = home.run(["audit", "stats", "--json"]).succeeded().json();
    assert_eq!(stats["events"]["stale_switches_dropped"], 2);
}
