//! `reset`: what it takes away, what it leaves, and who may ask for it.
use super::home::{Home, Ran, talking};
use super::model::{Model, says};
use super::terminal::Terminal;
use std::collections::BTreeSet;

/// A home with something in every place.
fn used() -> Home {
    let home = Home::with_web();
    let model = Model::new(|_| says("Hello."));
    model.ask(&home, "good morning").succeeded();
    home.run(["policy", "remote", "always"]).succeeded();
    home.write("config.toml", "[claude]\nenabled = false\n");
    let secrets = home.data().join("secrets");
    std::fs::create_dir(&secrets).unwrap();
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&secrets, closed).unwrap();
    home.write("secrets/claude-api-key", "sk-ant-0123456789");
    home
}

fn names(home: &Home) -> BTreeSet<String> {
    let entries = std::fs::read_dir(home.data()).expect("the data directory");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[track_caller]
fn is_fresh(home: &Home, records: usize) {
    assert_eq!(
        home.run(["grants", "list"]).succeeded().stdout,
        "operator: system\nmesh: nothing\n"
    );
    let policy = home.run(["policy", "list"]).succeeded().stdout;
    assert!(policy.starts_with("models off this device: ask ("), "{policy}");
    assert!(policy.contains("web.fetch@1: off, as "), "{policy}");
    assert_eq!(home.run(["history"]).succeeded().stdout, "Nothing is remembered.\n");
    let log = home.run(["audit", "verify"]).succeeded().stdout;
    assert!(log.starts_with(&format!("whole: {records} records")), "{log}");
}

#[test]
fn reset_takes_words_keys_and_authority_and_leaves_the_log_with_a_record_of_it() {
    let home = used();
    let before = home.read("audit/000001.jsonl").lines().count();
    let ran = home.run(["reset", "--yes"]).succeeded();
    assert_eq!(
        names(&home).into_iter().collect::<Vec<_>>(),
        ["audit", "config.toml", "grants.json", "policy.json"]
    );
    let (takes, rest) = ran.stdout.split_once("  puts back").expect("what is put back");
    let (puts, leaves) = rest.split_once("  leaves\n").expect("what stays");
    for (part, named) in [
        (takes, "history:"),
        (takes, "secrets:"),
        (puts, "grants.json:"),
        (puts, "policy.json:"),
        (leaves, "audit:"),
        (leaves, "config.toml:"),
    ] {
        assert!(part.contains(&format!("    {named}")), "{named}: {ran:?}");
    }
    let log = home.read("audit/000001.jsonl");
    assert!(log.lines().last().unwrap().contains("\"reset\""), "{log}");
    is_fresh(&home, before + 1);
}

#[test]
fn reset_of_everything_leaves_what_is_not_this_programs() {
    let home = used();
    home.write("holiday.jpg", "mine");
    let outside = home.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("precious"), "x").unwrap();
    std::fs::remove_dir_all(home.data().join("history")).unwrap();
    std::os::unix::fs::symlink(&outside, home.data().join("history")).unwrap();
    let ran = home.run(["reset", "--all", "--yes"]).succeeded();
    assert!(ran.stdout.contains("not this program's\n    holiday.jpg\n"), "{ran:?}");
    assert_eq!(names(&home).into_iter().collect::<Vec<_>>(), ["holiday.jpg"]);
    assert!(outside.join("precious").exists(), "a link goes, not what it leads to");
    std::fs::remove_file(home.data().join("holiday.jpg")).unwrap();
    home.run(["tools"]).succeeded();
    is_fresh(&home, 0);
    home.run(["reset", "--all", "--yes"]).succeeded();
    assert!(!home.data().exists());
    assert_eq!(home.run(["reset", "--yes"]).status, 1, "there is nothing to reset");
}

#[test]
fn only_the_word_at_the_terminal_or_the_flag_resets() {
    let home = used();
    let whole = names(&home);
    let off: Ran = home.run(["reset"]);
    assert_eq!(off.status, 3, "{off:?}");
    assert!(off.stderr.contains("nothing was changed"), "{off:?}");
    for typed in ["yes\n", "\n", "RESET\n"] {
        let mut terminal = Terminal::start(&home, ["reset"]);
        terminal.shows("Type `reset`");
        terminal.types(typed);
        assert_eq!(terminal.ends().0, 3, "{typed:?}");
    }
    assert_eq!(names(&home), whole);
    assert!(home.read("secrets/claude-api-key").starts_with("sk-ant"));
    let mut terminal = Terminal::start(&home, ["reset"]);
    terminal.shows("Type `reset`");
    terminal.types("reset\n");
    let (status, screen) = terminal.ends();
    assert_eq!(status, 0, "{screen}");
    assert!(!screen.contains("sk-ant"), "{screen}");
    assert!(!home.data().join("secrets").exists());
}

#[test]
fn nothing_is_reset_while_another_program_writes() {
    let home = used();
    let whole = names(&home);
    let mut chat = talking(&home);
    for all in [&["reset", "--yes"][..], &["reset", "--all", "--yes"]] {
        let ran = home.run(all);
        assert_eq!((ran.status, &*ran.stdout), (1, ""), "{ran:?}");
        assert!(ran.stderr.contains("in use by another process"), "{ran:?}");
    }
    assert_eq!(names(&home), whole);
    chat.ends();
}

#[test]
fn what_cannot_be_read_any_more_can_be_reset() {
    let home = used();
    home.write("grants.json", "{");
    std::fs::remove_file(home.data().join("policy.json")).unwrap();
    assert_eq!(home.run(["tools"]).status, 1);
    home.run(["reset", "--yes"]).succeeded();
    home.run(["tools"]).succeeded();

    let log = home.read("audit/000001.jsonl");
    home.write("audit/000001.jsonl", &log[..log.len() / 2]);
    let ran = home.run(["reset", "--yes"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stderr.contains("damaged"), "{ran:?}");
    home.run(["reset", "--all", "--yes"]).succeeded();
    home.run(["tools"]).succeeded();
    is_fresh(&home, 0);
}
