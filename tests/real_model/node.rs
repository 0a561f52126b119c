//! A turn of the program itself, as a person would ask it, answered by the real model.
use crate::force::Forced;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cargo put the program: beside the directory of this test's own executable.
fn program() -> PathBuf {
    let this = std::env::current_exe().expect("the path of this test");
    let program = this.ancestors().nth(2).expect("the directory above").join("sovereign-node");
    assert!(program.is_file(), "`{}` is missing; run `tests/model`", program.display());
    program
}

/// Runs it in this home, shows what it said, and gives its status and standard output.
async fn run(home: &Path, arguments: &'static [&'static str]) -> (Option<i32>, String) {
    let mut command = Command::new(program());
    command.args(["--data-dir", "data", "--config", "config.toml"]).args(arguments);
    command.current_dir(home).env_clear().env("HOME", home).env("TERM", "dumb");
    let ran = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (said, complained) = (text(ran.stdout), text(ran.stderr));
    let status = ran.status.code();
    println!("\n$ sovereign-node {}\n{said}{complained}[{status:?}]", arguments.join(" "));
    (status, said)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_to_the_node_is_answered_by_a_real_model_over_a_call_that_ran() {
    let forced = Forced::start(&super::calling(), &super::plain()).await;
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let config = format!(
        "[ollama]\nenabled = false\n\n[[openai]]\nbase_url = \"{}/v1\"\nmodel = \"smollm2\"\n\
         max_tokens = 80\nreply_seconds = 150\n",
        forced.url()
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let (status, said) = run(home.path(), &["backends"]).await;
    assert!(
        status == Some(0) && said.starts_with("1  openai (model smollm2, on this device): ready\n")
    );
    let (status, said) = run(home.path(), &["ask", "How much disk space is left?"]).await;
    assert_eq!(status, Some(0));
    let (words, rest) = said.split_once("\nAnswered by ").expect("who answered");
    assert!(!words.trim().is_empty(), "{said}");
    assert!(rest.starts_with("openai (model smollm2, on this device)\n"), "{said}");
    let receipts: Vec<_> = said.lines().filter(|line| line.contains(": executed [i")).collect();
    assert!(matches!(receipts[..], [one] if one.contains("system.")), "{said}");
    let (status, said) = run(home.path(), &["audit", "tail"]).await;
    assert!(status == Some(0) && said.contains("executed"), "{said}");
    let (status, said) = run(home.path(), &["history"]).await;
    assert!(status == Some(0) && said.contains("How much disk space is left?"), "{said}");
}
