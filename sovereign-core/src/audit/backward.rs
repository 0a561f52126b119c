use super::chain::{MAX_LINE, file_name, file_number, unseal};
use super::error::{Damage, LogError};
use super::head::{Head, Slots};
use super::lines::{Line, Lines};
use super::storage::{LogFile, Storage};
use super::stored::StoredRecord;
use crate::files::doing;
use std::io;
use std::sync::Arc;

const BLOCK: usize = 1 << 16;

/// A log from its last record to its first, each checked by its own hash, against the one behind it, and
/// against the head. What is not read is not checked.
pub(super) struct Backward {
    storage: Arc<dyn Storage>,
    head: Head,
    /// The file that is read; 0 in front of the first.
    file: u64,
    lines: Option<Upward>,
    /// Number and `prev` of the record read last.
    newer: Option<(u64, String)>,
    /// Whether nothing was read or skipped yet.
    at_end: bool,
}

impl Backward {
    /// Behind the last record; none when nobody has written yet.
    pub(super) fn open(storage: Arc<dyn Storage>) -> Result<Option<Self>, LogError> {
        let slots = Slots::read(&*storage)?;
        let damage = |what: &str| Damage {
            record: 1,
            file: storage.path(super::head::HEAD),
            offset: 0,
            what: format!("the head {what}"),
        };
        let head = match slots.head() {
            Some(head) => head.clone(),
            None if matches!(slots, Slots::Missing) && storage.open(&file_name(1))?.is_none() => {
                return Ok(None);
            }
            None => return Err(damage("is missing, or is no head").into()),
        };
        let Some(mut file) = file_number(&head.file) else {
            return Err(damage("names no file").into());
        };
        while storage.open(&file_name(file.saturating_add(1)))?.is_some() {
            file = file.saturating_add(1);
        }
        let mut backward = Self { storage, head, file, lines: None, newer: None, at_end: true };
        backward.enter()?;
        Ok(Some(backward))
    }

    /// Goes on in the file that has the record in front of number `n`, at its end.
    pub(super) fn skip_to(&mut self, n: u64) -> Result<(), LogError> {
        let (mut low, mut high) = (1, self.file);
        while low < high {
            let middle = high.saturating_sub(high.saturating_sub(low) / 2);
            if self.first_of(middle)?.is_some_and(|first| first < n) {
                low = middle;
            } else {
                high = middle.saturating_sub(1);
            }
        }
        if low < self.file {
            self.file = low;
            (self.at_end, self.newer) = (false, None);
            self.enter()?;
        }
        Ok(())
    }

    /// The record in front of the last one.
    pub(super) fn next(&mut self) -> Result<Option<StoredRecord>, LogError> {
        loop {
            let path = self.storage.path(&file_name(self.file));
            let Some(lines) = &mut self.lines else { return Ok(None) };
            let Some((offset, line)) = lines.next().map_err(doing("read", &path))? else {
                self.file = self.file.saturating_sub(1);
                self.enter()?;
                continue;
            };
            let record = match unseal(&line) {
                Ok(record) => record,
                // a crash left it behind the head: the next start moves it aside
                Err(_) if self.at_end && !self.is_sealed(offset) => continue,
                Err(what) => return Err(self.damage(offset, what)),
            };
            self.follows(&record).map_err(|what| self.damage(offset, what))?;
            self.newer = Some((record.n, record.prev.clone()));
            self.at_end = false;
            return Ok(Some(record));
        }
    }

    fn is_sealed(&self, offset: u64) -> bool {
        (Some(self.file), offset) < (file_number(&self.head.file), self.head.offset)
    }

