use crate::assemble::open_audit;
use crate::cli::{Clear, History, Scope};
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::terminal::{Asked, Gutter, Style, agrees, json, note, print};
use sovereign_core::audit::{FileAudit, LogError};
use sovereign_core::clock::SystemClock;
use sovereign_core::display::{Prose, Visible};
use sovereign_core::history::{self, Excerpt, Histories, PastCall, PastTurn, Transcript, TurnEnd};
use std::fmt::Write as _;
use std::sync::Arc;

/// What is remembered of the person at this terminal, or an end to it.
pub(crate) async fn history(data: &DataDir, command: History) -> Result<Exit, NodeError> {
    match command.command {
        Some(Clear::Clear { yes }) => clear(data, yes).await,
        None => {
            let transcript = history::read(&data.history(), &Scope::Operator.caller())?;
            let text = if command.json {
                json(&transcript)
            } else {
                Ok(shown(&transcript, Style::of_stdout()))
            };
            text.and_then(|text| print(&text)).map_err(NodeError::Output)?;
            Ok(Exit::Answered)
        }
    }
}

async fn clear(data: &DataDir, yes: bool) -> Result<Exit, NodeError> {
    let _alone = alone(data)?;
    let question = "This takes away everything that is remembered of your conversations here.";
    if !yes && agrees(question, "yes").await? == Asked::No {
        note("nothing was cleared");
        return Ok(Exit::NotDone);
    }
    let clock = Arc::new(SystemClock::default());
    let histories = Histories::open(&data.history(), clock)?;
    let loaded = histories.load(&Scope::Operator.caller())?;
    let turns = loaded.history.transcript().turns.len();
    loaded.history.clear()?;
    let text = format!("cleared: {turns} turns and what was summarised of earlier ones\n");
    print(&text).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// Holds the writer's lock. A log that nobody can open is nobody's lock, and no reason to keep words
/// that somebody wants to be gone.
pub(super) fn alone(data: &DataDir) -> Result<Option<Arc<FileAudit>>, NodeError> {
    match open_audit(data, &SystemClock::default()) {
        Ok(audit) => Ok(Some(audit)),
        Err(error @ NodeError::Log(LogError::InUse { .. })) => Err(error),
        Err(_) => Ok(None),
    }
}

/// For `chat` as well.
pub(super) fn shown(transcript: &Transcript, style: Style) -> String {
    if transcript.is_empty() {
        return "Nothing is remembered.\n".to_owned();
    }
    let mut text = String::new();
    if transcript.dropped > 0 {
        // writing to a String cannot fail
        let _ = writeln!(text, "{} earlier turns are no longer kept\n", transcript.dropped);
    }
    if let Some(summary) = &transcript.summary {
        let _ = writeln!(text, "{}", style.bold("Summary"));
        let _ = writeln!(text, "  a model's words about {} earlier turns", summary.turns);
        text.push_str(&words(&summary.text));
        text.push('\n');
    }
    transcript.turns.iter().for_each(|turn| text.push_str(&one(turn, style)));
    text
}

fn one(turn: &PastTurn, style: Style) -> String {
    let ended = match turn.end {
        Some(TurnEnd::Answered) => "answered",
        Some(TurnEnd::Failed) => "failed",
        Some(TurnEnd::Cancelled) => "stopped",
        Some(TurnEnd::Interrupted) => "cut off by the end of the program",
        None => "still open",
    };
    let code = turn.code.as_ref().map(|code| format!(" ({})", Visible(code))).unwrap_or_default();
    let title = format!("Turn {}, {}", turn.number, Visible(&turn.at));
    let mut text = format!("{}\n{}", style.bold(title), words(&turn.user));
    for call in &turn.calls {
        // writing to a String cannot fail
        let _ = writeln!(text, "  {}", called(call));
        if let Some(result) = &call.result {
            let _ = writeln!(text, "    {}", style.dim(line(result)));
        }
    }
    if turn.more_calls > 0 {
        let _ = writeln!(text, "  and {} calls more", turn.more_calls);
    }
    if !turn.assistant.text.is_empty() {
        let _ = write!(text, "Answer\n{}", words(&turn.assistant));
    }
    let _ = writeln!(text, "{}\n", style.dim(format!("{ended}{code}")));
    text
}

/// As a receipt reads, from what is kept of it.
fn called(call: &PastCall) -> String {
    let name = match (&call.capability, call.version) {
        (Some(name), Some(version)) => format!("{}@{version}", Visible(name)),
        _ => "something that is not installed".to_owned(),
    };
    let outcome = call.outcome.as_deref().unwrap_or("runs");
    let code = call.code.as_ref().map(|code| format!(" ({})", Visible(code))).unwrap_or_default();
    let id = call.audit_id.as_ref().map(|id| format!(" [{}]", Visible(id))).unwrap_or_default();
    let given = call.arguments.as_ref().map(|given| format!(" {}", Visible(&given.to_string())));
    format!("{name}: {}{code}{id}{}", Visible(outcome), given.unwrap_or_default())
}

/// Somebody's words, behind the bar.
fn words(excerpt: &Excerpt) -> String {
    let mut gutter = Gutter::of_stdout();
    let mut text = gutter.set(&Prose(&excerpt.text).to_string());
    text.push_str(gutter.end());
    if let Some(chars) = excerpt.of_chars {
        // writing to a String cannot fail
        let _ = writeln!(text, "  (cut; it had {chars} characters)");
    }
    text
}

fn line(excerpt: &Excerpt) -> String {
    let cut = excerpt.of_chars.map(|chars| format!(" (cut; it had {chars} characters)"));
    format!("{}{}", Visible(&excerpt.text), cut.unwrap_or_default())
}
