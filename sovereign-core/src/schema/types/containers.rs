//! `Option`, `Box`, lists and arrays.
use super::spell::list;
use crate::schema::violation::code;
use crate::schema::{Arg, Node, Reader, Schema, Stop};

impl<T: Schema> Schema for Option<T> {
    const NODE: Node = T::NODE.nullable();
    const OPTIONAL: bool = true;
    const ITEMS: Option<Node> = T::ITEMS;
}
impl<T: Arg> Arg for Option<T> {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        if r.take_null()? { Ok(None) } else { T::decode(r, n).map(Some) }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn spelled(&self) -> Option<String> {
        self.as_ref().map_or_else(|| Some("null".to_owned()), T::spelled)
    }
}
impl<T: Schema> Schema for Box<T> {
    const NODE: Node = T::NODE;
    const OPTIONAL: bool = T::OPTIONAL;
    const ITEMS: Option<Node> = T::ITEMS;
}
impl<T: Arg> Arg for Box<T> {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        T::decode(r, n).map(Self::new)
    }
    fn absent() -> Option<Self> {
        T::absent().map(Self::new)
    }
    fn spelled(&self) -> Option<String> {
        T::spelled(self)
    }
}
impl<T: Schema> Schema for Vec<T> {
    const NODE: Node = Node::array(|| const { &T::NODE });
    const ITEMS: Option<Node> = Some(T::NODE);
}
impl<T: Arg> Arg for Vec<T> {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        r.array(n, T::decode)
    }
    fn spelled(&self) -> Option<String> {
        list(self.iter().map(T::spelled))
    }
}
impl<T: Schema, const N: usize> Schema for [T; N] {
    const NODE: Node = {
        assert!(N > 0 && N < u32::MAX as usize, "an array in JSON has at least one item here");
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let length = N as u32;
        Node::array(|| const { &T::NODE }).length(length, length)
    };
    const ITEMS: Option<Node> = Some(T::NODE);
}
impl<T: Arg, const N: usize> Arg for [T; N] {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        // only a hand-written node can allow another length
        r.array(n, T::decode)?.try_into().map_err(|_| r.fail(code::LENGTH, &Self::NODE))
    }
    fn spelled(&self) -> Option<String> {
        list(self.iter().map(T::spelled))
    }
}