    fn follows(&self, record: &StoredRecord) -> Result<(), &'static str> {
        match &self.newer {
            Some((n, _)) if record.n.checked_add(1) != Some(*n) => {
                return Err("has another number");
            }
            Some((_, prev)) if record.hash != *prev => {
                return Err("is not the one that the next one follows");
            }
            None if self.at_end && record.n < self.head.n => {
                return Err("is the last one, though the head names a later one");
            }
            Some(_) | None => {}
        }
        let named = record.n == self.head.n;
        if named && record.hash != self.head.hash {
            return Err("is not the one that the head names");
        }
        Ok(())
    }

    fn damage(&self, offset: u64, what: &str) -> LogError {
        let record = self.newer.as_ref().map_or(self.head.n, |(n, _)| n.saturating_sub(1));
        let file = self.storage.path(&file_name(self.file));
        Damage { record, file, offset, what: format!("the record {what}") }.into()
    }

    fn enter(&mut self) -> Result<(), LogError> {
        self.lines = None;
        if self.file == 0 {
            return Ok(());
        }
        let name = file_name(self.file);
        let path = self.storage.path(&name);
        let Some(file) = self.storage.open(&name)? else {
            return Err(self.damage(0, "is missing with its file"));
        };
        self.lines = Some(Upward::of(file).map_err(doing("read", &path))?);
        Ok(())
    }

    /// The number of a file's first record.
    fn first_of(&self, file: u64) -> Result<Option<u64>, LogError> {
        let name = file_name(file);
        let Some(file) = self.storage.open(&name)? else { return Ok(None) };
        let mut lines = Lines::new(file, 0);
        let line = lines.peek().map_err(doing("read", &self.storage.path(&name)))?;
        Ok(if let Line::Whole(line) = line { unseal(line).ok().map(|r| r.n) } else { None })
    }
}

/// The lines of one file, from its last whole one to its first.
struct Upward {
    file: Box<dyn LogFile>,
    /// Where the buffer's bytes start in the file.
    start: u64,
    /// What was read and not given, up to and with a newline.
    buffer: Vec<u8>,
}

impl Upward {
    fn of(file: Box<dyn LogFile>) -> io::Result<Self> {
        let start = file.len()?;
        let mut upward = Self { file, start, buffer: Vec::new() };
        // a line without its end is being written
        let end = loop {
            if let Some(end) = upward.buffer.iter().rposition(|&b| b == b'\n') {
                break end.saturating_add(1);
            }
            if upward.start == 0 || upward.buffer.len() > BLOCK {
                break upward.buffer.len();
            }
            upward.fill()?;
        };
        let whole = upward.buffer.get(end.saturating_sub(1)) == Some(&b'\n');
        upward.buffer.truncate(if whole { end } else { 0 });
        if !whole {
            upward.start = 0;
        }
        Ok(upward)
    }

    /// Where the line in front starts, and the line, without its newline.
    fn next(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        loop {
            let body = self.buffer.len().saturating_sub(1);
            let before = self.buffer.get(..body).unwrap_or_default();
            let at = match before.iter().rposition(|&b| b == b'\n') {
                Some(newline) => newline.saturating_add(1),
                None if self.start == 0 && self.buffer.is_empty() => return Ok(None),
                // longer than any line: what it says is judged like one
                None if self.start == 0 || self.buffer.len() > MAX_LINE => 0,
                None => {
                    self.fill()?;
                    continue;
                }
            };
            let mut line = self.buffer.split_off(at);
            line.pop();
            let offset = self.start.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
            return Ok(Some((offset, line)));
        }
    }

    /// One more block in front.
    fn fill(&mut self) -> io::Result<()> {
        let size = self.start.min(u64::try_from(BLOCK).unwrap_or(u64::MAX));
        let start = self.start.saturating_sub(size);
        let mut block = vec![0; usize::try_from(size).unwrap_or(BLOCK)];
        let mut filled = 0_usize;
        while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = start.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
            match self.file.read_at(rest, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => filled = filled.saturating_add(read),
            }
        }
        block.append(&mut self.buffer);
        self.buffer = block;
        self.start = start;
        Ok(())
    }
}
