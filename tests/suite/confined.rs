//! Local capabilities on threads that the kernel holds to a filter: what they try, and what still works.
use crate::gate::{pass_deadline, until};
use crate::gate_commands::{dies, shell, text};
use crate::ground::{Ground, confined};
use sovereign_core::BoxFuture;
use sovereign_core::audit::{CallRecord, Mark, OutcomeKind};
use sovereign_core::capability::{Command, Outbound, Reach, Request, Response};
use sovereign_core::executor::{Outcome, Proposal};
use sovereign_core::prelude::*;
use sovereign_core::testing::{Harness, Replies};
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::sync::Notify;

type Attempt = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// What the next call tries, and where it writes what came of it.
#[derive(Default)]
struct Cell {
    attempt: Mutex<Option<Attempt>>,
    command: Mutex<Option<Command>>,
    came_to: Mutex<Option<io::Result<()>>>,
    said: Mutex<String>,
    started: Notify,
}

impl Cell {
    fn try_it(&self) {
        let attempt = self.attempt.lock().unwrap().take().expect("an attempt");
        *self.came_to.lock().unwrap() = Some(attempt());
    }
}

/// Tries where it runs.
#[capability(name = "cell.try", side_effect = read_only, network = local, category = system)]
struct Try {}

impl Run for Try {
    type State = Cell;
    type Output = bool;
    async fn run(self, call: Call<'_, Self>) -> Result<bool, Failure> {
        call.state().try_it();
        Ok(true)
    }
}

/// Tries on the pool.
#[capability(name = "cell.try_blocking", side_effect = read_only, network = local, category = system)]
struct TryBlocking {}

impl Run for TryBlocking {
    type State = Cell;
    type Output = bool;
    async fn run(self, call: Call<'_, Self>) -> Result<bool, Failure> {
        call.blocking(Cell::try_it).await?;
        Ok(true)
    }
}

/// Tries in a task, and there on a pool, of the runtime that it finds itself on.
#[capability(name = "cell.try_task", side_effect = read_only, network = local, category = system)]
struct TryTask {}

impl Run for TryTask {
    type State = Cell;
    type Output = bool;
    async fn run(self, call: Call<'_, Self>) -> Result<bool, Failure> {
        let attempt = call.state().attempt.lock().unwrap().take().expect("an attempt");
        let task = tokio::spawn(async { tokio::task::spawn_blocking(attempt).await });
        *call.state().came_to.lock().unwrap() = Some(task.await.unwrap().unwrap());
        Ok(true)
    }
}

/// Tries, and may leave the device.
#[capability(name = "cell.try_external", side_effect = read_only, network = external, category = search)]
struct TryExternal {}

impl Run for TryExternal {
    type State = Cell;
    type Output = bool;
    async fn run(self, call: Call<'_, Self>) -> Result<bool, Failure> {
        call.state().try_it();
        Ok(true)
    }
}

/// Runs a program.
#[capability(name = "cell.command", side_effect = mutating, network = local, category = notes)]
struct RunProgram {}

impl Run for RunProgram {
    type State = Cell;
    type Output = Changed<bool>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<bool>, Failure> {
        let command = call.state().command.lock().unwrap().take().expect("a program");
        let exited = call.command(command).await?;
        *call.state().said.lock().unwrap() = text(&exited.stdout) + &text(&exited.stderr);
        Ok(Changed::yes(exited.status == Some(0)))
    }
}

/// Blocks its thread where it should wait.
#[capability(name = "cell.stuck", side_effect = mutating, network = local, category = notes, timeout = "5s")]
struct Stuck {}

impl Run for Stuck {
    type State = Cell;
    type Output = Changed<bool>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<bool>, Failure> {
        call.state().started.notify_one();
        call.state().try_it();
        std::future::pending::<()>().await;
        Ok(Changed::yes(true))
    }
}

static CELL: Plugin<Cell> = Plugin::new(
    "cell",
    &[
        Try::ENTRY,
        TryBlocking::ENTRY,
        TryTask::ENTRY,
        TryExternal::ENTRY,
        RunProgram::ENTRY,
        Stuck::ENTRY,
    ],
);

