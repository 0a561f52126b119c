//! Programs that a capability runs: what they leave behind is killed, and holds up nothing.
use crate::ground::{GROUNDS, Ground};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::capability::{Command, Exited};
use sovereign_core::executor::{Outcome, Proposal};
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the next call runs, and how it ended.
#[derive(Default)]
struct Bench {
    next: Mutex<Option<Command>>,
    exited: Mutex<Option<Exited>>,
}

/// Runs the program that the test put there.
#[capability(name = "bench.run", side_effect = mutating, network = local, category = notes, timeout = "5s")]
struct RunProgram {}

impl Run for RunProgram {
    type State = Bench;
    type Output = Changed<bool>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<bool>, Failure> {
        let next = call.state().next.lock().unwrap().take().expect("a program");
        let exited = call.command(next).await?;
        *call.state().exited.lock().unwrap() = Some(exited);
        Ok(Changed::yes(true))
    }
}

static BENCH: Plugin<Bench> = Plugin::new("bench", &[RunProgram::ENTRY]);

fn bench(ground: Ground) -> (Harness, Arc<Bench>) {
    let bench = Arc::new(Bench::default());
    (Harness::install(&BENCH, Arc::clone(&bench)).build_with(ground), bench)
}

async fn run(ground: Ground, command: Command) -> (Outcome, Option<Exited>) {
    let (lab, bench) = bench(ground);
    *bench.next.lock().unwrap() = Some(command);
    let proposal = Proposal::new("bench.run", 1, b"{}");
    let call = lab.propose(proposal).approved().into_future();
    let outcome = tokio::time::timeout(Duration::from_secs(30), call).await;
    let exited = bench.exited.lock().unwrap().take();
    (outcome.expect("nothing holds up the answer"), exited)
}

pub(crate) fn shell(script: &str) -> Command {
    Command::new("/bin/sh").argument("-c").argument(script).variable("PATH", "/usr/bin:/bin")
}

/// Gone, or dead and not yet collected by its parent.
fn is_dead(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.rsplit(')').next().is_some_and(|s| s.trim().starts_with('Z')))
}

pub(crate) async fn dies(pid: &str) {
    let gone = async {
        while !is_dead(pid) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("it is killed");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test]
async fn a_program_gets_its_input_and_nothing_of_ours_and_says_how_it_ended() {
    for ground in GROUNDS {
        let script = "cat; /usr/bin/env >&2; pwd >&2; exit 3";
        let (outcome, exited) =
            run(ground, Command::new("/bin/sh").argument("-c").argument(script).input("hello"))
                .await;
        let exited = exited.expect("it ran");
        assert_eq!(outcome.kind(), OutcomeKind::Executed);
        assert_eq!((exited.status, text(&exited.stdout)), (Some(3), "hello".to_owned()));
        let said = text(&exited.stderr);
        assert!(
            said.ends_with("/\n") && !said.contains("HOME=") && !said.contains("CARGO"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn output_beyond_its_limit_is_read_and_thrown_away() {
    for ground in GROUNDS {
        let script = "head -c 1000000 /dev/zero; echo ok >&2";
        let (_, exited) = run(ground, shell(script).max_output(1000)).await;
        let exited = exited.expect("it ran to its end");
        assert_eq!((exited.stdout.len(), exited.truncated), (1000, true));
        assert_eq!(text(&exited.stderr), "ok\n");
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_killed_and_does_not_delay_the_answer() {
    for ground in GROUNDS {
        let (outcome, exited) = run(ground, shell("sleep 999 & echo $!")).await;
        assert_eq!(outcome.kind(), OutcomeKind::Executed);
        dies(text(&exited.expect("it ran").stdout).trim()).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_grandchild_outside_the_group_does_not_delay_the_answer() {
    for ground in GROUNDS {
        let place = place("escaped");
        let script = format!(
            "setsid sh -c 'echo $$; : > {0}; exec sleep 999' & until [ -e {0} ]; do :; done",
            place.display()
        );
        let (outcome, exited) = run(ground, shell(&script)).await;
        let _gone = std::fs::remove_file(&place);
        let pid = text(&exited.expect("it ran").stdout).trim().to_owned();
        assert!(!is_dead(&pid), "it left the group: the stated limit");
        let killed = std::process::Command::new("/bin/kill").args(["-9", &pid]).status();
        assert!(killed.expect("kill runs").success());
        assert_eq!(outcome.kind(), OutcomeKind::Executed);
    }
}

#[tokio::test]
async fn at_the_deadline_the_whole_group_is_killed() {
    for ground in GROUNDS {
        let place = place("deadline");
        let (lab, bench) = bench(ground);
        let script =
            format!("sleep 999 & echo $$ $! > {0}.tmp; mv {0}.tmp {0}; wait", place.display());
        *bench.next.lock().unwrap() = Some(shell(&script));
        let proposal = Proposal::new("bench.run", 1, b"{}");
        let (outcome, pids) = tokio::join!(lab.propose(proposal).approved().into_future(), async {
            let pids = written(&place).await;
            lab.clock.advance(Duration::from_secs(5));
            pids
        });
        assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::UnknownEffect, Some("timeout")));
        for pid in pids.split_whitespace() {
            dies(pid).await;
        }
    }
}

#[tokio::test]
async fn a_cancelled_call_kills_its_program() {
    for ground in GROUNDS {
        let place = place("cancelled");
        let (lab, bench) = bench(ground);
        let script = format!("echo $$ > {0}.tmp; mv {0}.tmp {0}; sleep 999", place.display());
        *bench.next.lock().unwrap() = Some(shell(&script));
        let call = lab.propose(Proposal::new("bench.run", 1, b"{}")).approved().into_future();
        let pids = tokio::select! {
            pids = written(&place) => pids,
            outcome = call => panic!("it runs on: {outcome:?}"),
        };
        dies(pids.trim()).await;
    }
}

#[tokio::test]
async fn what_cannot_start_has_changed_nothing() {
    for ground in GROUNDS {
        let (outcome, _) = run(ground, Command::new("sh")).await;
        let code = Some("program_not_absolute");
        assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, code));
        let (outcome, _) = run(ground, Command::new("/no/such/program")).await;
        assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, Some("not_started")));
    }
}

fn place(name: &str) -> PathBuf {
    let place = std::env::temp_dir().join(format!("sovereign-{name}-{}", std::process::id()));
    let _none = std::fs::remove_file(&place);
    place
}

/// What the program wrote there, once it has.
async fn written(place: &Path) -> String {
    let read = async {
        loop {
            if let Ok(text) = std::fs::read_to_string(place) {
                return text;
            }
            tokio::task::yield_now().await;
        }
    };
    let text = tokio::time::timeout(Duration::from_secs(30), read).await.expect("it starts");
    let _gone = std::fs::remove_file(place);
    text
}
