use super::{AdministrativeRecord, CallRecord, Named, Record};
use crate::capability::{Network, SideEffect};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// A word of the log's own alphabet, never text that somebody else wrote.
pub type Word = Cow<'static, str>;

/// One line of the log, as it is written and read back.
///
/// **Shape**: one JSON object per line, its fields in this order: `n`, `prev`, `at`, `kind`, those of
/// the entry, `hash`. The hash is the SHA-256, in hex, of the line's bytes before `,"hash":`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the shape of a line")]
pub struct StoredRecord {
    /// Counts from 1, without a gap.
    pub n: u64,
    /// The hash of the record before; zeros in the first.
    pub prev: String,
    /// When it was made: RFC 3339, UTC, milliseconds.
    pub at: String,
    /// What it says.
    #[serde(flatten)]
    pub entry: StoredEntry,
    /// The seal.
    pub hash: String,
}

impl StoredRecord {
    /// What a line says. A call's line is read in two passes: flattened fields would be gathered in
    /// memory first, which costs several times as much.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Frame {
            n: u64,
            prev: String,
            at: String,
            kind: String,
            hash: String,
        }
        let frame: Frame = serde_json::from_slice(line).ok()?;
        if frame.kind != "call" {
            return serde_json::from_slice(line).ok();
        }
        let entry = StoredEntry::Call(serde_json::from_slice(line).ok()?);
        Some(Self { n: frame.n, prev: frame.prev, at: frame.at, entry, hash: frame.hash })
    }
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "readers handle both")]
pub enum StoredEntry {
    /// About one proposal.
    Call(StoredCall),
    /// About the node itself.
    Administrative(StoredEvent),
}

/// A [`CallRecord`] on disk; its fields mean the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the shape of a line")]
pub struct StoredCall {
    /// The proposal.
    pub id: String,
    /// The turn it came in.
    pub turn: String,
    /// The kind of scope that asked.
    pub caller: Word,
    /// A registered name, or the word `unregistered`.
    pub capability: Word,
    /// Length of an unregistered name in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_bytes: Option<usize>,
    /// Version of a registered one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Its side-effect class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect: Option<SideEffect>,
    /// Its network class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// `parse`, `budget`, or a stage.
    pub point: Word,
    /// `awaiting_confirmation`, `begin`, `late_completion` or `end`.
    pub mark: Word,
    /// The outcome, when the mark is `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Word>,
    /// The stable reason code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Word>,
    /// For a mutating call that ran: did it change anything?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// Size of the arguments in bytes.
    pub argument_bytes: usize,
    /// Size of the result in bytes.
    pub result_bytes: usize,
    /// Microseconds from arrival to this record.
    pub took_us: u64,
    /// Whether the record repeats one of an earlier file, where the call was open when the log went
    /// on in this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub carried: bool,
}

impl StoredCall {
    /// `web.fetch@2`, or `unregistered`.
    #[must_use]
    pub fn named(&self) -> String {
        match self.version {
            Some(version) => format!("{}@{version}", self.capability),
            None => self.capability.clone().into_owned(),
        }
    }
}

/// An [`AdministrativeRecord`] on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the shape of a line")]
pub struct StoredEvent {
    /// What happened, e.g. `grant_added`.
    pub event: Word,
    /// The run it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// The rest, e.g. `scope` and `category`: words, numbers and truth values.
    #[serde(flatten)]
    pub details: BTreeMap<String, Value>,
}

/// What stands for a name that no capability has, and for any text outside the log's alphabet.
pub(super) const UNREGISTERED: &str = "unregistered";

/// A record's time and what it says.
pub(super) fn store(record: &Record) -> (String, StoredEntry) {
    match record {
        Record::Call(call) => (time(call.at), StoredEntry::Call(call.into())),
        Record::Administrative(event) => {
            (time(event.at), StoredEntry::Administrative(event.into()))
        }
    }
}

impl From<&CallRecord> for StoredCall {
    fn from(call: &CallRecord) -> Self {
        let (capability, name_bytes, version, side_effect, network) = match call.named {
            Named::Registered { name, version, side_effect, network } => {
                (word(name), None, Some(version), Some(side_effect), Some(network))
            }
            Named::Unregistered { name_bytes } => {
                (UNREGISTERED.into(), Some(name_bytes), None, None, None)
            }
        };
        Self {
            id: call.id.to_string(),
            turn: call.turn.to_string(),
            caller: call.caller.word().into(),
            capability,
            name_bytes,
            version,
            side_effect,
            network,
            point: call.point.word().into(),
            mark: call.mark.word().into(),
            outcome: call.mark.outcome().map(|outcome| outcome.word().into()),
            code: call.code.map(word),
            changed: call.changed,
            argument_bytes: call.argument_bytes,
            result_bytes: call.result_bytes,
            took_us: u64::try_from(call.took.as_micros()).unwrap_or(u64::MAX),
            carried: false,
        }
    }
}

impl From<&AdministrativeRecord> for StoredEvent {
    fn from(record: &AdministrativeRecord) -> Self {
        let mut details = BTreeMap::new();
        let mut event = Word::Borrowed(UNREGISTERED);
        if let Ok(Value::Object(fields)) = serde_json::to_value(&record.event) {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("event", Value::String(text)) => event = word(text),
                    (_, Value::String(text)) => {
                        details.insert(key, Value::String(word(text).into_owned()));
                    }
                    (_, value) => {
                        details.insert(key, value);
                    }
                }
            }
        }
        Self { event, boot: record.boot.map(|boot| boot.to_string()), details }
    }
}

/// Text outside the alphabet of names and codes is not kept, only its length: whoever wrote it, it
/// can forge no line and carry no one's words (must-beat 22).
fn word(text: impl Into<Word>) -> Word {
    let text = text.into();
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.:-*@".contains(&b);
    if text.len() <= 80 && text.bytes().all(plain) {
        text
    } else {
        format!("{UNREGISTERED}:{}", text.len()).into()
    }
}

/// RFC 3339 in UTC with milliseconds; a time outside the calendar is its nearest end.
pub(super) fn time(at: SystemTime) -> String {
    let before = at < SystemTime::UNIX_EPOCH;
    let end = if before { Timestamp::MIN } else { Timestamp::MAX };
    format!("{:.3}", Timestamp::try_from(at).unwrap_or(end))
}
