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
        let (Some(b'"'), Kind::Text(rules)) = (self.peek(), node.kind) else {
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

    /// Advances to the next quote, backslash or control byte, or to the end. In each byte lane, the
    /// high bit is set when the lane is one of them; the lowest set lane is always a true one.
    #[inline]
    fn run(&mut self) {
        const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
        const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
        const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
        const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
        const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);
        let mut rest = self.rest();
        while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
            let word = u64::from_le_bytes(*chunk);
            let (quotes, backslashes) = (word ^ QUOTES, word ^ BACKSLASHES);
            let hits = ((quotes.wrapping_sub(LOW) & !quotes)
                | (backslashes.wrapping_sub(LOW) & !backslashes)
                | (word.wrapping_sub(SPACES) & !word))
                & HIGH;
            if hits != 0 {
                self.advance((hits.trailing_zeros() >> 3) as usize);
                return;
            }
            self.advance(8);
            rest = after;
        }
        while let Some(0x20..=0x21 | 0x23..=0x5b | 0x5d..) = self.here() {
            self.advance(1);
        }
    }

    /// The run at the cursor.
    #[inline]
    fn plain(&mut self) -> &'a str {
        let from = self.at;
        self.run();
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

    fn escaped(&mut self, start: &str) -> Result<String, Stop> {
        let mut out = String::with_capacity(start.len().saturating_mul(2).saturating_add(16));
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
        self.run();
        while self.unfinished()? {
            self.escape()?;
            self.run();
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
    fn escape(&mut self) -> Result<char, Stop> {
        self.advance(1);
        let character = match self.here() {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Err(self.not_json("an unknown escape in a string")),
            None => return Err(self.not_json("an unfinished string")),
        };
        self.advance(1);
        Ok(character)
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
