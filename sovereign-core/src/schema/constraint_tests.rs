use super::*;
use crate::schema::{Profile, Schema, Step, render};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message that the compiler would show.
fn message(narrow: impl FnOnce() -> Node) -> String {
    let refused = catch_unwind(AssertUnwindSafe(narrow)).expect_err("must not be accepted");
    match refused.downcast::<&str>() {
        Ok(text) => (*text).to_owned(),
        Err(other) => *other.downcast::<String>().expect("a text"),
    }
}

type Case = (Box<dyn FnOnce() -> Node>, &'static str);

const ZERO: Option<(f64, &str)> = Some((0.0, "0.0"));
static ANY: Pattern = Pattern { text: "^a$", program: &[Step::Match] };
const ONE: Option<(f64, &str)> = Some((1.0, "1.0"));

#[test]
fn a_wrong_constraint_fails_with_a_message_that_names_the_attribute() {
    let list = || <Vec<u8>>::NODE;
    let cases: [Case; 33] = [
        (
            Box::new(|| bool::NODE.length(1, 2)),
            "`#[arg(length)]` applies to strings, lists and maps",
        ),
        (Box::new(|| u8::NODE.length(1, 2)), "`#[arg(length)]` applies to strings, lists and maps"),
        (
            Box::new(|| f64::NODE.length(1, 2)),
            "`#[arg(length)]` applies to strings, lists and maps",
        ),
        (Box::new(|| String::NODE.length(2, 1)), "`#[arg(length)]`: min is greater than max"),
        (Box::new(move || list().length(2, 1)), "`#[arg(length)]`: min is greater than max"),
        (Box::new(|| String::NODE.length(0, 3).length(4, 9)), "`#[arg(length)]`: min is greater"),
        (Box::new(|| String::NODE.range_int(Some(1), None)), "`#[arg(range)]` applies to numbers"),
        (Box::new(move || list().range_int(Some(1), None)), "`#[arg(range)]` applies to numbers"),
        (Box::new(|| bool::NODE.range_float(ZERO, None)), "`#[arg(range)]` applies to numbers"),
        (Box::new(|| u8::NODE.range_int(Some(2), Some(1))), "`#[arg(range)]`: min is greater"),
        (Box::new(|| u8::NODE.range_int(Some(-1), None)), "outside this field's integer type"),
        (Box::new(|| u8::NODE.range_int(None, Some(256))), "outside this field's integer type"),
        (Box::new(|| <Option<i8>>::NODE.range_int(Some(-129), None)), "outside this field's int"),
        (
            Box::new(|| u8::NODE.range_float(ZERO, ONE)),
            "is an integer, so write its bounds without",
        ),
        (Box::new(|| f64::NODE.range_int(Some(0), None)), "is a float, so write its bounds with"),
        (Box::new(|| f64::NODE.range_float(ONE, ZERO)), "`#[arg(range)]`: min is greater than max"),
        (
            Box::new(|| f64::NODE.range_float(Some((f64::NAN, "0")), None)),
            "outside this field's fl",
        ),
        (Box::new(|| f32::NODE.range_float(None, Some((1e39, "1e39")))), "outside this field's fl"),
        (Box::new(|| f64::NODE.range_float(Some((1.0, "1.")), None)), "as plain digits"),
        (Box::new(|| f64::NODE.range_float(Some((1e3, "1_000.0")), None)), "as plain digits"),
        (Box::new(|| u8::NODE.multiple_of(0)), "needs a number above 0"),
        (Box::new(|| f64::NODE.multiple_of(2)), "applies to integers"),
        (Box::new(|| u8::NODE.multiple_of(2).multiple_of(3)), "has one already"),
        (Box::new(|| Node::int(1, 9).multiple_of(10)), "no multiple lies within"),
        (Box::new(|| Node::int(-9, -1).multiple_of(10)), "no multiple lies within"),
        (Box::new(|| Node::int_but_zero(-9, 9).multiple_of(10)), "no multiple lies within"),
        (Box::new(|| u8::NODE.multiple_of(10).range_int(Some(1), Some(9))), "nothing that this"),
        (Box::new(|| u8::NODE.pattern(&ANY)), "`#[arg(pattern)]` applies to strings"),
        (Box::new(|| String::NODE.pattern(&ANY).pattern(&ANY)), "has one already"),
        (Box::new(|| u8::NODE.format(Format::Uuid)), "`#[arg(format)]` applies to strings"),
        (Box::new(|| IpAddr::NODE.format(Format::Ipv4)), "has one already"),
        (Box::new(|| u8::NODE.inner(|| &Node::BOOL)), "`#[arg(inner)]` applies to lists and maps"),
        (Box::new(crate::__private::items::<u8>), "`#[arg(inner)]` applies to lists and maps"),
    ];
    for (narrow, want) in cases {
        let message = message(narrow);
        assert!(message.contains(want) && message.contains("`#[arg("), "{message}");
    }
}

#[test]
fn what_has_no_meaning_as_a_node_fails() {
    assert!(message(|| Node::BOOL.nullable().nullable()).contains("`Option<Option<_>>`"));
    assert!(message(|| Node::NULL.nullable()).contains("`Option<()>`"));
    assert!(message(|| Node::choice(&[])).contains("without variants"));
    assert!(message(|| Node::choice(&["a", ""])).contains("empty string"));
    assert!(message(|| Node::choice(&["a", "b", "a"])).contains("same name"));
    assert!(message(|| Node::set(Node::NUMBER, || &Node::NUMBER)).contains("use a `Vec`"));
    assert!(message(|| Node::set(<Vec<u8>>::NODE, || &Node::BOOL)).contains("use a `Vec`"));
    assert!(message(|| Node::TEXT.beside_tag()).contains("a struct with named fields"));
}

#[test]
fn constraints_narrow_in_const_evaluation_and_keep_null() {
    const TEXT: Node = <Option<String>>::NODE.length(1, 500).length(0, 40);
    const WHOLE: Node = u16::NODE.range_int(None, Some(99));
    const RATIO: Node = f64::NODE.range_float(Some((-0.5, "-0.5")), Some((1e3, "1e3")));
    assert_eq!(
        render(&TEXT, Profile::Portable),
        r#"{"type":["string","null"],"minLength":1,"maxLength":40}"#
    );
    assert_eq!(render(&WHOLE, Profile::Portable), r#"{"type":"integer","minimum":0,"maximum":99}"#);
    assert_eq!(
        render(&RATIO, Profile::Portable),
        r#"{"type":"number","minimum":-0.5,"maximum":1e3}"#
    );
}

#[test]
fn a_bound_is_json_text_exactly_when_serde_reads_it_as_a_number() {
    for text in [
        "0", "-0", "1", "10", "01", "-01", "1.", ".5", "1.5", "-1.5", "1e3", "1E+3", "1e-3", "1e",
        "1e+", "+1", "", "-", "1_0", "1f64", "0x1", " 1", "1 ", "inf", "NaN", "0.0e0", "1.5e1.5",
    ] {
        let trimmed = text.trim() == text;
        let theirs = trimmed && serde_json::from_str::<serde_json::Number>(text).is_ok();
        assert_eq!(is_json_number(text), theirs, "{text}");
    }
}

#[test]
fn text_length_is_counted_in_code_points_at_every_boundary() {
    for min in 0..6 {
        for max in min..6 {
            let length = Length { min, max };
            for text in
                ["", "a", "ab", "é", "éé", "😀", "😀😀", "a😀é", "abcde", "ééééé", "😀😀😀😀😀😀"]
            {
                let count = text.chars().count();
                assert_eq!(length.admits_text(text), length.admits(count), "{text} {length:?}");
            }
        }
    }
    assert!(Length::ANY.admits_text(""));
}
