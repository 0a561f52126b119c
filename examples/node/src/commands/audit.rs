use crate::cli::Audit;
use crate::data_dir::{DataDir, DataDirError};
use crate::exit::{Exit, NodeError};
use crate::terminal::{json, note, print};
use sovereign_core::audit::{
    self, FileAudit, Head, Stats, StoredCall, StoredEntry, StoredEvent, StoredRecord,
};
use sovereign_core::clock::SystemClock;
use sovereign_core::display::Visible;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The longest head that is read.
const MOST_HEAD: u64 = 1 << 17;

/// Reads the log, beside whoever writes it.
pub(crate) fn audit(data: &DataDir, command: &Audit) -> Result<Exit, NodeError> {
    let log = data.audit();
    if matches!(command, Audit::StartAnew) {
        return start_anew(&log);
    }
    if log.symlink_metadata().is_err() {
        return Err(DataDirError::LogLost { path: log }.into());
    }
    let text = match command {
        Audit::Verify { head: Some(kept) } => {
            let found = audit::verify_against(&log, &kept_head(kept)?)?;
            Ok(format!("{}it goes on from the kept head\n", verified(&found)))
        }
        Audit::Verify { head: None } | Audit::StartAnew => Ok(verified(&audit::verify(&log)?)),
        Audit::Export { head: true } => match audit::export_head(&log)? {
            Some(head) => json(&head),
            None => return Err(NodeError::Usage("nothing was ever written there".to_owned())),
        },
        Audit::Export { head: false } => {
            let found = audit::export(&log, &mut io::stdout().lock())?;
            note(verified(&found).trim_end().replace('\n', "; "));
            Ok(String::new())
        }
        Audit::Tail { lines, json: as_json } => {
            let records = audit::tail(&log, *lines)?;
            let shown = records.iter().map(|r| if *as_json { json(r) } else { Ok(line(r)) });
            shown.collect::<io::Result<String>>()
        }
        Audit::Stats { json: as_json } => {
            let stats = audit::stats(&log)?;
            if *as_json { json(&stats) } else { Ok(counted(&stats)) }
        }
    };
    text.and_then(|text| print(&text)).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// A head that `audit export --head` wrote.
fn kept_head(path: &Path) -> Result<Head, NodeError> {
    let shown = Visible(&path.to_string_lossy()).to_string();
    let no = |what: &str| NodeError::Usage(format!("`{shown}` {what}"));
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MOST_HEAD).read_to_string(&mut text));
    read.map_err(|error| no(&format!("cannot be read: {error}")))?;
    serde_json::from_str(&text).map_err(|_| no("holds no head of an audit log"))
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
