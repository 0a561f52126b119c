//! The const schema tree.
//!
//! A node is `Copy` and held by value, so that a constraint narrows it in const evaluation and
//! `Option<T>` only sets a flag. Children of arrays and objects hang off `fn` pointers: recursive
//! types then need neither `unsafe` nor a static.
use super::constraint::{FloatBound, FloatRange, IntRange, Length, TextRules};
use super::object::{Field, Object};
use super::union::Union;

/// The shape of one JSON value: its type, its constraints, and whether `null` is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Any JSON value at all.
    Any,
    Null,
    Bool,
    Int(IntRange),
    Float(FloatRange),
    Text(TextRules),
    Choice(&'static [&'static str]),
    Array {
        items: fn() -> &'static Node,
        length: Length,
        /// No item twice.
        unique: bool,
    },
    /// As many items as nodes, each with its own.
    Tuple(fn() -> &'static [Node]),
    /// An object whose keys are the sender's.
    Map {
        values: fn() -> &'static Node,
        length: Length,
    },
    Object(fn() -> &'static Object),
    Union(fn() -> &'static Union),
}

impl Node {
    /// Only `null`.
    pub const NULL: Self = Self::of(Kind::Null);
    /// `true` or `false`.
    pub const BOOL: Self = Self::of(Kind::Bool);
    /// Any number that a finite `f64` can hold.
    pub const NUMBER: Self = Self::of(Kind::Float(FloatRange {
        min: FloatBound { value: f64::MIN, text: "" },
        max: FloatBound { value: f64::MAX, text: "" },
    }));
    /// Any number within the finite range of `f32`.
    pub const SINGLE: Self = Self::of(Kind::Float(FloatRange {
        min: FloatBound { value: f32::MIN as f64, text: "-3.4028234663852886e38" },
        max: FloatBound { value: f32::MAX as f64, text: "3.4028234663852886e38" },
    }));
    /// Any string.
    pub const TEXT: Self = Self::of(Kind::Text(TextRules::ANY));
    /// Any JSON value, `null` included. A schema that holds it cannot be used in a provider's strict
    /// mode.
    pub const ANY: Self = Self::of(Kind::Any);

    const fn of(kind: Kind) -> Self {
        Self { kind, nullable: false }
    }

    /// A whole number within the two inclusive bounds.
    ///
    /// # Panics
    /// When nothing is left between them: in a constant, which is then a compile error.
    #[must_use]
    pub const fn int(min: i128, max: i128) -> Self {
        assert!(min <= max, "an integer needs min <= max");
        Self::of(Kind::Int(IntRange { min, max, step: 0, zero: true }))
    }

    /// As [`Self::int`], without zero.
    ///
    /// # Panics
    /// As [`Self::int`].
    #[must_use]
    pub const fn int_but_zero(min: i128, max: i128) -> Self {
        assert!(min <= max, "an integer needs min <= max");
        Self::of(Kind::Int(IntRange { min, max, step: 0, zero: false }))
    }

    /// One string of a closed list.
    ///
    /// # Panics
    /// For an empty list, an empty string and a repetition: in a constant, which is then a compile
    /// error.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "const evaluation"
    )]
    pub const fn choice(values: &'static [&'static str]) -> Self {
        assert!(!values.is_empty(), "an enum without variants has no value");
        let mut i = 0;
        while i < values.len() {
            assert!(!values[i].is_empty(), "the empty string cannot be a choice");
            let mut j = 0;
            while j < i {
                assert!(!same(values[i], values[j]), "two variants have the same name on the wire");
                j += 1;
            }
            i += 1;
        }
        Self::of(Kind::Choice(values))
    }

    /// A list of values that all have one shape.
    #[must_use]
    pub const fn array(items: fn() -> &'static Self) -> Self {
        Self::of(Kind::Array { items, length: Length::ANY, unique: false })
    }

    /// A list that holds no value twice; `item` is what `items` gives.
    ///
    /// # Panics
    /// When an item is not an integer, a string or a choice, because equality of anything else is
    /// not the same to every reader: in a constant, which is then a compile error.
    #[must_use]
    #[track_caller]
    pub const fn set(item: Self, items: fn() -> &'static Self) -> Self {
        assert!(
            matches!(item.kind, Kind::Int(_) | Kind::Text(_) | Kind::Choice(_)) && !item.nullable,
            "a set holds integers, strings or plain enums: use a `Vec` for anything else"
        );
        Self::of(Kind::Array { items, length: Length::ANY, unique: true })
    }

    /// As many values as `items` has nodes, in that order.
    #[must_use]
    pub const fn tuple(items: fn() -> &'static [Self]) -> Self {
        Self::of(Kind::Tuple(items))
    }

    /// An object with any keys, whose values all have one shape.
    #[must_use]
    pub const fn map(values: fn() -> &'static Self) -> Self {
        Self::of(Kind::Map { values, length: Length::ANY })
    }

    /// One of several shapes, told apart by a tag.
    #[must_use]
    pub const fn union(union: fn() -> &'static Union) -> Self {
        Self::of(Kind::Union(union))
    }

    /// The same list or map with other items: its own, narrowed.
    ///
    /// # Panics
    /// On another type: in a constant, which is then a compile error.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn inner(mut self, inner: fn() -> &'static Self) -> Self {
        self.kind = match self.kind {
            Kind::Array { length, unique, .. } => Kind::Array { items: inner, length, unique },
            Kind::Map { length, .. } => Kind::Map { values: inner, length },
            _ => panic!("`#[arg(inner)]` applies to lists and maps, not to this field's type"),
        };
        self
    }

    /// Itself, when it can stand beside the tag of an internally tagged enum.
    ///
    /// # Panics
    /// When it is not an object with named fields: in a constant, which is then a compile error.
    #[must_use]
    #[track_caller]
    pub const fn beside_tag(self) -> Self {
        assert!(
            matches!(self.kind, Kind::Object(_)) && !self.nullable,
            "a variant of an internally tagged enum holds a struct with named fields, which stand beside the tag"
        );
        self
    }

    /// A closed object.
    #[must_use]
    pub const fn object(object: fn() -> &'static Object) -> Self {
        Self::of(Kind::Object(object))
    }

    /// The fields of an object, in declaration order; nothing for any other kind.
    pub(crate) fn fields(&self) -> &'static [Field] {
        match self.kind {
            Kind::Object(object) => object().fields,
            _ => &[],
        }
    }

    /// The same, or `null`.
    ///
    /// # Panics
    /// When `null` is allowed already, because absent, `null` and `null` inside could not be told
    /// apart: in a constant, which is then a compile error.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        assert!(
            !self.nullable,
            "`Option<Option<_>>` cannot be told apart from `Option<_>` in JSON: use one `Option`"
        );
        assert!(
            !matches!(self.kind, Kind::Null),
            "`Option<()>` is `null` either way: use `bool` to say yes or no"
        );
        self.nullable = true;
        self
    }
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "const evaluation")]
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
