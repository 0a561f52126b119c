//! A process that writes an audit log is killed, over and over, and the log tells the truth.

use sovereign_core::audit::{
    FileAudit, LogOptions, LogReader, RESTART, StoredCall, StoredEntry, verify,
};
use sovereign_core::clock::SystemClock;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Kills it in every place, and at no place in particular: after so many points, while it is held
/// there or while it runs on.
fn kill(log: &Path, effects: &Path, points: u64, running: bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_audit_writer"))
        .args([log, effects])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let mut leave = child.stdin.take().expect("a pipe");
    let mut reached = child.stdout.take().expect("a pipe");
    let mut byte = [0];
    for _ in 0..points {
        reached.read_exact(&mut byte).expect("it reaches a point");
        leave.write_all(b".").expect("it waits for leave");
    }
    if running {
        leave.write_all(&[b'.'; 200]).expect("it takes leave");
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
}

/// Each call's records, in order.
fn stories(log: &Path) -> BTreeMap<String, Vec<StoredCall>> {
    let mut stories: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in LogReader::open(log).expect("the log opens") {
        if let StoredEntry::Call(call) = record.expect("the chain holds").entry {
            stories.entry(call.id.clone()).or_default().push(call);
        }
    }
    stories
}

fn check(log: &Path, effects: &Path) {
    verify(log).expect("a killed writer leaves no damage");
    let options = LogOptions::default().file_bytes(6000);
    let opened = FileAudit::open_with(log, &SystemClock::default(), options).expect("it opens");
    drop(opened);
    let verified = verify(log).expect("the chain holds");
    let head = verified.head.expect("a head");
    assert_eq!((head.n, head.open.len()), (verified.records, 0));
    let effects = std::fs::read_to_string(effects).unwrap_or_default();
    let effects: BTreeSet<&str> = effects.lines().collect();
    let stories = stories(log);
    for (id, story) in &stories {
        let has = |mark: &str| story.iter().any(|call| call.mark == mark);
        let ends: Vec<&StoredCall> = story.iter().filter(|call| call.mark == "end").collect();
        let [end] = ends[..] else { panic!("{id} has {} ends", ends.len()) };
        let happened = effects.contains(id.as_str());
        assert!(!happened || has("begin"), "{id} changed something and never began");
        if end.code.as_deref() == Some(RESTART) {
            let own = if has("begin") { "unknown_effect" } else { "void" };
            assert_eq!(end.outcome.as_deref(), Some(own), "{id}");
        }
        if end.outcome.as_deref() == Some("void") {
            assert!(!happened, "{id} was waiting, and ran");
        }
    }
    for id in effects {
        assert!(stories.contains_key(id), "{id} changed something without a record");
    }
}

#[test]
fn log_of_a_killed_process_tells_the_truth() {
    let (rounds, kills) =
        if std::env::var_os("SOVEREIGN_LONG").is_some() { (24, 10) } else { (4, 6) };
    // an ordinary generator with a fixed seed: the same kills each time
    let mut seed = 0x5eed_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut changed = 0;
    for _ in 0..rounds {
        let home = tempfile::tempdir().expect("a directory");
        let (log, effects) = (home.path().join("audit"), home.path().join("effects"));
        for _ in 0..kills {
            kill(&log, &effects, next(60), next(2) == 1);
            check(&log, &effects);
        }
        changed += std::fs::read_to_string(&effects).unwrap_or_default().lines().count();
    }
    assert!(changed > rounds, "calls got as far as their effects");
}
