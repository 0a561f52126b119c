use super::*;
use crate::schema::{Schema, Tagging, Variant};

const SECRET: Field = Field::new("key", "", Node::ANY).sensitive();
const INNER: Node = Node::object(|| {
    const { &Object { name: "Inner", description: "", fields: &[SECRET, Field::new("n", "", u8::NODE)] } }
});
const UNION: Node = Node::union(|| {
    const {
        &Union {
            name: "U",
            description: "",
            tagging: Tagging::Internal { tag: "t" },
            variants: &[
                Variant { name: "a", description: "", body: Body::Unit },
                Variant { name: "b", description: "", body: Body::Struct(&[SECRET]) },
            ],
        }
    }
});
const OUTER: Node = Node::object(|| {
    const {
        &Object {
            name: "Outer",
            description: "",
            fields: &[
                Field::new("all", "", Node::array(|| const { &INNER })),
                Field::new("by", "", Node::map(|| const { &INNER })),
                Field::new("two", "", Node::tuple(|| const { &[u8::NODE, INNER] })),
                Field::new("one", "", UNION).required(false),
                Field::new("plain", "", Node::ANY).required(false),
            ],
        }
    }
});

#[track_caller]
fn assert_redacted(json: &str, want: &str) {
    assert_eq!(redact(&RawArguments::parse(json.as_bytes()).expect("an object"), &OUTER), want);
}

#[test]
fn a_secret_is_withheld_wherever_it_stands() {
    assert_redacted(
        r#"{"all": [{"key": "S", "n": 1}, {"n": 2, "k\u0065y": {"S": ["S"]}}],
            "by": {"x": {"key": 5}}, "two": [1, {"key": "S"}], "plain": {"a": [1]}}"#,
        r#"{"all":[{"key":"[withheld]","n":1},{"n":2,"key":"[withheld]"}],"by":{"x":{"key":"[withheld]"}},"two":[1,{"key":"[withheld]"}],"plain":{"a": [1]}}"#,
    );
}

#[test]
fn what_does_not_fit_is_withheld_where_it_could_hold_a_secret() {
    assert_redacted(
        r#"{"all": {"key": "S"}, "by": ["S"], "two": [1, "S", "S"], "one": {"t": "a"}, "kei": "S"}"#,
        r#"{"all":"[withheld]","by":"[withheld]","two":[1,"[withheld]","[withheld]"],"one":"[withheld]","[withheld]":"[withheld]"}"#,
    );
    assert_redacted(r#"{"one": null, "all": []}"#, r#"{"one":null,"all":[]}"#);
}

#[test]
fn a_tree_knows_whether_it_holds_a_secret() {
    assert!(OUTER.holds_sensitive() && UNION.holds_sensitive());
    assert!(!crate::schema::fixtures::Tree::NODE.holds_sensitive());
    assert!(<Vec<Option<u8>>>::NODE.fields().is_empty());
}
