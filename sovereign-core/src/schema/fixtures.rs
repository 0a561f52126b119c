//! Types for the unit tests of this module.
use crate::Arg;

/// Every scalar.
#[derive(Debug, PartialEq, Arg)]
pub(super) struct Scalars {
    /// Yes or no.
    pub(super) yes: bool,
    /// Small.
    pub(super) small: u8,
    /// Large.
    pub(super) large: i64,
    /// Any finite number.
    pub(super) ratio: f64,
    /// Text.
    #[arg(length(min = 1, max = 4))]
    pub(super) text: String,
    /// One of three.
    pub(super) colour: Colour,
}

/// A colour.
#[derive(Debug, PartialEq, Arg)]
pub(super) enum Colour {
    Red,
    DeepGreen,
    Blue,
}

/// Containers.
#[derive(Debug, Default, PartialEq, Arg)]
pub(super) struct Nested {
    /// Inner objects.
    #[arg(length(max = 3))]
    pub(super) items: Option<Vec<Inner>>,
    /// One more.
    pub(super) one: Option<Box<Inner>>,
}

/// A point.
#[derive(Debug, PartialEq, Arg)]
pub(super) struct Inner {
    /// Across.
    pub(super) x: i8,
    /// Down.
    pub(super) y: Option<i8>,
}

/// A tree.
#[expect(clippy::use_self, reason = "the derive names field types outside of any impl")]
#[derive(Debug, PartialEq, Arg)]
pub(super) struct Tree {
    /// Its value.
    pub(super) v: u8,
    /// Below it.
    #[arg(length(max = 3))]
    pub(super) kids: Vec<Tree>,
    /// Beside it.
    pub(super) left: Option<Box<Tree>>,
}

/// Takes nothing.
#[derive(Debug, PartialEq, Arg)]
pub(super) struct Nothing {}
