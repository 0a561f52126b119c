//! Integers up to 64 bits and floats.
use crate::schema::violation::code;
use crate::schema::{Arg, Node, Reader, Schema, Stop};
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroUsize,
};

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Schema for $t {
            const NODE: Node = Node::int(<$t>::MIN as i128, <$t>::MAX as i128);
        }
        impl Arg for $t {
            fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
                let value = r.int(n)?;
                // only a hand-written node can be wider than the type
                Self::try_from(value).map_err(|_| r.fail(code::RANGE, &Self::NODE))
            }
            fn spelled(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )*};
}
integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

macro_rules! but_zero {
    ($node:ident: $($t:ty),*) => {$(
        impl Schema for $t {
            const NODE: Node = Node::$node(<$t>::MIN.get() as i128, <$t>::MAX.get() as i128);
        }
        impl Arg for $t {
            fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
                let value = r.int(n)?.try_into().ok().and_then(Self::new);
                // only a hand-written node can be wider than the type
                value.ok_or_else(|| r.fail(code::RANGE, &Self::NODE))
            }
            fn spelled(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )*};
}
but_zero!(int: NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize);
but_zero!(int_but_zero: NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize);

impl Schema for f32 {
    const NODE: Node = Node::SINGLE;
}
impl Arg for f32 {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        let value = r.number(n)?;
        #[expect(clippy::cast_possible_truncation, reason = "to the nearest, and judged below")]
        let single = value as Self;
        if single.is_finite() { Ok(single) } else { Err(r.fail(code::RANGE, &Self::NODE)) }
    }
    fn spelled(&self) -> Option<String> {
        self.is_finite().then(|| format!("{self:?}"))
    }
}
impl Schema for f64 {
    const NODE: Node = Node::NUMBER;
}
impl Arg for f64 {
    fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
        r.number(n)
    }
    fn spelled(&self) -> Option<String> {
        self.is_finite().then(|| format!("{self:?}"))
    }
}
