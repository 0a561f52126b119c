//! `serve` with `[mesh]`, as a link process meets it.
use super::home::Home;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};

const CONFIG: &str = "\
[mesh]
enabled = true
denied_askers = [\"!e4e\"]
[mesh.allowed_contacts]
\"!a11ce\" = [\"system\"]
\"!e4e\" = [\"system\"]
";

/// A daemon, and its standard output: without a reader it would end.
struct Serving(Child, Box<dyn std::io::BufRead>);

/// The daemon, once it hears peers.
fn serving(home: &Home) -> Serving {
    let mut serve = home.command(["serve", "--port", "0", "--no-model"]);
    let mut child = serve.stdout(Stdio::piped()).spawn().expect("the daemon");
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let heard =
        output.by_ref().lines().map_while(Result::ok).any(|line| line.contains("radio link"));
    assert!(heard, "it ended: {:?}", child.wait());
    Serving(child, Box::new(output))
}

fn ask(home: &Home, peer: &str, text: &str) -> Value {
    let mut link = UnixStream::connect(home.data().join("mesh.sock")).expect("the socket");
    writeln!(link, "{}", json!({"peer": peer, "text": text})).expect("a line");
    let mut answer = String::new();
    BufReader::new(link).read_line(&mut answer).expect("an answer");
    serde_json::from_str(&answer).expect("one object")
}

fn stop(Serving(mut child, _output): Serving) {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    assert!(child.wait().expect("its end").success());
}

#[test]
fn peer_gets_what_grants_and_contact_allow_from_the_daemon() {
    let home = Home::new();
    home.run(["grants", "list"]).succeeded();
    home.write("config.toml", CONFIG);
    let child = serving(&home);
    let question = "how much space is left on the disk?";
    // mesh callers are granted nothing on a fresh install
    let answer = ask(&home, "!a11ce", question);
    assert!(answer["text"].as_str().unwrap().starts_with("[nothing ran] "), "{answer}");
    assert_eq!(ask(&home, "!e4e", question)["code"], "not_admitted");
    assert_eq!(ask(&home, "!b0b", question)["code"], "not_admitted");
    stop(child);
    assert!(!home.data().join("mesh.sock").exists());

    home.run(["grants", "add", "system", "--scope", "mesh"]).succeeded();
    let child = serving(&home);
    let answer = ask(&home, "!a11ce", question);
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with("[ran system.disk_status] ") && text.contains("bytes"), "{answer}");
    stop(child);
    let tail = home.run(["audit", "tail", "--json", "-n", "9"]).succeeded().stdout;
    assert!(tail.contains("\"caller\":\"mesh\""), "{tail}");
    // nobody's id is in the log, in a file's name or on standard error
    let found = home.run(["audit", "tail", "--json", "-n", "99"]).succeeded();
    assert!(!format!("{found:?}").contains("a11ce"));
    let names: Vec<_> = std::fs::read_dir(home.data().join("history")).unwrap().collect();
    assert_eq!(names.len(), 1);
    assert!(!format!("{names:?}").contains("a11ce"));
}

#[test]
fn daemon_does_not_start_where_something_else_stands_in_the_sockets_place() {
    let home = Home::new();
    home.run(["grants", "list"]).succeeded();
    home.write("config.toml", CONFIG);
    home.write("mesh.sock", "mine");
    let ran = home.run(["serve", "--port", "0", "--no-model"]);
    assert!(ran.status == 1 && ran.stderr.contains("is no socket of this user"), "{ran:?}");
    assert_eq!(home.read("mesh.sock"), "mine");
}

#[test]
fn doctor_says_who_may_ask_and_that_nobody_may() {
    let home = Home::new();
    home.run(["grants", "list"]).succeeded();
    home.write("config.toml", CONFIG);
    let text = home.run(["doctor"]).succeeded().stdout;
    assert!(text.contains("ok    mesh: 1 may ask by name; they hold at most nothing\n"), "{text}");
    home.write("config.toml", "[mesh]\nenabled = true\n");
    let text = home.run(["doctor"]).succeeded().stdout;
    assert!(text.contains("warn  mesh: it is enabled, and nobody may ask\n"), "{text}");
}
