//! Tuples of two to four.
use super::spell::list;
use crate::schema::{Arg, Node, Reader, Schema, Stop};

macro_rules! tuples {
    ($(($($t:ident $slot:ident $index:literal),*))*) => {$(
        impl<$($t: Schema),*> Schema for ($($t,)*) {
            const NODE: Node = Node::tuple(|| const { &[$($t::NODE),*] });
        }
        impl<$($t: Arg),*> Arg for ($($t,)*) {
            fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
                $(let mut $slot = None;)*
                r.tuple(n, |r, index, node| {
                    match index {
                        $($index => $slot = Some($t::decode(r, node)?),)*
                        // only a hand-written node can be longer than the type
                        _ => r.raw().map(drop)?,
                    }
                    Ok(())
                })?;
                // as many as the node has, and none is wrong
                match ($($slot,)*) {
                    ($(Some($slot),)*) => Ok(($($slot,)*)),
                    _ => Err(Stop::Invalid),
                }
            }
            fn spelled(&self) -> Option<String> {
                let ($($slot,)*) = self;
                list([$($slot.spelled()),*].into_iter())
            }
        }
    )*};
}
tuples! {
    (A a 0, B b 1)
    (A a 0, B b 1, C c 2)
    (A a 0, B b 1, C c 2, D d 3)
}
