//! A default that is a constant, judged in const evaluation as far as that can look into its type.
//!
//! What it cannot look into (newtypes, patterns, the items of a list) is judged when the registry is
//! built.
use super::constraint::{IntRange, TextRules};
use super::node::{Kind, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::num;

/// Who judges a constant of type `T`: `Judged::<T>::BY` is the constant below for a type that is known
/// here, and that of [`Unseen`] for any other one. A bound could not tell the two apart.
#[derive(Clone, Copy, Debug)]
pub struct Judged<T>(PhantomData<T>);

/// Judges nothing.
#[derive(Clone, Copy, Debug)]
pub struct NotSeen;

pub trait Unseen {
    const BY: NotSeen = NotSeen;
}

impl<T> Unseen for Judged<T> {}

impl NotSeen {
    pub const fn judge<T>(self, _: &Node, _: &T) {}
}

macro_rules! integers {
    ($($t:ty, $non_zero:ty;)*) => { $(
        impl Judged<$t> {
            pub const BY: Self = Self(PhantomData);

            #[track_caller]
            pub const fn judge(self, node: &Node, value: &$t) {
                integer(node, *value as i128);
            }
        }

        impl Judged<$non_zero> {
            pub const BY: Self = Self(PhantomData);

            #[track_caller]
            pub const fn judge(self, node: &Node, value: &$non_zero) {
                integer(node, value.get() as i128);
            }
        }
    )* };
}

integers! {
    i8, num::NonZeroI8;
    i16, num::NonZeroI16;
    i32, num::NonZeroI32;
    i64, num::NonZeroI64;
    isize, num::NonZeroIsize;
    u8, num::NonZeroU8;
    u16, num::NonZeroU16;
    u32, num::NonZeroU32;
    u64, num::NonZeroU64;
    usize, num::NonZeroUsize;
}

impl Judged<f64> {
    pub const BY: Self = Self(PhantomData);

    #[track_caller]
    pub const fn judge(self, node: &Node, value: &f64) {
        float(node, *value);
    }
}

impl Judged<f32> {
    pub const BY: Self = Self(PhantomData);

    #[track_caller]
    pub const fn judge(self, node: &Node, value: &f32) {
        float(node, *value as f64);
    }
}

macro_rules! empty {
    ($([$($of:ident)?] $t:ty;)*) => { $(
        impl$(<$of>)? Judged<$t> {
            pub const BY: Self = Self(PhantomData);

            /// A constant of this type holds nothing: no constant function fills one.
            #[track_caller]
            pub const fn judge(self, node: &Node, _: &$t) {
                nothing(node);
            }
        }
    )* };
}

empty! {
    [] String;
    [T] Vec<T>;
    [T] BTreeSet<T>;
    [T] BTreeMap<String, T>;
}

#[track_caller]
const fn integer(node: &Node, value: i128) {
    let Kind::Int(range) = node.kind else { return };
    assert!(
        (IntRange { step: 0, ..range }).judge(value).is_ok(),
        "`#[arg(default)]`: this constant is outside of the field's `range`"
    );
    assert!(
        range.judge(value).is_ok(),
        "`#[arg(default)]`: this constant is no multiple of the field's `multiple_of`"
    );
}

#[track_caller]
const fn float(node: &Node, value: f64) {
    let Kind::Float(range) = node.kind else { return };
    // NaN is neither
    assert!(
        value >= range.min.value && value <= range.max.value,
        "`#[arg(default)]`: this constant is outside of the field's `range`"
    );
}

#[track_caller]
const fn nothing(node: &Node) {
    let (Kind::Text(TextRules { length, .. })
    | Kind::Array { length, .. }
    | Kind::Map { length, .. }) = node.kind
    else {
        return;
    };
    assert!(
        length.min == 0,
        "`#[arg(default)]`: this constant is empty, and the field's `length` does not allow that"
    );
}

#[cfg(test)]
#[path = "judged_tests.rs"]
mod tests;
