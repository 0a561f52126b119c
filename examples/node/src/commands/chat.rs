use super::exchange::{Ended, MAX_MESSAGE, Words, exchange, told_missing, told_stopped};
use super::{backends, history, tools};
use crate::assemble::{Memory, Node, Presence};
use crate::cli::Scope;
use crate::exit::{Exit, NodeError};
use crate::signals::{Signal, Signals};
use crate::terminal::{Style, Tty, answered_by, note, print, receipts, sources};
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

const HELP: &str = "\
/help      this text
/tools     what the model may propose, and what is hidden from it
/backends  who is asked, in which order, and who is left alone for now
/past      what is remembered of your conversations here
/clear     forgets all of it
/quit      ends (so do Ctrl-D and, when nothing runs, Ctrl-C)
Everything else is a message to the model. Nothing you write here decides anything: decisions are
asked for, one by one, when something needs one. Ctrl-C stops an answer.
";

/// Question after question, until the end of input.
pub(crate) async fn chat(node: &Node, memory: Memory) -> Result<Exit, NodeError> {
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let mut tty = Tty::open();
    let mut input = Input::of_stdin(tty.is_some());
    let conversation = node.conversation(memory, Presence::of(tty.as_ref()))?;
    let style = Style::of_stdout();
    if input == Input::Terminal {
        let version = env!("CARGO_PKG_VERSION");
        let only = if node.is_read_only() { " (read-only)" } else { "" };
        out(&format!("sovereign-node {version}{only}. /help says what can be typed.\n"))?;
    }
    loop {
        let line = tokio::select! {
            biased;
            signal = signals.next() => {
                out("\n")?;
                return Ok(Exit::Stopped(signal));
            }
            line = input.next(tty.as_mut()) => line?,
        };
        let Some(line) = line else {
            if input == Input::Terminal {
                out("\n")?;
            }
            return Ok(Exit::Answered);
        };
        let message = line.trim();
        match message {
            "" => continue,
            "/quit" => return Ok(Exit::Answered),
            "/help" => out(HELP)?,
            "/tools" => out(&tools::shown(&node.executor, &Scope::Operator.caller(), style))?,
            "/backends" => out(&backends::of_node(node, style).await)?,
            "/past" => out(&history::shown(&conversation.history().transcript(), style))?,
            "/clear" => match conversation.history().clear() {
                Ok(()) => out("Nothing is remembered any more.\n")?,
                Err(error) => NodeError::from(error).note(),
            },
            command if command.starts_with('/') => out("No such command; /help lists them.\n")?,
            long if long.len() > MAX_MESSAGE => note("that message is too long; it was not sent"),
            message => {
                let turn = match conversation.say(message) {
                    Ok(turn) => turn,
                    // a call that was cut off still runs
                    Err(busy) => {
                        note(busy);
                        continue;
                    }
                };
                match exchange(turn, tty.as_mut(), &mut signals, Words::Stream).await? {
                    Ended::Stopped { signal: Signal::Interrupt, again: false, outcomes } => {
                        told_stopped(&outcomes);
                    }
                    Ended::Stopped { signal, .. } => return Ok(Exit::Stopped(signal)),
                    Ended::Finished { report, outcomes } => {
                        told_missing(&report);
                        let by = answered_by(&report.backend, style);
                        let hidden = tools::hidden(&node.executor, &Scope::Operator.caller());
                        let ran = receipts(&report, &outcomes, hidden, style);
                        out(&format!("\n{by}{ran}{}\n", sources(&report, style)))?;
                    }
                }
            }
        }
    }
}

fn out(text: &str) -> Result<(), NodeError> {
    print(text).map_err(NodeError::Output)
}

/// Where messages come from.
#[derive(Debug, PartialEq, Eq)]
enum Input {
    /// The terminal at which decisions are asked too: one reader, so that no answer goes astray.
    Terminal,
    /// A file or a pipe.
    Stdin,
}

impl Input {
    fn of_stdin(has_terminal: bool) -> Self {
        if has_terminal && io::stdin().is_terminal() { Self::Terminal } else { Self::Stdin }
    }

    /// The next message; none at the end of input.
    async fn next(&mut self, tty: Option<&mut Tty>) -> Result<Option<String>, NodeError> {
        let line = match (&self, tty) {
            (Self::Terminal, Some(tty)) => {
                tty.write("> ").map_err(NodeError::System)?;
                tty.line().await
            }
            _ => tokio::task::spawn_blocking(read_line).await.unwrap_or(Ok(None)),
        };
        let line = line.map_err(NodeError::System)?;
        Ok(line.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// A line that is too long comes cut, so that it is seen to be too long, and its rest is dropped.
fn read_line() -> io::Result<Option<Vec<u8>>> {
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    let limit = u64::try_from(MAX_MESSAGE).unwrap_or(u64::MAX).saturating_add(2);
    stdin.by_ref().take(limit).read_until(b'\n', &mut line)?;
    if line.len() > MAX_MESSAGE && !line.ends_with(b"\n") {
        stdin.skip_until(b'\n')?;
    }
    Ok((!line.is_empty()).then_some(line))
}