fn cell(build: Ground) -> (Harness, Arc<Cell>) {
    let cell = Arc::<Cell>::default();
    let out = Arc::new(Replies::reaching(Reach::public()));
    let harness = Harness::install_reaching(&CELL, Arc::clone(&cell), out);
    (harness.build_with(build), cell)
}

fn propose(name: &str) -> Proposal {
    Proposal::new(name, 1, b"{}")
}

async fn attempt(name: &str, build: Ground, attempt: Attempt) -> io::Result<()> {
    let (lab, cell) = cell(build);
    *cell.attempt.lock().unwrap() = Some(attempt);
    let outcome = lab.propose(propose(name)).approved().await;
    assert_eq!(outcome.kind(), OutcomeKind::Executed, "{name}: {:?}", outcome.code());
    let came_to = cell.came_to.lock().unwrap().take();
    came_to.expect("it was tried")
}

/// Where the attempts go: a listener of each kind on this device.
struct Yard {
    tcp: TcpListener,
    udp: UdpSocket,
    unix: PathBuf,
    _listener: UnixListener,
    _home: tempfile::TempDir,
}

impl Yard {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let unix = home.path().join("socket");
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _listener: UnixListener::bind(&unix).unwrap(),
            unix,
            _home: home,
        }
    }

    /// What a capability could try. Each is a way of its own through the kernel.
    fn attempts(&self) -> Vec<(&'static str, Attempt)> {
        let tcp = self.tcp.local_addr().unwrap();
        let udp = self.udp.local_addr().unwrap();
        let shared = self.udp.try_clone().unwrap();
        let unix = self.unix.clone();
        vec![
            ("a connection over TCP", Box::new(move || TcpStream::connect(tcp).map(drop))),
            ("a listener", Box::new(|| TcpListener::bind("127.0.0.1:0").map(drop))),
            ("a socket for UDP", Box::new(|| UdpSocket::bind("[::1]:0").map(drop))),
            (
                "an address for a shared socket",
                Box::new(move || shared.send_to(b"x", udp).map(drop)),
            ),
            ("a local socket", Box::new(move || UnixStream::connect(unix).map(drop))),
            ("a pair of sockets", Box::new(|| UnixDatagram::pair().map(drop))),
            ("a program", Box::new(|| std::process::Command::new("/bin/true").status().map(drop))),
        ]
    }
}

#[tokio::test]
async fn a_confined_capability_opens_no_socket_and_starts_no_program_however_it_tries() {
    for name in ["cell.try", "cell.try_blocking", "cell.try_task"] {
        let yard = Yard::new();
        for (what, tries) in yard.attempts() {
            let refused = attempt(name, confined, tries).await.expect_err(what);
            assert_eq!(refused.raw_os_error(), Some(1), "{name}, {what}: {refused}");
        }
    }
}

#[tokio::test]
async fn the_same_capability_does_all_of_it_without_confinement() {
    for name in ["cell.try", "cell.try_blocking", "cell.try_task"] {
        let yard = Yard::new();
        for (what, tries) in yard.attempts() {
            attempt(name, |builder| builder, tries).await.unwrap_or_else(|e| panic!("{what}: {e}"));
        }
    }
}

#[tokio::test]
async fn what_may_leave_the_device_is_not_confined() {
    let yard = Yard::new();
    for (what, tries) in yard.attempts() {
        let came_to = attempt("cell.try_external", confined, tries).await;
        came_to.unwrap_or_else(|e| panic!("{what}: {e}"));
    }
}

#[tokio::test]
async fn a_confined_capability_still_has_threads_files_and_time() {
    let within = Box::new(|| {
        let status = std::thread::spawn(|| std::fs::read_to_string("/proc/thread-self/status"));
        let status = status.join().expect("a thread ends")?;
        let filtered = status.lines().any(|line| line.replace('\t', " ") == "Seccomp: 2");
        filtered.then_some(()).ok_or_else(|| io::Error::other(status))
    });
    attempt("cell.try", confined, within).await.expect("the filter goes over to its threads");
}

