//! Objects whose keys are the sender's.
use super::keys::Keys;
use super::{Reader, Stop};
use crate::schema::node::{Kind, Node};
use crate::schema::violation::{Received, Segment, code};
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads an object with any keys, each value with `value`, in the order in which they were sent.
    ///
    /// # Errors
    /// When something else is next, a key comes twice, or a value does not fit; every value is read
    /// either way.
    pub fn map<T>(
        &mut self,
        node: &Node,
        mut value: impl FnMut(&mut Self, &Node) -> Result<T, Stop>,
    ) -> Result<Vec<(String, T)>, Stop> {
        let mut out = Vec::new();
        self.entries(node, |reader, key, node| {
            let value = value(reader, node)?;
            out.push((key.into_owned(), value));
            Ok(())
        })?;
        Ok(out)
    }

    pub(super) fn entries(
        &mut self,
        node: &Node,
        mut entry: impl FnMut(&mut Self, Cow<'a, str>, &Node) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (Some(b'{'), Kind::Map { values, length }) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        let values = values();
        self.enter()?;
        let (mut keys, mut count, mut bad) = (Keys::new(), 0usize, false);
        if self.peek() != Some(b'}') {
            loop {
                let key = self.key()?;
                if keys.insert(key.clone()) {
                    count = count.saturating_add(1);
                    let segment = Segment::Entry(count);
                    bad |= self.within(segment, |reader| entry(reader, key, values))?.is_none();
                } else {
                    bad = true;
                    self.skip()?;
                    self.findings
                        .add(code::DUPLICATE_KEY, Received::Object, || "each key once".into());
                }
                if !self.another(b'}')? {
                    break;
                }
            }
        }
        self.leave();
        if !length.admits(count) {
            return Err(self.fail(code::LENGTH, node));
        }
        if bad { Err(Stop::Invalid) } else { Ok(()) }
    }
}
