use super::chain::{Chain, file_name, file_number, unseal};
use super::chain::{MAX_LINE, Open};
use super::error::{Damage, LogError};
use super::head::{HEAD, Head, Slots};
use super::lines::{Line, Lines};
use super::storage::Storage;
use super::stored::{StoredEntry, StoredRecord};
use crate::files::doing;
use std::sync::Arc;

/// One pass over a log, record by record, checked against the chain and the head.
///
/// The head is read before the records: a log only grows, and its head never runs ahead of it, so a
/// reader needs no lock.
pub(super) struct Scan {
    storage: Arc<dyn Storage>,
    pub(super) chain: Chain,
    pub(super) slots: Slots,
    /// What the head says is sealed; all of it when the head cannot be read.
    pub(super) sealed: u64,
    /// The file that is read.
    place: u64,
    log: Option<Lines>,
    tail: Option<Tail>,
    fresh: bool,
}

/// What comes behind the last good record, and above the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tail {
    /// Whether it is the beginning of a line, as a reader sees it while the writer is at it.
    pub(super) growing: bool,
    pub(super) what: &'static str,
}

impl Scan {
    /// From the first record on.
    pub(super) fn begin(storage: Arc<dyn Storage>) -> Result<Self, LogError> {
        let slots = Slots::read(&*storage)?;
        let mut scan = Self {
            storage,
            chain: Chain::new(),
            sealed: slots.head().map_or(u64::MAX, |head| head.n),
            slots,
            place: 0,
            log: None,
            tail: None,
            fresh: false,
        };
        let any = scan.next_file(0)?;
        // who makes a log makes the head first, and the log when that is on the disk
        scan.fresh = !any && scan.slots.head().is_none_or(Head::is_first);
        if let Slots::Missing | Slots::Unreadable = scan.slots
            && any
        {
            // they may have come to be in between
            scan.slots = Slots::read(&*scan.storage)?;
            scan.sealed = scan.slots.head().map_or(u64::MAX, |head| head.n);
        }
        if scan.sealed == 0 && any {
            scan.compare()?;
        }
        Ok(scan)
    }

    /// From the head on: what is below it, [`verify`](super::verify) checks.
    pub(super) fn behind_head(storage: Arc<dyn Storage>) -> Result<Self, LogError> {
        let slots = Slots::read(&*storage)?;
        let Some(head) = slots.head().filter(|head| head.n > 0).cloned() else {
            return Self::begin(storage);
        };
        let mut scan = Self {
            storage,
            chain: Chain::new(),
            sealed: head.n,
            slots,
            place: 0,
            log: None,
            tail: None,
            fresh: false,
        };
        let Some(file) = file_number(&head.file) else {
            return Err(scan.head_damage("names no file").into());
        };
        scan.chain = Chain { n: head.n, hash: head.hash.clone(), file, ..scan.chain };
        scan.chain.offset = head.offset;
        scan.check_head_record(&head)?;
        for (id, open) in &head.open {
            let record = file_number(&open.file).map(|file| scan.record_at(file, open.offset));
            let call = match record.transpose()?.flatten().map(|record| record.entry) {
                Some(StoredEntry::Call(call)) if call.id == *id && *call.mark == open.mark => call,
                _ => return Err(scan.head_damage("names an open call that is not there").into()),
            };
            let file = file_number(&open.file).unwrap_or_default();
            scan.chain.open.insert(id.clone(), Open { call, file, offset: open.offset });
        }
        scan.place = file.saturating_sub(1);
        scan.next_file(head.offset)?;
        Ok(scan)
    }

    /// Whether there was neither log nor head.
    pub(super) const fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// The next good record; none at the end, where [`Scan::finish`] says what is left.
    pub(super) fn next(&mut self) -> Result<Option<StoredRecord>, LogError> {
        // whether the file was seen to have one behind it: it grows no more then
        let mut last_look = false;
        while self.tail.is_none() {
            let place = self.place;
            let path = self.storage.path(&file_name(place));
            let Some(log) = &mut self.log else { return Ok(None) };
            let offset = log.offset;
            let step = match log.peek().map_err(doing("read", &path))? {
                Line::Whole(line) => Ok((self.chain.check(line), line.len())),
                Line::Endless => Ok((Err("does not end"), 0)),
                Line::Unfinished => Err(true),
                Line::Nothing => Err(false),
            };
            let (checked, len) = match step {
                Ok((checked, len)) => (checked.map_err(|what| (false, what)), len),
                Err(_) if !last_look && self.is_followed()? => {
                    last_look = true;
                    continue;
                }
                Err(true) => (Err((!last_look, "does not end")), 0),
                Err(false) if last_look => {
                    last_look = false;
                    self.next_file(0)?;
                    continue;
                }
                Err(false) => return Ok(None),
            };
            match checked {
                Ok(record) => {
                    let len = len.saturating_add(1);
                    if let Some(log) = &mut self.log {
                        log.pass(len);
                    }
                    self.chain.advance(&record, place, offset, len);
                    if self.chain.n == self.sealed {
                        self.compare()?;
                    }
                    return Ok(Some(record));
                }
                Err((growing, what)) => {
                    if self.chain.n < self.sealed {
                        return Err(self.damage(what).into());
                    }
                    self.tail = Some(Tail { growing, what });
                }
            }
        }
        Ok(None)
    }

