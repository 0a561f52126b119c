//! A process that writes an audit log or a transcript is killed, over and over, and what it leaves
//! tells the truth.

use sovereign_core::audit::{
    FileAudit, LogOptions, LogReader, RESTART, StoredCall, StoredEntry, verify,
};
use sovereign_core::clock::SystemClock;
use sovereign_core::history::{Histories, Notice, TurnEnd};
use sovereign_core::host::CallerScope;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Kills it in every place, and at no place in particular: after so many points, while it is held
/// there or while it runs on.
fn kill(writer: &str, log: &Path, effects: &Path, points: u64, running: bool) {
    let mut child = Command::new(writer)
        .args([log, effects])
        .stderr(Stdio::null())
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
    if !log.exists() {
        assert!(!effects.exists(), "it was killed before it had a log, and changed something");
        return;
    }
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

/// An ordinary generator with a fixed seed: the same kills each time.
fn seeded() -> impl FnMut(u64) -> u64 {
    let mut seed = 0x5eed_u64;
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

#[test]
fn log_of_a_killed_process_tells_the_truth() {
    let (rounds, kills) =
        if std::env::var_os("SOVEREIGN_LONG").is_some() { (24, 10) } else { (4, 6) };
    let mut next = seeded();
    let mut changed = 0;
    for _ in 0..rounds {
        let home = tempfile::tempdir().expect("a directory");
        let (log, effects) = (home.path().join("audit"), home.path().join("effects"));
        for _ in 0..kills {
            kill(env!("CARGO_BIN_EXE_audit_writer"), &log, &effects, next(60), next(2) == 1);
            check(&log, &effects);
        }
        changed += std::fs::read_to_string(&effects).unwrap_or_default().lines().count();
    }
    assert!(changed > rounds, "calls got as far as their effects");
}

/// What the transcript says after a kill; the number of turns that were cut off by it.
fn check_transcript(directory: &Path, effects: &Path) -> usize {
    let histories = Histories::open(directory, Arc::new(SystemClock::default())).expect("it opens");
    let loaded = histories.load(&CallerScope::operator("me", "another")).expect("it loads");
    let damage = |notice: &Notice| matches!(notice, Notice::Quarantined { .. });
    assert!(!loaded.notices.iter().any(damage), "{:?}", loaded.notices);
    let written = std::fs::read_to_string(effects).unwrap_or_default();
    let written: BTreeSet<&str> = written.lines().collect();
    let turns = loaded.history.transcript().turns;
    for turn in &turns {
        let n = turn.number;
        assert_eq!(turn.user.text, format!("word {n}"));
        let outcomes: Vec<_> = turn.calls.iter().map(|c| c.outcome.as_deref()).collect();
        match turn.end.expect("none is open after a load") {
            TurnEnd::Answered => {
                assert_eq!(turn.assistant.text, format!("done {n}"));
                assert_eq!(outcomes, [Some("executed")], "turn {n}");
            }
            TurnEnd::Interrupted => {
                let known = [Some("executed"), Some("unknown_effect")];
                assert!(outcomes.len() < 2 && outcomes.iter().all(|o| known.contains(o)));
            }
            end => panic!("turn {n} ended {end:?}"),
        }
        let executed = outcomes.contains(&Some("executed"));
        assert!(!executed || written.contains(&*n.to_string()), "turn {n} tells what never was");
    }
    // what was reported as saved is there, unless a limit has dropped it
    let oldest = turns.front().map_or(1, |turn| turn.number);
    let saved = written.iter().filter_map(|line| line.strip_prefix("saved "));
    for n in saved.map(|n| n.parse::<u64>().expect("a number")).filter(|n| *n >= oldest) {
        let turn = turns.iter().find(|turn| turn.number == n);
        assert_eq!(turn.and_then(|turn| turn.end), Some(TurnEnd::Answered), "turn {n} was saved");
    }
    let left = std::fs::read_dir(directory).expect("a directory");
    assert!(left.count() <= 1, "nothing half written is left");
    turns.iter().filter(|turn| turn.end == Some(TurnEnd::Interrupted)).count()
}

/// F02, F04: a hundred kills of a real process in the middle of its turns.
#[test]
fn transcript_of_a_killed_process_is_the_old_one_or_the_new_one() {
    let mut next = seeded();
    let (mut kills, mut interrupted, mut saved) = (0, 0, 0);
    for _ in 0..10 {
        let home = tempfile::tempdir().expect("a directory");
        let (history, effects) = (home.path().join("history"), home.path().join("effects"));
        for _ in 0..12 {
            let writer = env!("CARGO_BIN_EXE_history_writer");
            kill(writer, &history, &effects, next(30), next(2) == 1);
            kills += 1;
            if history.is_dir() {
                check_transcript(&history, &effects);
            }
        }
        interrupted += check_transcript(&history, &effects);
        let written = std::fs::read_to_string(&effects).unwrap_or_default();
        saved += written.lines().filter(|line| line.starts_with("saved")).count();
    }
    assert!(kills >= 100 && interrupted >= 20 && saved >= 50, "{kills} {interrupted} {saved}");
}
