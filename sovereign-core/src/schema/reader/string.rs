//! Strings: eight bytes at a time up to the next byte that matters, borrowed when nothing is escaped.
use super::{Reader, Stop};
use crate::schema::node::{Kind, Node};
use crate::schema::violation::code;
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads a string within the node's length, of its pattern and format.
    ///
    /// # Errors
    /// When something else is next.
    #[inline]
    pub fn text(&mut self, node: &Node) -> Result<Cow<'a, str>, Stop> {
        let (Some(b'"'), Kind::Text(rules)) = (self.peek(), &node.kind) else {
            return Err(self.mismatch(node));
        };
        let text = self.string()?;
        match rules.judge(&text) {
            Ok(()) => Ok(text),
            Err(code) => Err(self.fail(code, node)),
        }
    }

    /// As [`Self::text`], but builds nothing where only the length counts.
    pub(super) fn check_text(&mut self, node: &Node) -> Result<(), Stop> {
        let (Some(b'"'), Kind::Text(rules)) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        if !rules.only_length() {
            return self.text(node).map(drop);
        }
        let count = self.count_string()?;
        if rules.length.admits(count) { Ok(()) } else { Err(self.fail(code::LENGTH, node)) }
    }

    /// Reads one string of the node's closed list: its index there.
    ///
    /// # Errors
    /// When something else is next.
    pub fn choice(&mut self, node: &Node) -> Result<usize, Stop> {
        let (Some(b'"'), Kind::Choice(values)) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        let text = self.string()?;
        match values.iter().position(|value| *value == text) {
            Some(index) => Ok(index),
            None => Err(self.fail(code::CHOICE, node)),
        }
    }

    /// The run at the cursor, up to the next quote, backslash or control byte, or to the end.
    #[inline]
    fn plain(&mut self) -> &'a str {
        let from = self.at;
        self.advance(run(self.rest()));
        self.since(from)
    }

    /// The string at the cursor, which is on the opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Stop> {
        self.advance(1);
        let text = self.plain();
        if self.here() == Some(b'"') {
            self.advance(1);
            return Ok(Cow::Borrowed(text));
        }
        self.escaped(text).map(Cow::Owned)
    }

    #[inline(never)]
    fn escaped(&mut self, start: &str) -> Result<String, Stop> {
        // what follows is not known: little for a short string, so that many of them stay small
        let more = start.len().saturating_mul(4).saturating_add(16).min(self.rest().len());
        let mut out = String::with_capacity(start.len().saturating_add(more));
        out.push_str(start);
        while self.unfinished()? {
            out.push(self.escape()?);
            out.push_str(self.plain());
        }
        Ok(out)
    }

    /// Reads past a string.
    pub(super) fn skip_string(&mut self) -> Result<(), Stop> {
        self.advance(1);
        self.advance(run(self.rest()));
        while self.unfinished()? {
            self.escape()?;
            self.advance(run(self.rest()));
        }
        Ok(())
    }

    /// Reads past a string: how many code points it has.
    fn count_string(&mut self) -> Result<usize, Stop> {
        self.advance(1);
        let mut count = self.plain().chars().count();
        while self.unfinished()? {
            self.escape()?;
            count = count.saturating_add(1).saturating_add(self.plain().chars().count());
        }
        Ok(count)
    }

    /// After a run: consumes the closing quote, or says that an escape is next.
    fn unfinished(&mut self) -> Result<bool, Stop> {
        match self.here() {
            Some(b'"') => {
                self.advance(1);
                Ok(false)
            }
            Some(b'\\') => Ok(true),
            Some(_) => Err(self.not_json("a raw control character in a string")),
            None => Err(self.not_json("an unfinished string")),
        }
    }

    /// The escape at the cursor, which is on the backslash.
    #[inline]
    fn escape(&mut self) -> Result<char, Stop> {
        let character = match self.rest() {
            [_, c @ (b'"' | b'\\' | b'/'), ..] => char::from(*c),
            [_, b'b', ..] => '\u{8}',
            [_, b'f', ..] => '\u{c}',
            [_, b'n', ..] => '\n',
            [_, b'r', ..] => '\r',
            [_, b't', ..] => '\t',
            _ => return self.other_escape(),
        };
        self.advance(2);
        Ok(character)
    }

    #[inline(never)]
    fn other_escape(&mut self) -> Result<char, Stop> {
        self.advance(1);
        match self.here() {
            Some(b'u') => self.unicode_escape(),
            Some(_) => Err(self.not_json("an unknown escape in a string")),
            None => Err(self.not_json("an unfinished string")),
        }
    }

    /// One code unit, or a surrogate pair. A lone surrogate is no character, so it is refused.
    fn unicode_escape(&mut self) -> Result<char, Stop> {
        self.advance(1);
        let first = self.code_unit()?;
        let unit = if (0xd800..0xdc00).contains(&first) && self.rest().starts_with(b"\\u") {
            self.advance(2);
            let second = self.code_unit()?;
            char::decode_utf16([first, second]).next()
        } else {
            char::decode_utf16([first]).next()
        };
        match unit {
            Some(Ok(character)) => Ok(character),
            Some(Err(_)) | None => Err(self.not_json("a lone surrogate in a string")),
        }
    }

    fn code_unit(&mut self) -> Result<u16, Stop> {
        let mut unit = 0u16;
        for _ in 0..4 {
            let digit = self.here().and_then(|b| char::from(b).to_digit(16));
            let Some(digit) = digit.and_then(|d| u16::try_from(d).ok()) else {
                return Err(self.not_json("an unknown escape in a string"));
            };
            unit = unit.wrapping_shl(4) | digit;
            self.advance(1);
        }
        Ok(unit)
    }
}

const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);

/// How many bytes come before the next quote, backslash or control byte, or before the end.
#[inline]
fn run(bytes: &[u8]) -> usize {
    let (mut rest, mut count) = (bytes, 0usize);
    // most strings end soon; what does not is looked at in larger pieces
    if let Some((word, after)) = rest.split_first_chunk::<8>() {
        let hits = hits(*word);
        if hits != 0 {
            return (hits.trailing_zeros() >> 3) as usize;
        }
        (rest, count) = (after, 8);
        while let Some((block, after)) = rest.split_first_chunk::<32>() {
            if block.iter().fold(false, |hit, byte| hit | (until(*byte) == 0)) {
                break;
            }
            (rest, count) = (after, count.saturating_add(32));
        }
    }
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let hits = hits(*word);
        if hits != 0 {
            return count.saturating_add((hits.trailing_zeros() >> 3) as usize);
        }
        (rest, count) = (after, count.saturating_add(8));
    }
    count.saturating_add(rest.iter().take_while(|byte| until(**byte) != 0).count())
}

/// 0 for a quote, a backslash and a control byte; without a branch, so that many are done at once.
#[inline]
fn until(byte: u8) -> u8 {
    (byte ^ b'"').min(byte ^ b'\\').min(byte.saturating_sub(b' ' - 1))
}

/// In each byte lane, the high bit is set when the lane is a quote, a backslash or a control byte;
/// the lowest set lane is always a true one.
#[inline]
const fn hits(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    let quotes = (word ^ QUOTES).wrapping_sub(LOW);
    let backslashes = (word ^ BACKSLASHES).wrapping_sub(LOW);
    (quotes | backslashes | word.wrapping_sub(SPACES)) & !word & HIGH
}

#[cfg(test)]
#[path = "string_tests.rs"]
mod tests;
