//! `serve`, `passwd` and `users` as programs.
use super::home::{Home, Ran, finish};
use super::terminal::Terminal;
use serde_json::{Value, json};
use sovereign_tests::served::{PASSWORD, Page};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

/// The daemon, until it is told to stop.
pub(super) struct Serving {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Serving {
    pub(super) fn start(home: &Home) -> Self {
        Self::start_with(home, &["--no-model"])
    }

    fn start_with(home: &Home, flags: &[&str]) -> Self {
        let mut command = home.command([&["serve", "--port", "0"], flags].concat());
        command.stderr(Stdio::null());
        Self::spawned(command)
    }

    /// `serve` as this command starts it.
    pub(super) fn spawned(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut lines = stdout.by_ref().lines().map_while(Result::ok);
        let line = lines.find(|line| !line.contains("radio link")).expect("a line");
        let address = line.trim().strip_prefix("The node is at http://").expect("where it is");
        let address = address.trim_end_matches('/').parse().unwrap();
        Self { child, stdout, address }
    }

    /// The next line that it says.
    pub(super) fn says(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    pub(super) fn login(&self, params: Value) -> Result<Page, String> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(Page::login(self.address, params)).map_err(|reply| reply.code())
    }

    /// Ends it as a service manager would; gives its status and the rest of what it said.
    pub(super) fn stop(mut self) -> (i32, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), rest)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // an assertion failed: nobody waits for it any more
        let _ = self.child.kill();
    }
}

pub(super) fn passwd(home: &Home, user: &str, password: &str) -> Ran {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writeln!(writer, "{password}").unwrap();
    drop(writer);
    finish(home.command(["passwd", user, "--stdin"]).stdin(Stdio::from(reader)))
}

#[test]
fn a_first_link_lies_in_a_private_file_that_goes_with_its_use_and_with_the_daemon() {
    let home = Home::new();
    let mut serving = Serving::start(&home);
    let said = serving.says();
    assert!(said.contains("secrets/login-token"), "{said}");
    let file = home.data().join("secrets/login-token");
    let link = std::fs::read_to_string(&file).unwrap();
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
    let (place, token) = link.trim().split_once("#token=").unwrap();
    assert_eq!(place, format!("http://{}/login", serving.address));
    let page = serving.login(json!({ "token": token })).unwrap();
    assert!(!file.exists(), "it is used up");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let chat = json!({ "text": "how much disk space is left?" });
    let answer = runtime.block_on(page.call("assistant.chat", chat)).result();
    assert_eq!(answer["report"]["receipts"][0]["outcome"], "executed");
    let (status, rest) = serving.stop();
    assert_eq!((status, rest.as_str()), (0, ""));
    let history = home.run(["history"]).succeeded().stdout;
    assert!(history.contains("how much disk space"), "one operator, one history: {history}");
    let mut again = Serving::start(&home);
    again.says();
    assert!(file.exists(), "still nobody has a password");
    assert_eq!(again.stop().0, 0);
    assert!(!file.exists());
}

#[test]
fn a_second_program_is_told_that_one_is_running() {
    let home = Home::new();
    let serving = Serving::start(&home);
    for arguments in [&["serve", "--port", "0"][..], &["ask", "disk"], &["grants", "add", "search"]]
    {
        let ran = home.run(arguments);
        assert_eq!(ran.status, 1, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("is running there: use that one"), "{ran:?}");
    }
    home.run(["audit", "verify"]).succeeded();
    assert_eq!(serving.stop().0, 0);
    home.run(["ask", "--no-model", "disk"]).succeeded();
}

#[test]
fn a_password_is_set_while_the_daemon_runs_and_never_shown() {
    let home = Home::new();
    let serving = Serving::start(&home);
    let users = home.run(["users"]).succeeded().stdout;
    let words: Vec<_> = users.split_whitespace().collect();
    assert_eq!(words, ["operator", "operator", "has", "no", "password", "yet"]);
    let short = passwd(&home, "operator", "short");
    assert_eq!(short.status, 1, "{short:?}");
    assert!(short.stderr.contains("at least 10 characters"), "{short:?}");
    let unknown = passwd(&home, "nobody", PASSWORD);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("there is: operator"), "{unknown:?}");
    let set = passwd(&home, "operator", PASSWORD).succeeded();
    assert!(!format!("{set:?}").contains(PASSWORD));
    assert!(home.run(["users"]).succeeded().stdout.contains("has a password"));
    let login = |password: &str| serving.login(json!({ "user": "operator", "password": password }));
    assert_eq!(login("not the password").unwrap_err(), "login_failed");
    assert!(login(PASSWORD).is_ok());
    assert_eq!(serving.stop().0, 0);
    let mut terminal = Terminal::start(&home, ["passwd"]);
    terminal.shows("New password of `operator`: ");
    terminal.types("typed at a terminal\n");
    terminal.shows("Once more: ");
    terminal.types("typed at a terminal\n");
    terminal.shows("is set");
    let (status, screen) = terminal.ends();
    assert_eq!(status, 0, "{screen}");
    assert!(!screen.contains("typed at"), "{screen}");
    let log = home.run(["audit", "tail", "--json"]).succeeded().stdout;
    assert!(log.contains("accounts_changed") && !log.contains("typed at"), "{log}");
    let again = Serving::start(&home);
    let typed = json!({ "user": "operator", "password": "typed at a terminal" });
    assert!(again.login(typed).is_ok());
    assert_eq!(again.stop().0, 0);
}

