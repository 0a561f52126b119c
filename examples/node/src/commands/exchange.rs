use crate::exit::NodeError;
use crate::signals::{Signal, Signals};
use crate::terminal::{Asking, Gutter, Output, Progress, Style, Tty, named, note, print};
use sovereign_core::backend::BackendIdentity;
use sovereign_core::display::{Prose, Visible};
use sovereign_core::executor::Outcome;
use sovereign_core::host::{ConfirmationRequest, Decision, Event, Receipt, Report, Turn};
use std::io::IsTerminal as _;

/// How a turn came to its end.
pub(super) enum Ended {
    /// By itself.
    Finished {
        report: Box<Report>,
        /// What the receipts of the report are about, with results.
        outcomes: Vec<Outcome>,
    },
    /// A signal came.
    Stopped {
        /// The last one.
        signal: Signal,
        /// A second one came before everything of the turn had its terminal record; the next start
        /// writes what is missing.
        again: bool,
        /// What had come to its end before.
        outcomes: Vec<Outcome>,
    },
}

/// The longest message that is taken, in bytes.
pub(super) const MAX_MESSAGE: usize = 64 << 10;

/// Says what a stopped turn had done.
pub(super) fn told_stopped(outcomes: &[Outcome]) {
    outcomes.iter().for_each(|outcome| note(Receipt::of(outcome)));
    note("stopped; `sovereign-node audit tail` says what became of the rest");
}

/// Says what of a finished turn there is not: an answer, or its place in the transcript.
pub(super) fn told_missing(report: &Report) {
    if let Some(error) = report.error {
        note(error);
    }
    if let Some(why) = &report.unsaved {
        note(format_args!("this turn is not remembered: {why}"));
    }
}

/// Whether the model's words are shown as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Stream,
    Withhold,
}

/// Drives one turn: shows what happens and asks the person, where there is one.
///
/// While a person thinks, the turn is polled on, so that its decision expires on time.
pub(super) async fn exchange(
    mut turn: Turn,
    mut person: Option<&mut Tty>,
    signals: &mut Signals,
    words: Words,
) -> Result<Ended, NodeError> {
    let mut view = View { words, gutter: Gutter::of_stdout(), progress: Progress::new() };
    view.progress.show("thinking");
    let mut outcomes = Vec::new();
    let mut overtaken = None;
    loop {
        let event = match overtaken.take() {
            Some(event) => Some(event),
            None => tokio::select! {
                biased;
                signal = signals.next() => {
                    view.progress.show("stopping");
                    return Ok(stop(turn, signals, signal, outcomes).await);
                }
                event = turn.next() => event,
            },
        };
        match event {
            Some(Event::Text(text)) => view.text(&text).map_err(NodeError::Output)?,
            Some(Event::LegFailed { skipped, next }) => {
                view.leg_failed(skipped.id, &skipped.reason, next.as_ref());
            }
            Some(Event::Proposed { wire_name }) => {
                view.break_line().map_err(NodeError::Output)?;
                view.progress.show(&format!("asked for {}", brief(&wire_name)));
            }
            Some(Event::ConfirmationRequested(request)) => {
                view.break_line().map_err(NodeError::Output)?;
                view.progress.clear();
                let asked = ask(&mut turn, person.as_deref_mut(), signals, request).await;
                match asked {
                    Asked::Decided => view.progress.show("working"),
                    Asked::Overtaken(event) => overtaken = Some(event),
                    Asked::Stopped(signal) => {
                        return Ok(stop(turn, signals, signal, outcomes).await);
                    }
                }
            }
            Some(Event::Settled(outcome)) => {
                outcomes.push(outcome);
                view.progress.show("thinking");
            }
            Some(Event::Finished(report)) => {
                view.break_line().map_err(NodeError::Output)?;
                return Ok(Ended::Finished { report, outcomes });
            }
            // events of later versions
            Some(_) => {}
            None => return Ok(Ended::Finished { report: Box::default(), outcomes }),
        }
    }
}

/// What came of asking.
enum Asked {
    Decided,
    /// The turn went on by itself: the decision expired.
    Overtaken(Event),
    Stopped(Signal),
}

async fn ask(
    turn: &mut Turn,
    person: Option<&mut Tty>,
    signals: &mut Signals,
    request: ConfirmationRequest,
) -> Asked {
    let what = request.disclosure().subject();
    let deny = |why: &str| {
        note(format_args!("{what} needs a person's yes, and {why}: denied"));
        // when it is no longer open, its outcome says so
        let _ = request.decide(Decision::Deny);
        Asked::Decided
    };
    let Some(tty) = person else { return deny("there is no terminal to ask at") };
    let style = Style::of_terminal(true);
    let Some(mut asking) = Asking::open(tty, request.clone(), style) else {
        return deny("the terminal cannot be written to");
    };
    tokio::select! {
        biased;
        signal = signals.next() => Asked::Stopped(signal),
        event = turn.next() => {
            asking.expired();
            event.map_or(Asked::Decided, Asked::Overtaken)
        }
        decision = asking.answer() => {
            asking.decide(decision);
            Asked::Decided
        }
    }
}

/// Drops the turn, which voids what is open, and waits for its records; not any longer when a second
/// signal comes.
async fn stop(turn: Turn, signals: &mut Signals, first: Signal, outcomes: Vec<Outcome>) -> Ended {
    tokio::select! {
        _ = turn.cancel() => Ended::Stopped { signal: first, again: false, outcomes },
        signal = signals.next() => Ended::Stopped { signal, again: true, outcomes },
    }
}

/// A name that a model wrote, for a line that must stay one row.
fn brief(name: &str) -> String {
    let shown: String = Visible(name).to_string().chars().take(NAME).collect();
    let cut = if name.chars().nth(NAME).is_some() { "…" } else { "" };
    format!("`{shown}{cut}`")
}

/// How many characters of a name are shown while it is asked for.
const NAME: usize = 40;

struct View {
    words: Words,
    gutter: Gutter,
    progress: Progress,
}

impl View {
    fn text(&mut self, text: &str) -> Output {
        if self.words == Words::Stream && !text.is_empty() {
            self.progress.clear();
            print(&self.gutter.set(&Prose(text).to_string()))?;
        }
        Ok(())
    }

    fn break_line(&mut self) -> Output {
        self.progress.clear();
        print(self.gutter.end())
    }

    fn leg_failed(&mut self, id: &str, reason: &str, next: Option<&BackendIdentity>) {
        let began = self.gutter.is_open();
        // the line is broken for a note, which may fail like any note
        drop(self.break_line());
        if began {
            note(format_args!("the words above are void, {id} failed: {}", Prose(reason)));
        }
        if let Some(next) = next.filter(|_| std::io::stderr().is_terminal()) {
            self.progress.show(&format!("asking {}", named(next)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAME, brief};

    #[test]
    fn name_of_any_length_stays_one_short_row() {
        assert_eq!(brief("web__fetch__v1"), "`web__fetch__v1`");
        let hostile = format!("x{}\nReceipts", " ".repeat(300));
        let shown = brief(&hostile);
        assert!(shown.chars().count() <= NAME + 3 && !shown.contains('\n'), "{shown}");
    }
}
