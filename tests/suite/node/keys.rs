//! `keys`: what is put where, what is told, and that no key is ever shown.
use super::home::{Home, Ran, finish};
use super::terminal::Terminal;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Stdio;

const KEY: &str = "sk-ant-api03-0123456789abcdef";

/// The program with `input` on its standard input.
fn fed(home: &Home, arguments: &[&str], input: &str) -> Ran {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(input.as_bytes()).expect("a pipe that takes it");
    drop(writer);
    finish(home.command(arguments).stdin(Stdio::from(reader)))
}

fn set(home: &Home) -> Ran {
    fed(home, &["keys", "set", "claude"], &format!("{KEY}\n"))
}

#[test]
fn key_from_standard_input_is_kept_for_its_owner_alone_and_never_shown() {
    let home = Home::new();
    let ran = set(&home).succeeded();
    let mode = |name: &str| std::fs::metadata(home.data().join(name)).unwrap().mode() & 0o777;
    assert_eq!((mode("secrets"), mode("secrets/claude-api-key")), (0o700, 0o600));
    assert_eq!(home.read("secrets/claude-api-key"), KEY);
    for part in ["It lets a turn be sent to https://api.anthropic.com/v1", "Policy says ask"] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let shows: [&[&str]; 9] = [
        &["keys", "list"],
        &["keys", "list", "--json"],
        &["backends"],
        &["backends", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["--verbose", "ask", "how much space is left?"],
        &["policy", "list"],
        &["keys", "remove", "claude"],
    ];
    for arguments in shows {
        let ran = finish(home.command(arguments).env("SOVEREIGN_LOG", "trace"));
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("0123456789"), "{arguments:?}: {all}");
    }
    let log = home.read("audit/000001.jsonl");
    assert!(!log.contains("0123456789"), "{log}");
    assert!(!home.data().join("secrets/claude-api-key").exists());
}

#[test]
fn key_typed_at_the_terminal_is_not_shown_there() {
    let home = Home::new();
    let mut terminal = Terminal::start(&home, ["keys", "set", "claude"]);
    terminal.shows("The key for claude (nothing of it is shown): ");
    terminal.types(&format!("{KEY}\n"));
    terminal.shows("kept in");
    let (status, screen) = terminal.ends();
    assert_eq!(status, 0, "{screen}");
    assert!(!screen.contains("sk-ant"), "{screen}");
    assert_eq!(home.read("secrets/claude-api-key"), KEY);
}

#[test]
fn ctrl_c_at_the_prompt_keeps_nothing_and_the_terminal_shows_what_is_typed_again() {
    let home = Home::new();
    // the shell's own `stty` tells how the program left the terminal
    let script = "trap : INT; \"$0\" \"$@\"; echo status $?; stty -a | tr ' ' '\\n' | grep -x -e echo -e -echo";
    let mut terminal = Terminal::start_in_shell(&home, script, ["keys", "set", "claude"]);
    terminal.shows("shown): ");
    terminal.types("half a key\u{3}");
    terminal.shows("status 130");
    terminal.shows("\necho");
    terminal.ends();
    assert!(!home.data().join("secrets").exists());
}

#[test]
fn what_is_no_key_is_status_2_and_leaves_the_old_one() {
    let home = Home::new();
    set(&home).succeeded();
    for input in ["", "\n", "two words\n", "two\nlines\n", &"k".repeat(5000), &"k".repeat(60_000)] {
        let ran = fed(&home, &["keys", "set", "claude"], input);
        assert_eq!((ran.status, &*ran.stdout), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("a key is one line of at most 4096"), "{ran:?}");
        assert!(ran.stderr.len() < 200, "it is not repeated: {ran:?}");
    }
    assert_eq!(home.read("secrets/claude-api-key"), KEY);
}

/// Somebody will try it, and the shell's history has it then; the program need not repeat it.
#[test]
fn key_where_its_name_belongs_is_refused_and_not_repeated() {
    let home = Home::new();
    for arguments in [&["keys", "set", KEY][..], &["keys", "remove", KEY]] {
        let ran = fed(&home, arguments, KEY);
        assert_eq!((ran.status, &*ran.stdout), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("there is: claude"), "{ran:?}");
        assert!(!ran.stderr.contains("0123456789"), "{ran:?}");
    }
    assert_eq!(fed(&home, &["keys", "set", "claude", KEY], "").status, 2);
}

#[test]
fn key_that_others_may_read_is_not_used_and_the_reason_is_told() {
    let home = Home::new();
    set(&home).succeeded();
    let path = home.data().join("secrets/claude-api-key");
    let listed = || home.run(["keys", "list", "--json"]).succeeded().json();
    assert_eq!(listed()[0]["state"], "usable");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let open = listed();
    assert_eq!(open[0]["state"], "unusable");
    assert!(open[0]["reason"].as_str().unwrap().contains("chmod 600"), "{open}");
    let backends = home.run(["backends"]).succeeded().stdout;
    assert!(
        backends.contains("its key is not used") && backends.contains("chmod 600"),
        "{backends}"
    );
    assert_eq!(home.run(["doctor"]).status, 1);

    let elsewhere = home.root().join("elsewhere");
    std::fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    let linked = listed();
    assert!(linked[0]["reason"].as_str().unwrap().contains("symbolic link"), "{linked}");
    // setting it anew replaces the link and not what it leads to
    fed(&home, &["keys", "set", "claude"], "another").succeeded();
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), KEY);
    assert_eq!(home.read("secrets/claude-api-key"), "another");
    assert_eq!(listed()[0]["state"], "usable");
}

#[test]
fn key_of_a_server_is_known_by_the_name_in_the_configuration() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write(
        "config.toml",
        "[[openai]]\nbase_url = \"https://a.example/v1\"\nmodel = \"m\"\nkey = \"hosted\"\n",
    );
    let listed = home.run(["keys", "list"]).succeeded().stdout;
    for part in ["claude: missing\n", "hosted: missing\n", "for https://a.example/v1\n"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    fed(&home, &["keys", "set", "hosted"], KEY).succeeded();
    assert_eq!(home.read("secrets/hosted"), KEY);
    assert!(home.run(["keys", "list"]).succeeded().stdout.contains("hosted: usable\n"));
    let removed = home.run(["keys", "remove", "hosted"]).succeeded().stdout;
    assert!(removed.starts_with("hosted: removed"), "{removed}");
    let again = home.run(["keys", "remove", "hosted"]).succeeded().stdout;
    assert_eq!(again, "hosted: there was none\n");
}
