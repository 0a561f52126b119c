//! A node whose audit log cannot be opened.
use super::home::Home;
use super::model::{Model, once, says};
use serde_json::json;

/// A home with one turn behind it, and a log that is not what was written.
fn damaged() -> Home {
    let home = Home::new();
    home.run(["ask", "how much space is left?"]).succeeded();
    let name = "audit/000001.jsonl";
    let log = home.read(name);
    home.write(name, &log.replacen("executed", "refused_", 1));
    home
}

#[test]
fn node_with_a_damaged_log_says_so_runs_nothing_and_writes_nothing() {
    let home = damaged();
    let files = ["audit/000001.jsonl", "audit/head", "grants.json", "policy.json"];
    let before: Vec<_> = files.iter().map(|name| home.read(name)).collect();
    let history = home.run(["history", "--json"]).succeeded().stdout;
    let model = once("system__disk_status__v1", json!({}));
    let ran = model.ask(&home, "how much space is left?");
    assert_eq!(ran.status, 1, "{ran:?}");
    for part in ["the audit log is damaged at record 1", "going on read-only", "keep a copy"] {
        assert!(ran.stderr.contains(part), "{part}: {ran:?}");
    }
    assert!(!ran.stdout.contains("available_bytes"), "{ran:?}");
    assert!(ran.receipts().iter().all(|receipt| !receipt.contains("executed")), "{ran:?}");
    let after: Vec<_> = files.iter().map(|name| home.read(name)).collect();
    assert_eq!(after, before);
    assert_eq!(home.run(["history", "--json"]).succeeded().stdout, history);
}

#[test]
fn node_with_a_damaged_log_still_talks_and_shows_but_changes_no_authority() {
    let home = damaged();
    let model = Model::new(|_| says("Only words."));
    let ran = model.ask(&home, "hello").succeeded();
    assert_eq!(ran.json()["text"], "Only words.");
    for looking in [&["tools"][..], &["policy", "list"], &["grants", "list"], &["history"]] {
        home.run(looking).succeeded();
    }
    for changing in [
        &["grants", "add", "search"][..],
        &["policy", "enable", "web"],
        &["policy", "remote", "always"],
    ] {
        let ran = home.run(changing);
        assert_eq!((ran.status, &*ran.stdout), (1, ""), "{ran:?}");
        assert!(ran.stderr.contains("damaged"), "{ran:?}");
    }
    // words that somebody wants to be gone need no log
    home.run(["history", "clear", "--yes"]).succeeded();
    assert_eq!(home.run(["history"]).succeeded().stdout, "Nothing is remembered.\n");
}
