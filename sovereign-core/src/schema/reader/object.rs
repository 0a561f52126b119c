//! Objects, matched against a field table.
use super::cursor::spaced;
use super::{Reader, Slot, Stop};
use crate::schema::arg::Arg;
use crate::schema::node::{Kind, Node};
use crate::schema::object::Field;
use crate::schema::violation::{self, Received, Segment, code};
use std::borrow::Cow;

/// Where a pass stands within one object.
#[derive(Debug)]
pub struct Fields {
    table: &'static [Field],
    seen: Seen,
    /// The field that comes next in declaration order.
    hint: usize,
    started: bool,
    bad: bool,
    /// A key that stands among them and has been read already.
    tag: Option<&'static str>,
    tag_seen: bool,
}

/// Which fields have been read.
#[derive(Debug, Default)]
struct Seen {
    low: u64,
    /// From the 65th field on.
    high: Vec<usize>,
}

impl Seen {
    #[inline]
    fn has(&self, index: usize) -> bool {
        match Self::bit(index) {
            Some(bit) => self.low & bit != 0,
            None => self.high.contains(&index),
        }
    }

    #[inline]
    fn add(&mut self, index: usize) {
        match Self::bit(index) {
            Some(bit) => self.low |= bit,
            None => self.high.push(index),
        }
    }

    #[inline]
    fn bit(index: usize) -> Option<u64> {
        1u64.checked_shl(u32::try_from(index).ok()?)
    }
}

impl Fields {
    pub(super) const fn is_bad(&self) -> bool {
        self.bad
    }

    /// Whether nothing was recorded, and as many as `filled` are all of them.
    #[inline]
    pub(super) const fn are_good(&self, filled: usize) -> bool {
        filled == self.table.len() && !self.bad
    }

    #[inline]
    fn take(&mut self, index: usize) -> usize {
        self.seen.add(index);
        self.hint = index.saturating_add(1);
        index
    }
}

impl<'a> Reader<'a> {
    /// Enters an object. [`Self::next`] and [`Self::field`] then alternate until there is no next
    /// field, and [`Self::finish`] ends it.
    ///
    /// # Errors
    /// When something else is next.
    #[inline]
    pub fn object(&mut self, node: &Node) -> Result<Fields, Stop> {
        let (Some(b'{'), Kind::Object(object)) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        let tag = self.tag.take();
        self.enter_fields(object().fields, tag)
    }

    /// The cursor is on the opening brace.
    #[inline]
    pub(super) fn enter_fields(
        &mut self,
        table: &'static [Field],
        tag: Option<&'static str>,
    ) -> Result<Fields, Stop> {
        self.enter()?;
        let seen = Seen::default();
        Ok(Fields { table, seen, hint: 0, started: false, bad: false, tag, tag_seen: false })
    }

    /// The next known field, as its index in the table. Unknown and repeated keys are recorded and
    /// read past.
    ///
    /// # Errors
    /// [`Stop::Syntax`] only.
    #[inline(always)]
    pub fn next(&mut self, fields: &mut Fields) -> Result<Option<usize>, Stop> {
        let rest = spaced(self.rest());
        if let [b'}', ..] = rest {
            self.go_on_at(rest);
            self.leave();
            return Ok(None);
        }
        if let Some((index, rest)) = self.plain_key(fields, rest) {
            self.go_on_at(rest);
            fields.started = true;
            return Ok(Some(fields.take(index)));
        }
        self.any_key(fields)
    }

