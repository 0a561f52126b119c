use super::exchange::{Ended, MAX_MESSAGE, Words, exchange, told_missing, told_stopped};
use super::tools;
use crate::assemble::{Node, Presence};
use crate::cli::{Ask, Scope};
use crate::exit::{Exit, NodeError};
use crate::signals::Signals;
use crate::terminal::{Gutter, Style, Tty, answered_by, json, print, receipts, sources};
use sovereign_core::display::Prose;
use sovereign_core::executor::Outcome;
use sovereign_core::host::Report;

/// One question, one answer.
pub(crate) async fn ask(node: &Node, ask: Ask) -> Result<Exit, NodeError> {
    let question = ask.text.join(" ");
    if question.trim().is_empty() {
        let what = "the question is empty: say what you want to know, as in \
                    `sovereign-node ask \"how much space is left?\"`";
        return Err(NodeError::Usage(what.to_owned()));
    }
    if question.len() > MAX_MESSAGE {
        let what = format!("the question is longer than {MAX_MESSAGE} bytes");
        return Err(NodeError::Usage(what));
    }
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let mut person = Tty::open();
    let conversation = node.conversation(ask.memory.memory(), Presence::of(person.as_ref()))?;
    let turn = conversation.say(question).map_err(|busy| NodeError::Usage(busy.to_string()))?;
    match exchange(turn, person.as_mut(), &mut signals, Words::Withhold).await? {
        Ended::Stopped { signal, outcomes, .. } => {
            told_stopped(&outcomes);
            Ok(Exit::Stopped(signal))
        }
        Ended::Finished { report, outcomes } => {
            told_missing(&report);
            let shown = if ask.json { json(&report) } else { Ok(whole(&report, &outcomes, node)) };
            shown.and_then(|text| print(&text)).map_err(NodeError::Output)?;
            Ok(Exit::of(&report))
        }
    }
}

fn whole(report: &Report, outcomes: &[Outcome], node: &Node) -> String {
    let style = Style::of_stdout();
    let text = report.text.trim_end();
    let words = match text {
        "" => String::new(),
        text => format!("{}\n\n", Gutter::of_stdout().set(&Prose(text).to_string())),
    };
    let hidden = tools::hidden(&node.executor, &Scope::Operator.caller());
    let ran = receipts(report, outcomes, hidden, style);
    let by = answered_by(&report.backend, style);
    format!("{words}{by}{ran}{}", sources(report, style))
}
