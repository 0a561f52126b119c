//! `[confinement]`: a node whose local capabilities run on threads that the kernel holds to a filter.
use super::home::{Home, Talking, talking};
use std::fs;

const SECCOMP: &str = "[confinement]\nlocal = \"seccomp\"\n";

fn home(config: &str) -> Home {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write("config.toml", config);
    home
}

/// The `Seccomp` mode of each thread of that name in the program.
fn modes(chat: &Talking, name: &str) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{}/task", chat.pid())).expect("its threads");
    let status = threads.filter_map(|t| fs::read_to_string(t.ok()?.path().join("status")).ok());
    let field = |status: &str, key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_default().trim().to_owned()
    };
    let of_name = status.filter(|status| field(status, "Name:") == name);
    of_name.map(|status| field(&status, "Seccomp:")).collect()
}

#[test]
fn confined_node_answers_how_much_space_is_left() {
    let home = home(SECCOMP);
    let ran = home.run(["ask", "--json", "how much space is left?"]).succeeded();
    assert_eq!(ran.receipts(), ["system.disk_status executed -"]);
    let ran = home.run(["ask", "--json", "is the machine well?"]).succeeded();
    assert_eq!(ran.receipts(), ["system.health executed -"]);
    let doctor = home.run(["doctor"]).succeeded().stdout;
    let line = "ok    confinement: local capabilities can open no socket and start no program\n";
    assert!(doctor.contains(line), "{doctor}");
}

#[test]
fn its_threads_are_under_a_filter_and_there_are_none_unless_the_configuration_asks() {
    let filtered = home(SECCOMP);
    let mut chat = talking(&filtered);
    let confined = modes(&chat, "confined");
    assert!(!confined.is_empty() && confined.iter().all(|mode| mode == "2"), "{confined:?}");
    chat.ends();
    for config in ["", "[confinement]\nlocal = \"off\"\n"] {
        let plain = home(config);
        let mut chat = talking(&plain);
        assert!(modes(&chat, "confined").is_empty());
        chat.ends();
        assert!(!plain.run(["doctor"]).succeeded().stdout.contains("confinement"));
    }
}

#[test]
fn confinement_that_nobody_knows_is_an_error_with_its_line() {
    for wrong in ["[confinement]\nlocal = \"chroot\"\n", "[confinement]\nall = \"seccomp\"\n"] {
        let ran = home(wrong).run(["ask", "how much space is left?"]);
        assert_eq!((ran.status, &*ran.stdout), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("config.toml`, line 2: unknown "), "{ran:?}");
    }
}