    /// After the last record: is all there that the head names?
    pub(super) fn finish(&mut self) -> Result<Option<Tail>, LogError> {
        while self.next()?.is_some() {}
        if self.fresh {
            return Ok(None);
        }
        match &self.slots {
            Slots::Missing => return Err(self.head_damage("is missing").into()),
            Slots::Unreadable => return Err(self.head_damage("is no head").into()),
            Slots::Read { .. } => {}
        }
        if self.chain.n < self.sealed {
            return Err(self.damage("is missing, though the head names a later one").into());
        }
        Ok(self.tail.clone())
    }

    /// What is wrong with the record that should come next.
    pub(super) fn damage(&self, what: &str) -> Damage {
        let here = self.log.as_ref().map(|log| log.offset);
        Damage {
            record: self.chain.n.saturating_add(1),
            file: self.storage.path(&file_name(self.place.max(1))),
            offset: here.unwrap_or(self.chain.offset),
            what: format!("the record {what}"),
        }
    }

    fn head_damage(&self, what: &str) -> Damage {
        let file = self.storage.path(HEAD);
        Damage { record: self.chain.n.max(1), file, offset: 0, what: format!("the head {what}") }
    }

    /// At the record that the head names: everything it says follows from the log up to here.
    fn compare(&self) -> Result<(), Damage> {
        let same = self.slots.head().is_some_and(|head| *head == self.chain.head());
        same.then_some(()).ok_or_else(|| self.head_damage("does not match this record"))
    }

    /// Is the record that the head names where it says?
    fn check_head_record(&self, head: &Head) -> Result<(), LogError> {
        let name = file_name(self.chain.file);
        let missing = |what: &str| {
            let file = self.storage.path(&name);
            let what = format!("the record {what}");
            LogError::Damaged(Damage { record: head.n, file, offset: head.offset, what })
        };
        let Some(file) = self.storage.open(&name)? else { return Err(missing("is missing")) };
        let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        let start = head.offset.saturating_sub(most);
        let mut bytes = vec![0; usize::try_from(head.offset.min(most)).unwrap_or(MAX_LINE)];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = start.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
            let read = file.read_at(rest, at).map_err(doing("read", &self.storage.path(&name)))?;
            if read == 0 {
                return Err(missing("is missing, though the head names it"));
            }
            filled = filled.saturating_add(read);
        }
        let Some(before) = bytes.strip_suffix(b"\n") else {
            return Err(missing("does not end where the head says"));
        };
        let line = before.rsplit(|&b| b == b'\n').next().unwrap_or_default();
        let record = unseal(line).map_err(missing)?;
        if record.n != head.n || record.hash != head.hash {
            return Err(missing("is not the one that the head names"));
        }
        Ok(())
    }

    fn record_at(&self, file: u64, offset: u64) -> Result<Option<StoredRecord>, LogError> {
        let name = file_name(file);
        let Some(file) = self.storage.open(&name)? else { return Ok(None) };
        let mut lines = Lines::new(file, offset);
        let line = lines.peek().map_err(doing("read", &self.storage.path(&name)))?;
        Ok(if let Line::Whole(line) = line { unseal(line).ok() } else { None })
    }

    fn is_followed(&self) -> Result<bool, LogError> {
        Ok(self.storage.open(&file_name(self.place.saturating_add(1)))?.is_some())
    }

    fn next_file(&mut self, offset: u64) -> Result<bool, LogError> {
        let next = self.place.saturating_add(1);
        let Some(file) = self.storage.open(&file_name(next))? else { return Ok(false) };
        self.place = next;
        self.log = Some(Lines::new(file, offset));
        Ok(true)
    }
}

impl From<Damage> for LogError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}
