use super::chain::{digest, file_name};
use super::storage::{LogFile, Storage};
use crate::files::{FileError, doing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;

/// The head file's name.
pub(super) const HEAD: &str = "head";

/// How many calls can be open at once: what a slot has room for.
pub(super) const MAX_OPEN: usize = 400;

const SLOT: usize = 1 << 16;
const SEAL: &[u8] = b",\"seal\":\"";

/// The last sealed record: what the head file holds, and what an operator keeps off the device.
///
/// **Shape**: `{"version":2,"n":…,"hash":"…","file":"000001.jsonl","offset":…,"open":{"i…":{"mark":
/// "begin","file":"000001.jsonl","offset":…}}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "the shape of a file")]
pub struct Head {
    /// Of this shape: 2.
    pub version: u32,
    /// The record's number; 0 before the first.
    pub n: u64,
    /// Its hash.
    pub hash: String,
    /// The file it is in.
    pub file: String,
    /// Where its line ends in that file, in bytes.
    pub offset: u64,
    /// The calls without an end.
    pub open: BTreeMap<String, OpenCall>,
}

/// A call without an end, and where the log says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "the shape of a file")]
pub struct OpenCall {
    /// `begin`, or `awaiting_confirmation`.
    pub mark: String,
    /// The file its newest open record is in.
    pub file: String,
    /// Where that record's line starts, in bytes.
    pub offset: u64,
}

impl Head {
    /// One slot's bytes: the head and a hash over it, on one line.
    pub(super) fn slot(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.pop();
        let seal = digest(&line);
        line.extend_from_slice(SEAL);
        line.extend_from_slice(seal.as_bytes());
        line.extend_from_slice(b"\"}\n");
        if line.len() > SLOT {
            return Err(io::Error::other("the head does not fit its slot"));
        }
        Ok(line)
    }

    fn of_slot(slot: &[u8]) -> Option<Self> {
        let end = slot.iter().position(|&b| b == b'\n')?;
        let line = slot.get(..end)?.strip_suffix(b"\"}")?;
        let (rest, seal) = line.split_at_checked(line.len().checked_sub(64)?)?;
        let body = rest.strip_suffix(SEAL)?;
        if digest(body).as_bytes() != seal {
            return None;
        }
        let mut json = body.to_vec();
        json.push(b'}');
        serde_json::from_slice(&json).ok()
    }

    /// What the head of an empty log says.
    pub(super) fn is_first(&self) -> bool {
        self.n == 0 && self.offset == 0 && self.file == file_name(1) && self.open.is_empty()
    }
}

/// What a head file holds: two slots, each with a seal of its own, so that one is always whole.
#[derive(Debug, Clone)]
pub(super) enum Slots {
    Missing,
    /// Neither slot is a head.
    Unreadable,
    Read {
        /// The later one.
        head: Head,
        /// The slot it is in.
        at: usize,
        /// Whether the other one is no head: its last write was cut off.
        torn: bool,
    },
}

impl Slots {
    pub(super) fn read(storage: &dyn Storage) -> Result<Self, FileError> {
        let Some(file) = storage.open(HEAD)? else { return Ok(Self::Missing) };
        let slots = || -> io::Result<[Option<Head>; 2]> {
            Ok([read_slot(&*file, 0)?, read_slot(&*file, 1)?])
        };
        let path = storage.path(HEAD);
        let mut read = slots().map_err(doing("read", &path))?;
        // a reader beside the writer may have met a slot half written: a second look tells
        for _ in 0..8 {
            if read.iter().all(Option::is_some) {
                break;
            }
            read = slots().map_err(doing("read", &path))?;
        }
        Ok(match read {
            [Some(a), Some(b)] if b.n > a.n => Self::Read { head: b, at: 1, torn: false },
            [Some(a), Some(_)] => Self::Read { head: a, at: 0, torn: false },
            [Some(a), None] => Self::Read { head: a, at: 0, torn: true },
            [None, Some(b)] => Self::Read { head: b, at: 1, torn: true },
            [None, None] => Self::Unreadable,
        })
    }

    pub(super) const fn is_torn(&self) -> bool {
        matches!(self, Self::Read { torn: true, .. })
    }

    pub(super) const fn head(&self) -> Option<&Head> {
        match self {
            Self::Read { head, .. } => Some(head),
            Self::Missing | Self::Unreadable => None,
        }
    }
}

fn read_slot(file: &dyn LogFile, slot: usize) -> io::Result<Option<Head>> {
    let mut bytes = Vec::new();
    let start = offset(slot);
    // most heads are short
    let mut block = [0; 2048];
    while bytes.len() < SLOT {
        let at = start.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let read = file.read_at(&mut block, at)?;
        let read = block.get(..read).unwrap_or_default();
        bytes.extend_from_slice(read);
        if read.is_empty() || read.contains(&b'\n') {
            break;
        }
    }
    Ok(Head::of_slot(&bytes))
}

fn offset(slot: usize) -> u64 {
    if slot == 0 { 0 } else { u64::try_from(SLOT).unwrap_or(u64::MAX) }
}

/// The writer's side of the head file.
///
/// One slot is on the disk and is not touched; the other takes each new head without a sync, until it
/// is synced and the two change places. So a head costs no sync, a crash of the program loses none, and
/// a power loss goes back to a whole one that the log is not behind.
pub(super) struct HeadFile {
    file: Box<dyn LogFile>,
    /// The slot that may be written.
    spare: usize,
    unsynced: bool,
}

impl HeadFile {
    /// Makes the head of a new log, durably, in both slots.
    pub(super) fn create(storage: &dyn Storage, head: &Head) -> Result<Self, FileError> {
        let file = storage.create(HEAD)?;
        let mut head_file = Self { file, spare: 0, unsynced: false };
        head_file.settle(head).map_err(doing("write", &storage.path(HEAD)))?;
        storage.sync()?;
        Ok(head_file)
    }

    /// Goes on where `at` is the slot that holds.
    pub(super) fn resume(file: Box<dyn LogFile>, at: usize) -> Self {
        Self { file, spare: 1_usize.saturating_sub(at), unsynced: false }
    }

    /// To be called when the log up to `head` is on the disk, never before.
    pub(super) fn write(&mut self, head: &Head) -> io::Result<()> {
        self.unsynced = true;
        self.file.write_at(&head.slot()?, offset(self.spare))
    }

    /// Makes the last head durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.unsynced {
            self.file.sync()?;
            self.unsynced = false;
            self.spare = 1_usize.saturating_sub(self.spare);
        }
        Ok(())
    }

    /// Both slots, durably: what lies still is not lost with one of them.
    pub(super) fn settle(&mut self, head: &Head) -> io::Result<()> {
        for _ in 0..2 {
            self.write(head)?;
            self.sync()?;
        }
        Ok(())
    }

    pub(super) const fn is_unsynced(&self) -> bool {
        self.unsynced
    }
}
