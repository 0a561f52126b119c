use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, Read as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More than a terminal hands over as one line (4096 bytes, the buffer of Linux's line discipline).
const MAX_LINE: usize = 64 << 10;

/// The terminal that controls this process: where a person is asked, whatever standard input and
/// output are connected to.
#[derive(Debug)]
pub(crate) struct Tty {
    input: Arc<Mutex<Input>>,
    /// An open file of its own: it waits, where reading must not.
    output: File,
}

#[derive(Debug)]
struct Input {
    file: File,
    /// What was read and not taken yet; stays when a read is given up.
    line: Vec<u8>,
    ended: bool,
}

impl Tty {
    /// `None`: there is no terminal, or this process is not in its foreground and nobody looks at it.
    pub(crate) fn open() -> Option<Self> {
        let open = |flags| {
            let flags = flags | OFlags::NOCTTY | OFlags::CLOEXEC;
            rustix::fs::open("/dev/tty", flags, Mode::empty()).map(File::from)
        };
        let file = open(OFlags::RDONLY | OFlags::NONBLOCK).ok()?;
        // a foreground group in an outer namespace has no number here: nothing says that it is not us
        let foreground = rustix::termios::tcgetpgrp(&file);
        if foreground.is_ok_and(|group| group != rustix::process::getpgrp()) {
            return None;
        }
        let output = open(OFlags::WRONLY).ok()?;
        let input = Input { file, line: Vec::new(), ended: false };
        Some(Self { input: Arc::new(Mutex::new(input)), output })
    }

    /// Forgets what was typed and not taken yet, whole lines and the begun one.
    pub(crate) fn discard_typed(&mut self) -> io::Result<()> {
        let mut input = lock(&self.input);
        input.line.clear();
        rustix::termios::tcflush(&input.file, QueueSelector::IFlush)?;
        Ok(())
    }

    pub(crate) fn write(&mut self, text: &str) -> io::Result<()> {
        self.output.write_all(text.as_bytes())
    }

    /// The next line with its line end; without one when the input ended in it; `None` at the end of
    /// input. Safe to cancel: what was read stays for the next call. Needs a runtime around it.
    pub(crate) async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        // when this future is dropped, `_wanted` goes and the reading ends
        let (given_up, _wanted) = io::pipe()?;
        let input = Arc::clone(&self.input);
        let read = tokio::task::spawn_blocking(move || lock(&input).read_line(&given_up));
        read.await.map_err(io::Error::other)??;
        let mut input = lock(&self.input);
        let line = std::mem::take(&mut input.line);
        let ended = std::mem::take(&mut input.ended);
        Ok((!ended || !line.is_empty()).then_some(line))
    }

    /// Asks for a line of which nothing is shown while it is typed; what was typed before the question is
    /// forgotten. Safe to cancel: the terminal shows what is typed again when this future ends or is
    /// dropped.
    pub(crate) async fn hidden_line(&mut self, question: &str) -> io::Result<Option<Vec<u8>>> {
        // before the question is there to be answered
        let _hidden = Hidden::on(self.output.try_clone()?)?;
        self.discard_typed()?;
        self.write(question)?;
        let line = self.line().await;
        // the line end that was typed was not shown either
        self.write("\n")?;
        line
    }
}

/// A terminal that does not show what is typed, for as long as this lives.
struct Hidden {
    tty: File,
    before: Termios,
}

impl Hidden {
    fn on(tty: File) -> io::Result<Self> {
        let before = tcgetattr(&tty)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
        tcsetattr(&tty, OptionalActions::Now, &hidden)?;
        Ok(Self { tty, before })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // when even this fails, the terminal is gone
        let _ = tcsetattr(&self.tty, OptionalActions::Now, &self.before);
    }
}

fn lock(input: &Mutex<Input>) -> MutexGuard<'_, Input> {
    input.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Input {
    /// Reads on until a whole line is there, the input ends, or nobody wants it any longer.
    fn read_line(&mut self, given_up: &PipeReader) -> io::Result<()> {
        while !self.line.ends_with(b"\n") && self.line.len() <= MAX_LINE {
            let mut ready =
                [PollFd::new(&self.file, PollFlags::IN), PollFd::new(given_up, PollFlags::IN)];
            match poll(&mut ready, None) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                polled => polled?,
            };
            let [_, unwanted] = ready;
            if !unwanted.revents().is_empty() {
                return Ok(());
            }
            let mut bytes = [0; 4096];
            match self.file.read(&mut bytes) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(());
                }
                Ok(n) => self.line.extend(bytes.iter().take(n)),
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