    /// The field that comes next, when that is one that has not been read, its key is spelled without
    /// escapes and what stands around it is as it should be; and what comes after the colon. Models
    /// mostly send keys in the order of the schema, so the expected one is looked at first.
    #[inline]
    fn plain_key<'b>(&self, fields: &Fields, rest: &'b [u8]) -> Option<(usize, &'b [u8])> {
        let rest = match rest {
            [b',', rest @ ..] if fields.started => spaced(rest),
            rest if !fields.started => rest,
            _ => return None,
        };
        let [b'"', rest @ ..] = rest else { return None };
        let expected = fields.table.get(fields.hint).map(|field| field.name);
        let (index, name, rest) = match expected.and_then(|name| after_key(rest, name)) {
            Some(rest) => (fields.hint, expected, rest),
            None => {
                let index = find(fields.table, rest)?;
                let name = fields.table.get(index)?.name;
                (index, Some(name), rest.get(name.len().saturating_add(1)..)?)
            }
        };
        if fields.seen.has(index) || (fields.tag.is_some() && fields.tag == name) {
            return None;
        }
        match spaced(rest) {
            [b':', rest @ ..] => Some((index, rest)),
            _ => None,
        }
    }

    /// Whether there is one more field; leaves the object when there is none.
    fn goes_on(&mut self, fields: &mut Fields) -> Result<bool, Stop> {
        let more = if fields.started { self.another(b'}')? } else { self.peek() != Some(b'}') };
        fields.started = true;
        if !more {
            self.leave();
        }
        Ok(more)
    }

    /// As [`Self::next`], for everything that may come.
    #[inline(never)]
    fn any_key(&mut self, fields: &mut Fields) -> Result<Option<usize>, Stop> {
        while self.goes_on(fields)? {
            let key = self.key()?;
            if let Some(tag) = fields.tag
                && tag == key
            {
                if std::mem::replace(&mut fields.tag_seen, true) {
                    fields.bad = true;
                    self.repeated(tag, false)?;
                } else {
                    self.skip()?;
                }
            } else {
                match fields.table.iter().position(|field| field.name == key) {
                    Some(index) if !fields.seen.has(index) => return Ok(Some(fields.take(index))),
                    Some(index) => {
                        fields.bad = true;
                        if let Some(field) = fields.table.get(index) {
                            self.repeated(field.name, field.sensitive)?;
                        }
                    }
                    None => self.unknown(fields, &key)?,
                }
            }
        }
        Ok(None)
    }

    /// A key and its colon.
    pub(in crate::schema) fn key(&mut self) -> Result<Cow<'a, str>, Stop> {
        if self.peek() != Some(b'"') {
            return Err(self.not_json("no key where one should be"));
        }
        let key = self.string()?;
        self.colon()?;
        Ok(key)
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Stop> {
        if self.eat(b':') { Ok(()) } else { Err(self.not_json("no colon after a key")) }
    }

    #[cold]
    fn repeated(&mut self, name: &'static str, sensitive: bool) -> Result<(), Stop> {
        let received = if sensitive { Received::Withheld } else { self.received() };
        self.skip()?;
        let mark = self.findings.len();
        self.findings.add(code::DUPLICATE_KEY, received, || "this key once".into());
        self.findings.prefix(mark, Segment::Key(name));
        Ok(())
    }

    /// As [`Self::next`], for keys that have no table: the index in `names`.
    pub(super) fn next_of(
        &mut self,
        fields: &mut Fields,
        names: &[&'static str],
    ) -> Result<Option<usize>, Stop> {
        loop {
            let more = if fields.started { self.another(b'}')? } else { self.peek() != Some(b'}') };
            fields.started = true;
            if !more {
                self.leave();
                return Ok(None);
            }
            let key = self.key()?;
            match names.iter().enumerate().find(|(_, name)| **name == key) {
                Some((index, _)) if !fields.seen.has(index) => {
                    return Ok(Some(fields.take(index)));
                }
                Some((_, name)) => {
                    fields.bad = true;
                    self.repeated(name, false)?;
                }
                None => {
                    fields.bad = true;
                    let received = self.received();
                    self.skip()?;
                    self.findings
                        .add(code::UNKNOWN_FIELD, received, || violation::only_keys(names.iter()));
                }
            }
        }
    }

    #[cold]
    fn unknown(&mut self, fields: &mut Fields, key: &str) -> Result<(), Stop> {
        fields.bad = true;
        let received = self.received();
        self.skip()?;
        let table = fields.table;
        self.findings.add(code::UNKNOWN_FIELD, received, || violation::known_fields(key, table));
        Ok(())
    }

    /// Reads the value of field `index` into `slot`.
    ///
    /// # Errors
    /// [`Stop::Syntax`] only: what does not fit is recorded, and [`Self::finish`] refuses the object.
    pub fn field<T: Arg>(
        &mut self,
        fields: &mut Fields,
        index: usize,
        slot: &mut Option<T>,
    ) -> Result<(), Stop> {
        self.member(fields, index, |reader, node| slot.read(reader, node)).map(drop)
    }

    /// Runs `read` on the value of field `index`: whether there is one and it fits.
    #[inline]
    pub(super) fn member(
        &mut self,
        fields: &mut Fields,
        index: usize,
        read: impl FnOnce(&mut Self, &Node) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let Some(field) = fields.table.get(index) else { return Err(Stop::Invalid) };
        // what need not be there may also be `null`, whatever its type is
        if !field.required && !field.node.nullable && self.take_null()? {
            return Ok(false);
        }
        let mark = self.findings.len();
        match read(self, &field.node) {
            Ok(()) => Ok(true),
            Err(Stop::Invalid) => {
                self.misfit(mark, field);
                fields.bad = true;
                Ok(false)
            }
            Err(Stop::Syntax) => Err(Stop::Syntax),
        }
    }

    /// What was found since `mark` is about the value of `field`.
    #[cold]
    fn misfit(&mut self, mark: usize, field: &Field) {
        self.findings.prefix(mark, Segment::Key(field.name));
        if field.sensitive {
            self.findings.conceal(mark, Segment::Key(field.name));
        }
    }

    /// After the last field: records the missing ones. `Ok` means that every field that must be
    /// there was read and fits.
    ///
    /// # Errors
    /// [`Stop::Invalid`] when anything in the object was recorded.
    pub fn finish(&mut self, fields: &Fields) -> Result<(), Stop> {
        let mut bad = fields.bad;
        for (index, field) in fields.table.iter().enumerate() {
            if field.required && !fields.seen.has(index) {
                bad = true;
                let mark = self.findings.len();
                self.record(code::MISSING_FIELD, Received::Nothing, &field.node);
                self.findings.prefix(mark, Segment::Key(field.name));
            }
        }
        if bad { Err(Stop::Invalid) } else { Ok(()) }
    }
}

/// What comes after `name` as a key, when `rest`, which comes after a quote, begins with it. The end
/// is looked at first, which is enough to tell most names apart.
#[inline]
fn after_key<'b>(rest: &'b [u8], name: &str) -> Option<&'b [u8]> {
    match rest.split_at_checked(name.len()) {
        Some((key, [b'"', rest @ ..])) if key == name.as_bytes() => Some(rest),
        _ => None,
    }
}

/// The field whose name `rest` begins with.
#[inline(never)]
fn find(table: &'static [Field], rest: &[u8]) -> Option<usize> {
    table.iter().position(|field| after_key(rest, field.name).is_some())
}
