//! Arrays of a fixed length, each item with its own shape.
use super::{Reader, Stop};
use crate::schema::node::{Kind, Node};
use crate::schema::violation::{Segment, code};

impl Reader<'_> {
    /// Reads an array with as many items as the node says, each with `item`, which is given the
    /// item's index and node.
    ///
    /// # Errors
    /// When something else is next, the length is another one, or an item does not fit.
    pub fn tuple(
        &mut self,
        node: &Node,
        mut item: impl FnMut(&mut Self, usize, &Node) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (Some(b'['), Kind::Tuple(items)) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        let items = items();
        self.enter()?;
        let (mut count, mut bad) = (0usize, false);
        if self.peek() != Some(b']') {
            loop {
                match items.get(count) {
                    Some(own) => {
                        let segment = Segment::Index(count);
                        bad |= self.within(segment, |r| item(r, count, own))?.is_none();
                    }
                    None => self.skip()?,
                }
                count = count.saturating_add(1);
                if !self.another(b']')? {
                    break;
                }
            }
        }
        self.leave();
        if count != items.len() {
            return Err(self.fail(code::LENGTH, node));
        }
        if bad { Err(Stop::Invalid) } else { Ok(()) }
    }
}