#[test]
fn lost_accounts_open_no_door_and_a_password_makes_them_anew() {
    let home = Home::new();
    assert_eq!(Serving::start(&home).stop().0, 0);
    passwd(&home, "operator", PASSWORD).succeeded();
    std::fs::remove_dir_all(home.data().join("secrets")).unwrap();
    for arguments in [&["serve", "--port", "0"][..], &["users"], &["passwd", "carol", "--stdin"]] {
        let ran = home.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("`sovereign-node passwd` makes it anew"), "{ran:?}");
    }
    passwd(&home, "operator", "another good one").succeeded();
    let serving = Serving::start(&home);
    let login = |password: &str| serving.login(json!({ "user": "operator", "password": password }));
    assert_eq!(login(PASSWORD).unwrap_err(), "login_failed");
    assert!(login("another good one").is_ok());
    assert_eq!(serving.stop(), (0, String::new()), "no link was given");
    home.run(["reset", "--yes"]).succeeded();
    assert_eq!(Serving::start(&home).stop().0, 0, "a reset is no loss");
}

#[test]
fn serving_beyond_loopback_needs_to_be_said() {
    let home = Home::new();
    for (arguments, status, what) in [
        (&["--port", "0", "--listen", "192.0.2.1"][..], 2, "no loopback address"),
        (&["--port", "0", "--listen", "0.0.0.0"], 2, "no loopback address"),
        (
            &["--port", "0", "--listen", "::", "--allow-unencrypted-network"],
            1,
            "`::` cannot be listened at",
        ),
        (
            &["--port", "0", "--listen", "192.0.2.1", "--allow-unencrypted-network"],
            1,
            "cannot listen at",
        ),
        (&["--port", "80"], 1, "port 80 cannot be used"),
    ] {
        let ran = home.run([&["serve"], arguments].concat());
        assert_eq!(ran.status, status, "{ran:?}");
        assert!(ran.stderr.contains(what) && ran.stdout.is_empty(), "{ran:?}");
    }
}

#[test]
fn a_port_that_somebody_else_has_under_one_of_its_names_is_not_shared() {
    let home = Home::new();
    for taken in ["127.0.0.1:0", "[::1]:0"] {
        // a machine without IPv6 has nobody there
        let Ok(other) = std::net::TcpListener::bind(taken) else { continue };
        let port = other.local_addr().unwrap().port().to_string();
        let ran = home.run(["serve", "--port", &port]);
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.stderr.contains("cannot listen at"), "{ran:?}");
    }
}

/// Three turns of one session lose the time; the next session of another browser does not.
#[test]
fn a_leg_that_one_conversation_found_silent_is_left_alone_in_all_of_them() {
    let home = Home::new();
    let serving = Serving::start_with(&home, &["--ollama-url", "http://127.0.0.1:9"]);
    passwd(&home, "operator", PASSWORD).succeeded();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let call = |page: &Page, method: &str, params: Value| {
        runtime.block_on(page.call(method, params)).result()
    };
    let login = || serving.login(json!({ "user": "operator", "password": PASSWORD })).unwrap();
    let ollama = |page: &Page| call(page, "assistant.backends", json!({}))["legs"][0].clone();
    let skipped = |page: &Page| {
        let answer = call(page, "assistant.chat", json!({ "text": "how much space is left?" }));
        assert_eq!(answer["report"]["receipts"][0]["outcome"], "executed", "{answer}");
        answer["report"]["backend"]["skipped"][0]["reason"].as_str().unwrap().to_owned()
    };
    let first = login();
    for _ in 0..3 {
        let reason = skipped(&first);
        assert!(!reason.contains("it is not asked"), "{reason}");
    }
    let other = login();
    let reason = skipped(&other);
    assert!(reason.contains("it is not asked for another "), "{reason}");
    let leg = ollama(&other);
    let words = ["id", "state", "circuit"].map(|key| leg[key].as_str().unwrap_or("-"));
    assert_eq!(words, ["ollama", "not_ready", "open"], "{leg}");
    assert!(leg["reason"].as_str().unwrap().contains("it is not asked for another "), "{leg}");
    assert_eq!(serving.stop().0, 0);
}
