//! Another program, run for one call: in a process group of its own, and killed with it.

use super::Failure;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::future::pending;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;

/// A program with its arguments, for [`Call::command`](super::Call::command).
///
/// It starts with an empty environment, in `/`, and with nothing on its standard input, unless said
/// otherwise; no shell reads the arguments. **Units** output limits are bytes, 64 KiB for each of
/// the two outputs by default; what is beyond is read and thrown away, and `truncated` says so.
///
/// What this does not limit: memory, processor time, files and network of the program, which runs
/// with the rights of the node; and a program that leaves its process group (`setsid`) is not killed.
///
/// # Example
/// ```
/// use sovereign_core::capability::Command;
/// let uptime = Command::new("/usr/bin/uptime").argument("-p").max_output(1 << 10);
/// ```
#[derive(Debug, Clone)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
    input: Vec<u8>,
    max_output: usize,
}

/// How a program ended, and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exited {
    /// Its exit status; `None`: a signal ended it.
    pub status: Option<i32>,
    /// Its standard output, as far as the limit goes.
    pub stdout: Vec<u8>,
    /// Its standard error, as far as the limit goes.
    pub stderr: Vec<u8>,
    /// Whether either of them went on beyond the limit.
    pub truncated: bool,
}

impl Command {
    /// The program by its absolute path: no search path decides which one runs.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: PathBuf::from("/"),
            input: Vec::new(),
            max_output: 64 << 10,
        }
    }

    /// One more argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// One more variable in its otherwise empty environment.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Where it runs.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// What it reads on its standard input.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// How many bytes of each output are kept.
    #[must_use]
    pub const fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }

    pub(super) async fn run(self) -> Result<Exited, Failure> {
        let mut child = self.start()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // declared after the child, so dropped before it: a group is killed while its leader still
        // holds its number
        let group = Group::of(&child);
        let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = (stdin, stdout, stderr) else {
            return Err(Failure::new("program_lost"));
        };
        let (mut out, mut err) = (Kept::new(self.max_output), Kept::new(self.max_output));
        let pumps = async {
            let feed = async {
                // it may not care for its input
                let _closed = stdin.write_all(&self.input).await;
                drop(stdin);
            };
            tokio::join!(feed, out.all(&mut stdout), err.all(&mut stderr));
            pending::<()>().await;
        };
        let status = tokio::select! {
            status = child.wait() => status.map_err(|e| Failure::new("program_lost").detail(e))?,
            () = pumps => return Err(Failure::new("program_lost")),
        };
        // what it left behind may hold the pipes open for ever: nobody waits for their end
        drop(group);
        out.rest(&stdout);
        err.rest(&stderr);
        let truncated = out.truncated || err.truncated;
        Ok(Exited { status: status.code(), stdout: out.bytes, stderr: err.bytes, truncated })
    }

    fn start(&self) -> Result<Child, Failure> {
        if !self.program.is_absolute() {
            return Err(Failure::new("program_not_absolute").before_effect());
        }
        let mut command = tokio::process::Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(self.environment.iter().cloned());
        command.current_dir(&self.directory).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|e| Failure::new("not_started").before_effect().detail(e))
    }
}

/// Kills a process group when it is dropped.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // none is left: the usual case
            let _gone = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// The first bytes of an output.
struct Kept {
    bytes: Vec<u8>,
    left: usize,
    truncated: bool,
}

impl Kept {
    const fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), left: limit, truncated: false }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let (kept, beyond) = bytes.split_at(bytes.len().min(self.left));
        self.bytes.extend_from_slice(kept);
        self.left = self.left.saturating_sub(kept.len());
        self.truncated |= !beyond.is_empty();
    }

    /// Until the other side closes it.
    async fn all(&mut self, pipe: &mut (impl AsyncRead + Unpin)) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            self.keep(buffer.get(..read).unwrap_or_default());
        }
    }

    /// What is in the pipe by now; it does not block, and does not wait for more.
    fn rest(&mut self, pipe: &impl AsFd) {
        let mut buffer = [0; 4096];
        while !self.truncated
            && let Ok(read @ 1..) = rustix::io::read(pipe, &mut buffer)
        {
            self.keep(buffer.get(..read).unwrap_or_default());
        }
    }
}
