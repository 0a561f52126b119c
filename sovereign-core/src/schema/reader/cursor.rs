//! Moving over bytes: white space, literals, depth, the end.
use super::{Fault, MAX_DEPTH, Reader, Stop};
use crate::schema::node::Node;
use crate::schema::violation::Received;

impl<'a> Reader<'a> {
    /// The bytes from the cursor on.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The text from `from` to the cursor.
    #[inline]
    pub(super) fn since(&self, from: usize) -> &'a str {
        // INVARIANT: the cursor only ever stops before or after an ASCII byte, or at the end.
        self.text.get(from..self.at).unwrap_or_default()
    }

    #[inline]
    pub(super) fn here(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) const fn advance(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// The next byte that is not white space; the cursor is then on it.
    #[inline]
    pub(in crate::schema) fn peek(&mut self) -> Option<u8> {
        match self.here() {
            None => None,
            Some(byte @ b'!'..) => Some(byte),
            Some(_) => {
                let rest = spaced(self.rest());
                self.go_on_at(rest);
                rest.first().copied()
            }
        }
    }

    /// `rest` is an end of the text.
    #[inline]
    pub(super) const fn go_on_at(&mut self, rest: &[u8]) {
        self.at = self.text.len().saturating_sub(rest.len());
    }

    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.advance(usize::from(hit));
        hit
    }

    /// What the value at the cursor begins like.
    pub(super) fn received(&mut self) -> Received {
        match self.peek() {
            None => Received::Nothing,
            Some(b'n') => Received::Null,
            Some(b't' | b'f') => Received::Boolean,
            Some(b'-' | b'0'..=b'9') => Received::Number,
            Some(b'"') => Received::String,
            Some(b'[') => Received::Array,
            Some(b'{') => Received::Object,
            Some(_) => Received::NotJson,
        }
    }

    /// Reads past any value: the text of it.
    ///
    /// # Errors
    /// [`Stop::Syntax`] only.
    pub fn raw(&mut self) -> Result<&'a str, Stop> {
        self.peek();
        let from = self.at;
        self.skip()?;
        Ok(self.since(from))
    }

    #[inline]
    pub(super) fn literal<const N: usize>(&mut self, word: &[u8; N]) -> Result<(), Stop> {
        if self.rest().first_chunk() == Some(word) {
            self.advance(N);
            Ok(())
        } else {
            Err(self.not_json("a word that is not `true`, `false` or `null`"))
        }
    }

    /// Consumes `null` when it is next.
    ///
    /// # Errors
    /// [`Stop::Syntax`] when the word only begins like it.
    #[inline]
    pub fn take_null(&mut self) -> Result<bool, Stop> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.literal(b"null").map(|()| true)
    }

    /// Reads `null`.
    ///
    /// # Errors
    /// When something else is next.
    pub fn null(&mut self, node: &Node) -> Result<(), Stop> {
        if self.take_null()? { Ok(()) } else { Err(self.mismatch(node)) }
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// When something else is next.
    pub fn bool(&mut self, node: &Node) -> Result<bool, Stop> {
        match self.peek() {
            Some(b't') => self.literal(b"true").map(|()| true),
            Some(b'f') => self.literal(b"false").map(|()| false),
            _ => Err(self.mismatch(node)),
        }
    }

    /// Into an object or an array; [`Self::leave`] goes out again.
    #[inline]
    pub(in crate::schema) fn enter(&mut self) -> Result<(), Stop> {
        self.advance(1);
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH { Err(self.halt(Fault::TooDeep)) } else { Ok(()) }
    }

    #[inline]
    pub(in crate::schema) const fn leave(&mut self) {
        self.advance(1);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Nothing but white space may follow.
    pub(super) fn end(&mut self) -> Result<(), Stop> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.not_json("more after the end of the value")),
        }
    }
}

/// What comes after white space.
#[inline]
pub(super) fn spaced(rest: &[u8]) -> &[u8] {
    match rest {
        [byte, ..] if *byte > b' ' => rest,
        [b' ', after @ ..] if after.first().is_some_and(|byte| *byte > b' ') => after,
        _ => after_spaces(rest),
    }
}

/// As [`spaced`], for a line's end and an indentation.
#[inline(never)]
fn after_spaces(mut rest: &[u8]) -> &[u8] {
    const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);
    while let [b' ' | b'\n' | b'\t' | b'\r', after @ ..] = rest {
        rest = after;
        // the zero bytes at the low end are the spaces that come first
        while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
            let others = u64::from_le_bytes(*chunk) ^ SPACES;
            if others != 0 {
                let spaces = (others.trailing_zeros() >> 3) as usize;
                rest = rest.get(spaces..).unwrap_or_default();
                break;
            }
            rest = after;
        }
    }
    rest
}
