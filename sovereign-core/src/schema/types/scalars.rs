//! Nothing, truth, text.
use super::spell::quoted;
use crate::schema::violation::code;
use crate::schema::{Arg, Node, Reader, Schema, Stop};
use std::borrow::Cow;

impl Schema for () {
    const NODE: Node = Node::NULL;
}
impl Arg for () {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        r.null(n)
    }
    fn spelled(&self) -> Option<String> {
        Some("null".to_owned())
    }
}
impl Schema for bool {
    const NODE: Node = Node::BOOL;
}
impl Arg for bool {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        r.bool(n)
    }
    fn spelled(&self) -> Option<String> {
        Some(self.to_string())
    }
}
impl Schema for String {
    const NODE: Node = Node::TEXT;
}
impl Arg for String {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        r.text(n).map(Cow::into_owned)
    }
    fn spelled(&self) -> Option<String> {
        Some(quoted(self))
    }
}
/// One code point.
impl Schema for char {
    const NODE: Node = Node::TEXT.length(1, 1);
}
impl Arg for char {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        let text = r.text(n)?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(c),
            // only a hand-written node can be wider than the type
            _ => Err(r.fail(code::LENGTH, &Self::NODE)),
        }
    }
    fn spelled(&self) -> Option<String> {
        Some(quoted(self.encode_utf8(&mut [0; 4])))
    }
}
