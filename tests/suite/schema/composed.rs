//! What authors put together: types with parameters inside one another, recursion through a map and
//! through an option in a list, words of one, and what another crate could have declared.
use serde::{Deserialize, Serialize};
use sovereign_core::Arg;
use std::collections::BTreeMap;

/// One thing and several others.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Pair<A, B> {
    /// The one.
    one: A,
    /// The others.
    #[arg(length(max = 3))]
    others: Vec<B>,
}

/// One word, which says nothing.
#[derive(Debug, Serialize, Deserialize, Arg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Only {
    Word,
}

/// One shape.
#[derive(Debug, Serialize, Deserialize, Arg)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[arg(tag = "kind")]
pub(crate) enum Shape {
    Holding {
        /// How much of it.
        #[arg(range(max = 9))]
        much: Option<u8>,
    },
}

/// A part, in parts.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Part {
    /// By name.
    #[arg(length(max = 1))]
    named: BTreeMap<String, Part>,
    /// In order, with gaps.
    #[arg(length(max = 1))]
    row: Vec<Option<Box<Part>>>,
    /// How heavy.
    weight: Option<f64>,
}

type Held = Pair<Option<u8>, BTreeMap<String, Pair<bool, f64>>>;

/// All of it.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Composed {
    /// Parameters in parameters.
    pair: Pair<Pair<u8, String>, Held>,
    /// A word of one.
    only: Option<Only>,
    /// A shape of one.
    shape: Shape,
    /// In parts.
    part: Option<Part>,
}
