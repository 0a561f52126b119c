//! What nobody comes back to: the limit of age holds for callers who never return, too.
use super::format::NoTranscript;
use super::storage::Storage;
use super::{Retention, format};
use crate::audit::RESTART;
use crate::files::FileError;
use jiff::Timestamp;

/// How long nobody looks again.
const EVERY_SECONDS: i64 = 24 * 3600;

/// Whether it is time to look.
pub(super) fn is_due(last: Option<Timestamp>, now: Timestamp) -> bool {
    match last {
        // a clock that was set back does not put it off
        Some(last) => now.as_second().saturating_sub(last.as_second()).abs() >= EVERY_SECONDS,
        None => true,
    }
}

/// Takes away what is over the limits in the files that nobody has open, and what was set aside for so
/// long. A file that is damaged waits for its owner to hear of it, and no longer than its words may
/// stay; one that must not be read is left as it is.
pub(super) fn sweep(
    storage: &dyn Storage,
    limits: Retention,
    now: Timestamp,
    is_open: impl Fn(&str) -> bool,
) {
    let names = match storage.names() {
        Ok(names) => names,
        Err(error) => return tracing::warn!(%error, "old transcripts could not be looked for"),
    };
    for name in names.iter().filter(|name| !is_open(name)) {
        if let Err(error) = age(storage, limits, now, name) {
            tracing::warn!(%error, "an old transcript is still there");
        }
    }
}

fn age(
    storage: &dyn Storage,
    limits: Retention,
    now: Timestamp,
    name: &str,
) -> Result<(), FileError> {
    if let Some(at) = set_aside_at(name) {
        return if limits.is_over(at, now) { storage.remove(name) } else { Ok(()) };
    }
    let bytes = if name.ends_with(".transcript") { storage.read(name)? } else { None };
    let Some(bytes) = bytes else { return Ok(()) };
    let mut transcript = match format::decode(&bytes) {
        Ok(transcript) => transcript,
        Err(why) => return age_unread(storage, limits, now, name, why),
    };
    let mut ended = transcript.clone();
    ended.repair(RESTART);
    ended.keep(limits, now, format::size);
    if ended.turns.is_empty() && ended.summary.is_none() {
        return storage.remove(name);
    }
    if transcript.keep(limits, now, format::size) {
        storage.replace(name, &format::encode(&transcript))?;
    }
    Ok(())
}

/// What cannot be read is as old as its file: no word in it is younger.
fn age_unread(
    storage: &dyn Storage,
    limits: Retention,
    now: Timestamp,
    name: &str,
    why: NoTranscript,
) -> Result<(), FileError> {
    if storage.written_at(name)?.is_some_and(|at| limits.is_over(at, now)) {
        storage.remove(name)?;
        tracing::warn!(file = name, %why, "a damaged transcript that nobody came back to was removed");
    }
    Ok(())
}

/// The name of a transcript that was set aside.
pub(super) fn aside(name: &str, now: Timestamp) -> String {
    format!("{name}.{}.damaged", now.as_millisecond())
}

/// When it was, by its name.
fn set_aside_at(name: &str) -> Option<Timestamp> {
    let (_, at) = name.strip_suffix(".damaged")?.rsplit_once('.')?;
    Timestamp::from_millisecond(at.parse().ok()?).ok()
}
