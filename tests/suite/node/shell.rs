//! Help, completions and the manual page.
use super::home::Home;

const COMMANDS: [&str; 17] = [
    "ask",
    "chat",
    "serve",
    "passwd",
    "users",
    "tools",
    "backends",
    "grants",
    "policy",
    "keys",
    "purse",
    "history",
    "audit",
    "doctor",
    "reset",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_examples() {
    let home = Home::new();
    let all = home.run(["--help"]).succeeded().stdout;
    for command in COMMANDS {
        let help = home.run([command, "--help"]).succeeded().stdout;
        assert!(help.contains("Examples:\n  ") && help.contains("sovereign-node"), "{help}");
        assert!(help.contains("Usage: sovereign-node"), "{help}");
        assert!(all.contains(&format!("\n  {command} ")), "{command}: {all}");
    }
    assert!(!home.data().exists());
}

#[test]
fn completions_of_each_shell_know_every_command_and_need_no_directory() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = super::home::finish(home.command(["completions", shell]).env_remove("HOME"));
        let script = script.succeeded().stdout;
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    assert_eq!(home.run(["completions", "tcsh"]).status, 2);
    assert_eq!(home.run(["completions"]).status, 2);
    assert!(!home.data().exists());
}

#[test]
fn bash_takes_the_completions_and_completes_with_them() {
    let home = Home::new();
    let script = home.root().join("completions");
    std::fs::write(&script, home.run(["completions", "bash"]).succeeded().stdout).unwrap();
    let complete = "source \"$1\"; COMP_WORDS=(sovereign-node ke); COMP_CWORD=1; \
        F=$(complete -p sovereign-node | sed 's/.* -F //; s/ .*//'); \
        \"$F\" sovereign-node ke sovereign-node; echo \"${COMPREPLY[*]}\"";
    let bash =
        std::process::Command::new("bash").args(["-c", complete, "bash"]).arg(&script).output();
    let bash = bash.expect("bash");
    assert_eq!(String::from_utf8_lossy(&bash.stdout), "keys\n", "{bash:?}");
}

#[test]
fn manual_has_a_page_for_the_program_and_one_for_each_command() {
    let home = Home::new();
    let page = home.run(["man"]).succeeded().stdout;
    assert!(page.contains(".TH sovereign-node 1") && page.contains("Exit status"), "{page}");
    let out = home.root().join("man1");
    home.run(["man", "--out", out.to_str().unwrap()]).succeeded();
    for command in COMMANDS {
        let page = std::fs::read_to_string(out.join(format!("sovereign-node-{command}.1")));
        assert!(page.expect(command).contains("Examples"), "{command}");
    }
    let file = home.root().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(home.run(["man", "--out", file.to_str().unwrap()]).status, 1);
}
