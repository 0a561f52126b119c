//! Types with parameters, also recursive ones.
use std::collections::BTreeMap;

use sovereign_core::prelude::*;

use super::values::read;

/// A page of anything.
#[derive(Debug, PartialEq, Arg)]
struct Page<T, const N: usize> {
    /// What is on it.
    #[arg(length(max = 2))]
    items: Vec<T>,
    /// Where the next ones are.
    #[arg(pattern = "^[a-f0-9]+$")]
    next: Option<String>,
    /// Marks.
    #[arg(inner(range(max = 9)))]
    marks: [u8; N],
    /// How many there are.
    #[arg(default = 7)]
    total: u32,
}

#[derive(Debug, PartialEq, Arg)]
#[arg(tag = "is")]
enum Either<A, B: Clone> {
    Left {
        /// The one.
        left: A,
    },
    Right {
        /// The other.
        #[arg(length(min = 1))]
        right: Vec<B>,
    },
}

/// A tree of anything.
#[derive(Debug, PartialEq, Arg)]
struct Tree<T> {
    /// What it holds.
    value: T,
    /// Below it.
    below: Vec<Self>,
    /// By name.
    named: Option<BTreeMap<String, Tree<T>>>,
}

#[derive(Debug, Clone, PartialEq, Arg)]
struct Same<T>(T);

/// Uses all of them.
#[derive(Debug, PartialEq, Arg)]
struct Uses {
    /// Numbers.
    numbers: Page<u8, 1>,
    /// Pages.
    pages: Option<Page<Page<bool, 1>, 2>>,
    /// One of two.
    either: Either<u8, Same<String>>,
    /// A tree.
    tree: Tree<Same<i8>>,
}

#[test]
fn a_parameter_is_described_where_it_is_given() {
    let good = r#"{
        "numbers":{"items":[255],"next":"a0","marks":[9]},
        "either":{"is":"right","right":["x"]},
        "tree":{"value":-1,"below":[{"value":1,"below":[]}],"named":{"a":{"value":2,"below":[]}}}
    }"#;
    let leaf = |value| Tree { value: Same(value), below: vec![], named: None };
    let expected = Uses {
        numbers: Page { items: vec![255], next: Some("a0".into()), marks: [9], total: 7 },
        pages: None,
        either: Either::Right { right: vec![Same("x".into())] },
        tree: Tree {
            value: Same(-1),
            below: vec![leaf(1)],
            named: Some(BTreeMap::from([("a".into(), leaf(2))])),
        },
    };
    assert_eq!(read::<Uses>(good), Ok(expected));
    for (from, to, code) in [
        ("[255]", "[256]", "range"),
        ("[255]", "[1,2,3]", "length"),
        ("a0", "g", "pattern"),
        ("[9]", "[10]", "range"),
        ("[\"x\"]", "[]", "length"),
        ("\"value\":2", "\"value\":200", "range"),
    ] {
        assert_eq!(read::<Uses>(&good.replace(from, to)), Err(code.into()), "{to}");
    }
}

/// A result of anything.
#[derive(serde::Serialize, Schema)]
struct Found<T> {
    found: Vec<T>,
}

#[test]
fn a_result_may_have_parameters() {
    let json = serde_json::to_vec(&Found { found: vec![Found { found: vec![1u8] }] }).unwrap();
    assert_eq!(sovereign_core::schema::check(&json, &<Found<Found<u8>>>::NODE), Ok(()));
    assert!(sovereign_core::schema::check(&json, &<Found<u8>>::NODE).is_err());
}