#[tokio::test]
async fn a_program_of_a_confined_capability_runs_with_the_filter_and_is_killed_with_its_group() {
    let (lab, cell) = cell(confined);
    let script = "grep Seccomp: /proc/self/status; grep NoNewPrivs /proc/self/status";
    *cell.command.lock().unwrap() = Some(shell(script));
    let outcome = lab.propose(propose("cell.command")).approved().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Executed, None));
    assert_eq!(cell.said.lock().unwrap().replace('\t', " "), "Seccomp: 2\nNoNewPrivs: 1\n");
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("pid");
    let script = format!("echo $$ > {0}.part; mv {0}.part {0}; exec sleep 1000", file.display());
    *cell.command.lock().unwrap() = Some(shell(&script));
    let call = lab.propose(propose("cell.command")).approved().into_future();
    tokio::select! {
        () = until("it runs", || file.exists()) => {}
        outcome = call => panic!("it runs on: {outcome:?}"),
    }
    dies(std::fs::read_to_string(&file).unwrap().trim()).await;
}

/// Reads from a service on this device.
#[capability(name = "post.read", side_effect = read_only, network = local(loopback), category = system)]
struct ReadPost {
    /// Where it is.
    #[arg(length(max = 100))]
    url: String,
}

impl Run for ReadPost {
    type State = ();
    type Output = String;
    async fn run(self, call: Call<'_, Self>) -> Result<String, Failure> {
        let direct = UdpSocket::bind("127.0.0.1:0").is_ok();
        let response = call.loopback().get(&self.url).await?;
        Ok(format!("{} {direct}", text(&response.body)))
    }
}

static POST: Plugin<()> = Plugin::new("post", &[ReadPost::ENTRY]);

/// A way out that really opens a connection.
struct Wire;

impl Outbound for Wire {
    fn reach(&self) -> Reach {
        Reach::loopback()
    }

    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, Failure>> {
        Box::pin(async move {
            use std::io::Read as _;
            let mut body = Vec::new();
            let mut stream = TcpStream::connect(&request.url)
                .map_err(|e| Failure::new("unreachable").detail(e))?;
            stream.read_to_end(&mut body).map_err(|e| Failure::new("unreachable").detail(e))?;
            Ok(Response::new(200, body))
        })
    }
}

async fn read_post(build: Ground) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        use std::io::Write as _;
        listener.accept().unwrap().0.write_all(b"mail").unwrap();
    });
    let lab = Harness::install_reaching(&POST, Arc::default(), Arc::new(Wire)).build_with(build);
    let outcome = lab.call::<ReadPost>(format!(r#"{{"url":"{url}"}}"#)).await;
    served.join().unwrap();
    outcome
}

#[tokio::test]
async fn loopback_works_through_the_runtime_outside_though_no_socket_can_be_opened() {
    assert_eq!(read_post(confined).await.result(), Some(r#""mail false""#));
    assert_eq!(read_post(|builder| builder).await.result(), Some(r#""mail true""#));
}

#[tokio::test]
async fn confined_work_that_blocks_its_thread_ends_at_its_deadline_and_its_return_is_recorded() {
    let (lab, cell) = cell(confined);
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    *cell.attempt.lock().unwrap() = Some(Box::new(move || {
        gate.lock().unwrap_or_else(PoisonError::into_inner).recv().map_err(io::Error::other)
    }));
    let late = |r: &CallRecord| r.mark == Mark::LateCompletion;
    let passes = async {
        pass_deadline(&lab, &cell.started).await;
        // and the moment that it has to go away
        until("it is given up", || {
            lab.clock.advance(std::time::Duration::from_secs(1));
            !lab.audit.ends().is_empty()
        })
        .await;
    };
    let call = lab.propose(propose("cell.stuck")).approved().into_future();
    let (outcome, ()) = tokio::join!(call, passes);
    let ended = (outcome.kind(), outcome.code());
    assert_eq!(ended, (OutcomeKind::UnknownEffect, Some("still_running")));
    assert!(!lab.audit.calls().iter().any(late), "it has not come back yet");
    open.send(()).unwrap();
    until("it comes back", || lab.audit.calls().iter().any(late)).await;
    assert_eq!(lab.audit.ends(), [OutcomeKind::UnknownEffect]);
}
