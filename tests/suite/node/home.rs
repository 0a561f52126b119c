//! A data directory of its own for each test, and the program run in it.
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where cargo put the program: beside the directory of this test's own executable.
fn program() -> PathBuf {
    let this = std::env::current_exe().expect("the path of this test");
    let program = this.ancestors().nth(2).expect("the directory above").join("sovereign-node");
    let build = "`cargo build -p sovereign-node --all-features`, or run all tests with `tests/run`";
    assert!(program.is_file(), "`{}` is missing: run {build}", program.display());
    program
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) status: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Ran {
    /// Standard output as the one JSON document that it has to be.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The receipts of `ask --json` as `capability outcome code`.
    pub(super) fn receipts(&self) -> Vec<String> {
        let json = self.json();
        let receipts = json["receipts"].as_array().expect("receipts");
        let word = |receipt: &Value, key: &str| receipt[key].as_str().unwrap_or("-").to_owned();
        let line = |r| ["capability", "outcome", "code"].map(|key| word(r, key)).join(" ");
        receipts.iter().map(line).collect()
    }

    #[track_caller]
    pub(super) fn succeeded(self) -> Self {
        assert_eq!(self.status, 0, "{self:?}");
        self
    }
}

pub(super) struct Home {
    root: tempfile::TempDir,
}

impl Home {
    /// The data directory does not exist yet.
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let closed = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(root.path(), closed).expect("permissions");
        Self { root }
    }

    /// A fresh one in which `web.fetch` is granted and on.
    pub(super) fn with_web() -> Self {
        let home = Self::new();
        home.run(["policy", "enable", "web.fetch"]).succeeded();
        home.run(["grants", "add", "search"]).succeeded();
        home
    }

    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.data().join(name)).expect("a file of the data directory")
    }

    /// Puts `text` in place of a file, as an operator's editor would.
    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.data().join(name);
        std::fs::write(&path, text).expect("a file of the data directory");
        let closed = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, closed).expect("permissions");
    }

    /// The program with these arguments, in this home and nothing else of the environment. In a
    /// session of its own, so that it has no terminal even when the tests are run at one.
    pub(super) fn command<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.wrapped(&["--wait"]);
        command.args(arguments).stdin(Stdio::null());
        command
    }

    /// `setsid` of util-linux with these options around the program.
    pub(super) fn wrapped(&self, options: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command.args(options).arg(program()).arg("--data-dir").arg(self.data());
        command.env_clear().env("HOME", self.root()).env("TERM", "dumb");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(super) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ran {
        finish(&mut self.command(arguments))
    }
}

/// Runs a command to its end.
pub(super) fn finish(command: &mut Command) -> Ran {
    let output = command.output().expect("`setsid` of util-linux and the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        status: output.status.code().expect("an exit status"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A `chat` that holds the data directory until it is told to end.
pub(super) struct Talking {
    child: std::process::Child,
    input: Option<std::process::ChildStdin>,
    /// Open, so that what it says has a place to go.
    _output: std::io::BufReader<std::process::ChildStdout>,
}

/// Starts one, and returns when it holds the log.
pub(super) fn talking(home: &Home) -> Talking {
    talking_with(home, &["chat", "--no-model"])
}

/// The same with these arguments.
pub(super) fn talking_with(home: &Home, arguments: &[&str]) -> Talking {
    let mut chat = home.command(arguments);
    let mut child = chat.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
    let mut input = child.stdin.take().expect("its input");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("its output"));
    std::io::Write::write_all(&mut input, b"/help\n").expect("an input that takes it");
    std::io::BufRead::read_line(&mut output, &mut String::new()).expect("an answer");
    Talking { child, input: Some(input), _output: output }
}

impl Talking {
    /// Of the program; `setsid --wait` around it has it as its only child.
    pub(super) fn pid(&self) -> String {
        let around = self.child.id();
        let path = format!("/proc/{around}/task/{around}/children");
        let children = std::fs::read_to_string(path).expect("its children");
        match children.trim() {
            // a session leader needs no fork
            "" => around.to_string(),
            child => child.to_owned(),
        }
    }

    /// Ends its input, and waits for its end.
    #[track_caller]
    pub(super) fn ends(&mut self) {
        drop(self.input.take());
        assert!(self.child.wait().expect("an end").success());
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        // a test that failed leaves no program behind
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
