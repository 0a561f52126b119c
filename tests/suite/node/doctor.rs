//! `doctor`: what it finds, what it says to do, and its exit status.
use super::home::Home;
use super::model::{Model, says};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;

fn lines(home: &Home, status: i32) -> Vec<Value> {
    let ran = home.run(["doctor", "--json"]);
    assert_eq!(ran.status, status, "{ran:?}");
    ran.json().as_array().expect("an array").clone()
}

/// The lines of one check that are not `ok`.
fn wrong(lines: &[Value], check: &str) -> Vec<String> {
    let of = lines.iter().filter(|line| line["check"] == check && line["state"] != "ok");
    of.map(|l| format!("{}: {}", l["state"].as_str().unwrap(), l["what"].as_str().unwrap()))
        .collect()
}

fn used() -> Home {
    let home = Home::new();
    home.run(["ask", "how much space is left?"]).succeeded();
    home
}

#[test]
fn healthy_node_has_nothing_to_do_and_is_left_as_it_is() {
    let home = used();
    let model = Model::new(|_| says("Hello."));
    let [_, url, _, name] = model.flags();
    let config =
        format!("[ollama]\nbase_url = \"{url}\"\nmodel = \"{name}\"\n[claude]\nenabled = false\n");
    home.write("config.toml", &config);
    let before = home.read("audit/000001.jsonl");
    let found = lines(&home, 0);
    let not_ok: Vec<_> = found.iter().filter(|line| line["state"] != "ok").collect();
    assert!(not_ok.is_empty(), "{not_ok:?}");
    for check in [
        "data directory",
        "disk space",
        "modes",
        "grants",
        "policy",
        "audit log",
        "in use",
        "history",
        "clock",
        "config",
        "backend",
    ] {
        assert!(found.iter().any(|line| line["check"] == check), "{check}: {found:?}");
    }
    assert_eq!(home.read("audit/000001.jsonl"), before);
    assert!(model.asked().is_empty());
    let shown = home.run(["doctor"]).succeeded().stdout;
    assert!(shown.lines().all(|line| line.starts_with("ok  ")), "{shown}");
    assert!(shown.contains("history: 1 turn of yours\n"), "{shown}");
}

#[test]
fn who_writes_to_the_data_directory_is_named_while_it_does() {
    use sovereign_core::{audit::FileAudit, clock::SystemClock};
    let home = used();
    let said = || {
        let found = lines(&home, 0);
        let line = found.iter().find(|line| line["check"] == "in use").expect("a line");
        line["what"].as_str().unwrap().to_owned()
    };
    // the note of the one before is still in the lock
    assert_eq!(said(), "by nobody");
    let held = FileAudit::open(&home.data().join("audit"), &SystemClock::default()).unwrap();
    assert_eq!(said(), format!("by the program with the process id {}", std::process::id()));
    drop(held);
    assert_eq!(said(), "by nobody");
}

#[test]
fn no_model_is_a_warning_and_says_what_to_do() {
    let home = used();
    let found = lines(&home, 0);
    assert_eq!(wrong(&found, "backends").len(), 1, "{found:?}");
    let backends = wrong(&found, "backend");
    assert!(backends.iter().any(|line| line.starts_with("warn: ollama (")), "{backends:?}");
    let shown = home.run(["doctor"]).succeeded().stdout;
    assert!(shown.contains("      to do: `sovereign-node keys set claude`\n"), "{shown}");
}

#[test]
fn directory_that_is_not_there_is_a_warning_and_is_not_made() {
    let home = Home::new();
    let found = lines(&home, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(wrong(&found, "data directory").len(), 1);
    assert!(!home.data().exists());
    std::fs::create_dir(home.data()).unwrap();
    std::fs::set_permissions(home.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(wrong(&lines(&home, 1), "data directory")[0].contains("chmod 700"));
}

#[test]
fn each_fault_is_found_and_named_with_what_to_do() {
    type Break = fn(&Home);
    let faults: [(&str, &str, Break); 8] = [
        ("modes", "chmod 600", |home| {
            let path = home.data().join("grants.json");
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
        }),
        ("modes", "chmod 700", |home| {
            let path = home.data().join("history");
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o750)).unwrap();
        }),
        ("grants", "line 1", |home| home.write("grants.json", "{")),
        ("policy", "does not exist", |home| {
            std::fs::remove_file(home.data().join("policy.json")).unwrap();
        }),
        ("audit log", "damaged at record 1", |home| {
            let log = home.read("audit/000001.jsonl");
            home.write("audit/000001.jsonl", &log.replacen("executed", "refused_", 1));
        }),
        ("audit log", "it is gone", |home| {
            std::fs::remove_dir_all(home.data().join("audit")).unwrap();
        }),
        ("config", "line 2: unknown field", |home| {
            home.write("config.toml", "[ollama]\nmodle = 1\n");
        }),
        ("key", "does not hold one line", |home| {
            let secrets = home.data().join("secrets");
            std::fs::create_dir(&secrets).unwrap();
            std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o700)).unwrap();
            home.write("secrets/claude-api-key", "two words 0123456789");
        }),
    ];
    for (check, part, break_it) in faults {
        let home = used();
        break_it(&home);
        let found = lines(&home, 1);
        let wrong = wrong(&found, check);
        assert!(
            wrong.iter().any(|l| l.starts_with("fail") && l.contains(part)),
            "{check}: {found:?}"
        );
        assert!(!format!("{found:?}").contains("0123456789"), "{found:?}");
    }
}

#[test]
fn stale_entries_and_a_damaged_transcript_are_warnings() {
    let home = used();
    let entry = r#"{"name": "old.thing", "version": 1, "side_effect": "mutating", "network": "local", "enabled": true}"#;
    home.write("policy.json", &format!("{{\"version\": 1, \"capabilities\": [{entry}]}}"));
    let directory = std::fs::read_dir(home.data().join("history")).unwrap();
    let name = directory.map(|e| e.unwrap().file_name()).next().expect("a transcript");
    home.write(&format!("history/{}", name.to_string_lossy()), "torn");
    let found = lines(&home, 0);
    assert!(wrong(&found, "policy")[0].contains("old.thing@1 is not installed"), "{found:?}");
    assert!(wrong(&found, "history")[0].starts_with("warn: the transcript"), "{found:?}");
}
