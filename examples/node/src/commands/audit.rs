use crate::cli::Audit;
use crate::data_dir::{DataDir, DataDirError};
use crate::exit::{Exit, NodeError};
use crate::terminal::{json, print};
use sovereign_core::audit::{
    self, FileAudit, Stats, StoredCall, StoredEntry, StoredEvent, StoredRecord,
};
use sovereign_core::clock::SystemClock;
use sovereign_core::display::Visible;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Reads the log, beside whoever writes it.
pub(crate) fn audit(data: &DataDir, command: &Audit) -> Result<Exit, NodeError> {
    let log = data.audit();
    if matches!(command, Audit::StartAnew) {
        return start_anew(&log);
    }
    if log.symlink_metadata().is_err() {
        return Err(DataDirError::LogLost { path: log }.into());
    }
    let text = match *command {
        Audit::Verify | Audit::StartAnew => Ok(verified(&audit::verify(&log)?)),
        Audit::Tail { lines, json: as_json } => {
            let records = audit::tail(&log, lines)?;
            let shown = records.iter().map(|r| if as_json { json(r) } else { Ok(line(r)) });
            shown.collect::<io::Result<String>>()
        }
        Audit::Stats { json: as_json } => {
            let stats = audit::stats(&log)?;
            if as_json { json(&stats) } else { Ok(counted(&stats)) }
        }
    };
    text.and_then(|text| print(&text)).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// A new log, when a person has decided that the old one is not coming back.
fn start_anew(log: &Path) -> Result<Exit, NodeError> {
    if log.symlink_metadata().is_ok() {
        let what = format!(
            "there is a log in `{}`; move it away first, and keep it",
            Visible(&log.to_string_lossy())
        );
        return Err(NodeError::Usage(what));
    }
    drop(FileAudit::open(log, &SystemClock::default())?);
    print("a new log begins here\n").map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

fn verified(found: &audit::Verified) -> String {
    let mut text = format!("whole: {} records, each chained to the one before\n", found.records);
    if let Some(head) = &found.head {
        // writing to a String cannot fail
        let _ = writeln!(text, "head: record {}, {}", head.n, head.hash);
    }
    if found.unfinished {
        text.push_str("a record is being written, or was when the writer stopped\n");
    }
    text
}

/// One record on one line. Everything in it is of the log's own alphabet.
fn line(record: &StoredRecord) -> String {
    let what = match &record.entry {
        StoredEntry::Call(call) => called(call),
        StoredEntry::Administrative(event) => happened(event),
    };
    format!("{:>6} {} {what}\n", record.n, record.at)
}

fn called(call: &StoredCall) -> String {
    let ended = call.outcome.as_ref().unwrap_or(&call.mark);
    let code = call.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
    let (caller, named, point, id) = (&call.caller, call.named(), &call.point, &call.id);
    format!("{caller} {named} {point}: {ended}{code} [{id}]")
}

fn happened(event: &StoredEvent) -> String {
    let detail = |(key, value): (&String, &serde_json::Value)| match value {
        serde_json::Value::String(word) => format!(" {key}={word}"),
        value => format!(" {key}={value}"),
    };
    let details: String = event.details.iter().map(detail).collect();
    format!("{}{details}", event.event)
}

fn counted(stats: &Stats) -> String {
    let mut text = format!(
        "records    {}\nproposals  {}\nopen       {}\n",
        stats.records, stats.proposals, stats.open
    );
    let mut section = |title: &str, counts: &audit::Counts| {
        if !counts.is_empty() {
            // writing to a String cannot fail
            let _ = writeln!(text, "{title}");
            counts.iter().for_each(|(word, n)| {
                let _ = writeln!(text, "  {n:>6}  {word}");
            });
        }
    };
    section("outcomes", &stats.outcomes);
    section("codes", &stats.codes);
    section("events", &stats.events);
    for (capability, outcomes) in &stats.capabilities {
        section(capability, outcomes);
    }
    let steps = stats.accuracy;
    let _ = writeln!(
        text,
        "proposals that were judged {}, parsed {}, resolved {}, valid {}, admitted {}, executed {}",
        steps.judged, steps.parsed, steps.resolved, steps.valid, steps.admitted, steps.executed
    );
    text
}
