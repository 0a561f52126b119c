//! Arrays.
use super::{Reader, Stop};
use crate::schema::node::{Kind, Node};
use crate::schema::violation::{Segment, code};

impl Reader<'_> {
    /// Reads an array within the node's length, each item with `item`.
    ///
    /// # Errors
    /// When something else is next, or an item does not fit; every item is read either way.
    pub fn array<T>(
        &mut self,
        node: &Node,
        mut item: impl FnMut(&mut Self, &Node) -> Result<T, Stop>,
    ) -> Result<Vec<T>, Stop> {
        let (Some(b'['), Kind::Array { items, length, .. }) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        let items = items();
        self.enter()?;
        let (mut out, mut count, mut bad) = (Vec::new(), 0usize, false);
        if self.peek() != Some(b']') {
            loop {
                let mark = self.findings.len();
                match item(self, items) {
                    Ok(value) if !bad => out.push(value),
                    Ok(_) => {}
                    Err(Stop::Invalid) => {
                        self.findings.prefix(mark, Segment::Index(count));
                        bad = true;
                        out = Vec::new();
                    }
                    Err(Stop::Syntax) => return Err(Stop::Syntax),
                }
                count = count.saturating_add(1);
                if !self.another(b']')? {
                    break;
                }
            }
        }
        self.leave();
        if !length.admits(count) {
            return Err(self.fail(code::LENGTH, node));
        }
        if bad { Err(Stop::Invalid) } else { Ok(out) }
    }

    /// As [`Self::array`], for a list that holds nothing twice: `insert` says whether an item is
    /// new.
    ///
    /// # Errors
    /// As [`Self::array`], and when an item is not new.
    pub fn set<T>(
        &mut self,
        node: &Node,
        mut item: impl FnMut(&mut Self, &Node) -> Result<T, Stop>,
        mut insert: impl FnMut(T) -> bool,
    ) -> Result<(), Stop> {
        // a list of `()` owns no memory
        self.array(node, |reader, node| {
            let value = item(reader, node)?;
            if insert(value) { Ok(()) } else { Err(reader.fail(code::DUPLICATE_ITEM, node)) }
        })
        .map(drop)
    }

    /// After an item: consumes a comma, or stays on the closing bracket.
    #[inline]
    pub(in crate::schema) fn another(&mut self, close: u8) -> Result<bool, Stop> {
        match self.peek() {
            Some(b',') => {
                self.advance(1);
                Ok(true)
            }
            Some(byte) if byte == close => Ok(false),
            Some(_) => Err(self.not_json("neither a comma nor a closing bracket")),
            None => Err(self.not_json("an unfinished array or object")),
        }
    }
}
