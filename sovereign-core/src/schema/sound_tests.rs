use super::*;
use crate::Arg;
use crate::schema::Schema;

const PAGE: u32 = 20;
const TOO_MANY: Few = Few(500);

/// Not many.
#[derive(Clone, Copy, Arg)]
struct Few(#[arg(range(max = 100))] u32);

/// What another crate could have written.
#[derive(Clone, Copy, Default, Arg)]
enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// Best first.
    Best,
}

/// Where to look.
#[derive(Default, Arg)]
struct Place {
    /// A name.
    name: String,
    /// In which order.
    order: Order,
}

/// Every default fits.
#[derive(Arg)]
struct Fitting {
    /// How many.
    #[arg(range(max = 100), default = PAGE)]
    limit: u32,
    /// In which order.
    #[arg(default = Order::Best)]
    order: Order,
    /// Where.
    #[arg(default)]
    place: Place,
    /// Marks.
    #[arg(default)]
    tags: Vec<String>,
}

/// A constant beyond the bound of its type, into which const evaluation does not look.
#[derive(Arg)]
struct Beyond {
    /// Inside.
    inner: BeyondInner,
}

/// Inside.
#[derive(Arg)]
struct BeyondInner {
    /// How many.
    #[arg(default = TOO_MANY)]
    limit: Few,
}

/// A word of two letters.
#[derive(Arg)]
struct Word(#[arg(length(equal = 2))] String);

impl From<&'static str> for Word {
    fn from(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

/// A literal that its field's own type refuses.
#[derive(Arg)]
struct ByType {
    /// The word.
    #[arg(default = "long")]
    word: Word,
}

fn texts(node: &Node) -> Vec<Option<String>> {
    node.fields().iter().map(|f| f.default_text().map(|text| text.into_owned())).collect()
}

#[test]
fn default_that_is_no_literal_has_its_json_text() {
    sound(&Fitting::NODE).unwrap();
    let told = ["20", r#""best""#, r#"{"name":"","order":"newest"}"#, "[]"];
    assert_eq!(texts(&Fitting::NODE), told.map(|text| Some(text.to_owned())));
}

#[test]
fn constant_that_its_field_refuses_is_found_where_it_stands() {
    let error = sound(&Beyond::NODE).unwrap_err().to_string();
    assert_eq!(
        error,
        "the default of `inner.limit` is not a value that the field takes: expected an integer from 0 to 100"
    );
}

#[test]
fn literal_that_the_type_of_its_field_refuses_is_found() {
    let error = sound(&ByType::NODE).unwrap_err();
    assert!(matches!(&error, Unsound::Default { at, .. } if at == "word"), "{error}");
}

/// A place.
#[derive(Arg)]
struct Tagged {
    /// What it is.
    kind: u8,
}

#[expect(dead_code, reason = "only described")]
#[derive(Arg)]
#[arg(tag = "kind")]
enum Holding {
    All,
    Tagged(Tagged),
}

#[expect(dead_code, reason = "only described")]
#[derive(Arg)]
#[arg(tag = "is")]
enum Beside {
    Tagged(Tagged),
}

#[test]
fn tag_that_is_a_field_of_what_a_variant_holds_is_found() {
    let wrong = Err(Unsound::Tag { name: "Holding", tag: "kind" });
    assert_eq!(sound(&<Vec<Holding>>::NODE), wrong);
    assert_eq!(sound_result(&Holding::NODE), wrong);
    assert_eq!(sound(&Beside::NODE), Ok(()));
}

#[test]
fn depth_is_counted_in_objects_and_lists() {
    type Five = Vec<Vec<Vec<Vec<Vec<u8>>>>>;
    type Ten = Vec<Vec<Vec<Vec<Vec<Five>>>>>;
    sound(&Ten::NODE).unwrap();
    assert_eq!(sound(&<Vec<Ten>>::NODE), Err(Unsound::TooDeep { limit: 10 }));
}

/// A tree.
#[derive(Arg)]
struct Tree {
    /// What grows on it.
    branches: Vec<Self>,
}

#[test]
fn recursive_type_is_as_deep_as_one_round_of_it() {
    sound(&Tree::NODE).unwrap();
}
