//! A type described in another crate: its limits, its texts and its values are the same here.
use sovereign_core::prelude::*;
use sovereign_core::schema::{Profile, Schema, render};
use sovereign_tests::described::{Order, Pages};

use super::values::read;

/// Reads a document.
#[derive(Debug, PartialEq, Arg)]
struct ReadDocument {
    /// Which pages.
    #[arg(default = Pages::ALL)]
    pages: Pages,
    /// The rest of them.
    #[arg(length(max = 2))]
    more: Option<Vec<Pages>>,
}

#[test]
fn type_of_another_crate_is_read_and_limited_as_there() {
    let document: ReadDocument = read(r#"{"more": [{"first": 3, "order": "backwards"}]}"#).unwrap();
    let last = Pages { first: 3, order: Order::Backwards };
    assert_eq!(document, ReadDocument { pages: Pages::ALL, more: Some(vec![last]) });
    let refused = read::<ReadDocument>(r#"{"pages": {"first": 0}, "more": [{}, {}, {}]}"#);
    assert_eq!(refused, Err("range,length".to_owned()));
}

#[test]
fn constant_of_another_crate_is_published_as_a_default() {
    let text = render(&ReadDocument::NODE, Profile::Full);
    assert!(text.contains(r#""default":{"first":1,"order":"forwards"}"#), "{text}");
}
