use super::head::{Head, OpenCall};
use super::stored::{StoredCall, StoredEntry, StoredRecord};
use crate::id::InvocationId;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The longest line; what a record can hold is far shorter.
pub(super) const MAX_LINE: usize = 4096;

const SEAL: &[u8] = b",\"hash\":\"";
const HASH_LEN: usize = 64;

/// What comes before the first record.
const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The name of the log's `i`th file, from 1.
pub(super) fn file_name(i: u64) -> String {
    format!("{i:06}.jsonl")
}

/// The number in a log file's name.
pub(super) fn file_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".jsonl")?.parse().ok()?;
    (file_name(number) == name).then_some(number)
}

/// How far a log goes, and what is open there. Writer and readers advance it the same way.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// The last record.
    pub(super) n: u64,
    /// Its hash.
    pub(super) hash: String,
    /// The number of the file it is in.
    pub(super) file: u64,
    /// Where its line ends there.
    pub(super) offset: u64,
    /// The newest open record of each call that has begun or waits for a decision, and no end yet.
    pub(super) open: BTreeMap<String, Open>,
}

/// An open record and where its line starts.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) call: StoredCall,
    pub(super) file: u64,
    pub(super) offset: u64,
}

impl Chain {
    pub(super) fn new() -> Self {
        Self { n: 0, hash: GENESIS.to_owned(), file: 1, offset: 0, open: BTreeMap::new() }
    }

    pub(super) fn head(&self) -> Head {
        let open = |(id, open): (&String, &Open)| {
            let mark = open.call.mark.clone().into_owned();
            (id.clone(), OpenCall { mark, file: file_name(open.file), offset: open.offset })
        };
        Head {
            version: 2,
            n: self.n,
            hash: self.hash.clone(),
            file: file_name(self.file),
            offset: self.offset,
            open: self.open.iter().map(open).collect(),
        }
    }

    /// Whether that call has begun or waits for a decision, and has no end yet.
    pub(super) fn has_open(&self, id: InvocationId) -> bool {
        !self.open.is_empty() && self.open.contains_key(&id.to_string())
    }

    /// Whether `entry` would end a call that is open.
    pub(super) fn ends(&self, entry: &StoredEntry) -> bool {
        matches!(entry, StoredEntry::Call(call) if call.mark == "end" && self.open.contains_key(&call.id))
    }

    /// The line that comes next, with its newline, and the record it holds.
    pub(super) fn seal(&self, at: String, entry: StoredEntry) -> Option<(Vec<u8>, StoredRecord)> {
        #[derive(Serialize)]
        struct Body<'a> {
            n: u64,
            prev: &'a str,
            at: &'a str,
            #[serde(flatten)]
            entry: &'a StoredEntry,
        }
        let n = self.n.checked_add(1)?;
        let mut line =
            serde_json::to_vec(&Body { n, prev: &self.hash, at: &at, entry: &entry }).ok()?;
        line.pop();
        let hash = digest(&line);
        line.extend_from_slice(SEAL);
        line.extend_from_slice(hash.as_bytes());
        line.extend_from_slice(b"\"}\n");
        let record = StoredRecord { n, prev: self.hash.clone(), at, entry, hash };
        (line.len() <= MAX_LINE).then_some((line, record))
    }

    /// What `line`, without its newline, says, if it is the one that comes next.
    pub(super) fn check(&self, line: &[u8]) -> Result<StoredRecord, &'static str> {
        let record = unseal(line)?;
        if Some(record.n) != self.n.checked_add(1) {
            return Err("has another number");
        }
        if record.prev != self.hash {
            return Err("does not follow the record before it");
        }
        Ok(record)
    }

    /// Goes on behind `record`, whose line starts at `offset` of `file` and has `len` bytes.
    pub(super) fn advance(&mut self, record: &StoredRecord, file: u64, offset: u64, len: usize) {
        self.n = record.n;
        self.hash.clone_from(&record.hash);
        self.file = file;
        self.offset = offset.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
        let StoredEntry::Call(call) = &record.entry else { return };
        match &*call.mark {
            "end" => {
                self.open.remove(&call.id);
            }
            "begin" | "awaiting_confirmation" => {
                self.open.insert(call.id.clone(), Open { call: call.clone(), file, offset });
            }
            _ => {}
        }
    }
}

/// What a line says, if it is the one that was sealed; where it belongs, the chain tells.
pub(super) fn unseal(line: &[u8]) -> Result<StoredRecord, &'static str> {
    let (body, hash) = split(line).ok_or("is not a sealed line")?;
    if digest(body).as_bytes() != hash {
        return Err("does not match its hash");
    }
    StoredRecord::read(line).ok_or("is no record that this version knows")
}

/// The sealed bytes and the seal of a line.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b"\"}")?;
    let (rest, hash) = line.split_at_checked(line.len().checked_sub(HASH_LEN)?)?;
    Some((rest.strip_suffix(SEAL)?, hash))
}

/// SHA-256, in hex.
pub(super) fn digest(body: &[u8]) -> String {
    const HEX: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |half: u8| HEX.get(usize::from(half & 0xf)).copied().unwrap_or_default();
    Sha256::digest(body).into_iter().flat_map(|byte| [digit(byte >> 4), digit(byte)]).collect()
}
