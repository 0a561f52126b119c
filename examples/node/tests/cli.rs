//! What the program says about itself.
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> std::io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_sovereign-node")).args(arguments).output()
}

#[test]
fn help_names_every_command_an_example_and_every_exit_status() {
    let help = run(&["--help"]).unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(help.status.success());
    for word in [
        "ask",
        "chat",
        "serve",
        "passwd",
        "users",
        "tools",
        "grants",
        "policy",
        "audit",
        "Examples:",
        "Exit status:",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    for status in ["  0  ", "  1  ", "  2  ", "  3  ", "  4  "] {
        assert!(text.contains(status), "{status}: {text}");
    }
}

#[test]
fn version_is_the_packages() {
    let version = run(&["--version"]).unwrap();
    assert_eq!(
        version.stdout,
        concat!("sovereign-node ", env!("CARGO_PKG_VERSION"), "\n").as_bytes()
    );
}
