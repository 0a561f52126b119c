//! A person at a terminal: the program on a pseudo-terminal of its own, which controls it.
use super::home::Home;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// Long enough for a busy machine; nothing waits for its end unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Terminal {
    keyboard: File,
    screen: Arc<Screen>,
    child: Child,
    /// How much of the screen was looked at.
    seen: usize,
}

#[derive(Default)]
struct Screen {
    shown: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
}

impl Terminal {
    /// Starts the program at the terminal.
    pub(super) fn start<S: AsRef<OsStr>>(
        home: &Home,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::start_under(home, &[], arguments)
    }

    /// Starts the program as a job in the background of a shell at the terminal.
    pub(super) fn start_in_background<S: AsRef<OsStr>>(
        home: &Home,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let shell = ["sh", "-c", "set -m; \"$0\" \"$@\" & wait $!"];
        Self::start_under(home, &shell, arguments)
    }

    /// Starts the program under a shell at the terminal; `script` runs it as `"$0" "$@"`.
    pub(super) fn start_in_shell<S: AsRef<OsStr>>(
        home: &Home,
        script: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Self::start_under(home, &["sh", "-c", script], arguments)
    }

    fn start_under<S: AsRef<OsStr>>(
        home: &Home,
        wrapper: &[&str],
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).expect("grantpt");
        unlockpt(&master).expect("unlockpt");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let path = std::path::Path::new(OsStr::from_bytes(name.as_bytes()));
        let slave = File::options().read(true).write(true).open(path).expect("its other end");
        let end = || Stdio::from(slave.try_clone().expect("a file descriptor"));
        let mut command = home.wrapped(&[&["--ctty", "--wait"], wrapper].concat());
        command.args(arguments).stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().expect("`setsid` of util-linux and the program");
        let keyboard = File::from(master);
        let mut output = keyboard.try_clone().expect("a file descriptor");
        let screen = Arc::new(Screen::default());
        let shown = Arc::clone(&screen);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // the end of the program is an error here
            while let Ok(n @ 1..) = output.read(&mut bytes) {
                shown.shown.lock().unwrap().0.extend(&bytes[..n]);
                shown.changed.notify_all();
            }
            shown.shown.lock().unwrap().1 = true;
            shown.changed.notify_all();
        });
        Self { keyboard, screen, child, seen: 0 }
    }

    /// Types exactly this.
    pub(super) fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).expect("a terminal that takes keys");
    }

    /// Waits until `text` is shown behind what was looked at; gives everything up to its end.
    #[track_caller]
    pub(super) fn shows(&mut self, text: &str) -> String {
        let found = |shown: &Vec<u8>| {
            let rest = &shown[self.seen..];
            rest.windows(text.len()).position(|w| w == text.as_bytes()).map(|at| at + text.len())
        };
        let shown = self.screen.shown.lock().unwrap();
        let waiting = |(shown, over): &mut (Vec<u8>, bool)| !*over && found(shown).is_none();
        let (shown, _) = self.screen.changed.wait_timeout_while(shown, PATIENCE, waiting).unwrap();
        let Some(end) = found(&shown.0) else {
            panic!("`{text}` is not shown behind byte {}:\n{}", self.seen, lossy(&shown.0));
        };
        let piece = lossy(&shown.0[self.seen..self.seen + end]);
        drop(shown);
        self.seen += end;
        piece
    }

    /// Sends a signal to the program.
    pub(super) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.expect("a pid"), signal).expect("a living program");
    }

    /// Waits for the end of the program; its status, and everything that was ever shown.
    pub(super) fn ends(mut self) -> (i32, String) {
        let shown = self.screen.shown.lock().unwrap();
        let going_on = |(_, over): &mut (Vec<u8>, bool)| !*over;
        let (shown, _) = self.screen.changed.wait_timeout_while(shown, PATIENCE, going_on).unwrap();
        let (text, over) = (lossy(&shown.0), shown.1);
        drop(shown);
        assert!(over, "the program goes on:\n{text}");
        (self.child.wait().expect("an end").code().expect("an exit status"), text)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // a test that failed leaves no program behind
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
