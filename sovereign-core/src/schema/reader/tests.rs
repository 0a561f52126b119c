use super::*;
use crate::schema::fixtures::{Colour, Inner, Nested, Nothing, Scalars, Tree};
use crate::schema::violation::MAX_VIOLATIONS;
use crate::schema::{Field, Schema};

/// Straight to the decoder: nothing has looked at the bytes before.
pub(super) fn read<T: Arg>(json: &[u8]) -> Result<T, Vec<Violation>> {
    over(json, |reader| T::decode(reader, &T::NODE))
}

/// Pointers and codes, and that checking finds the same as decoding.
pub(super) fn wrong<T: Arg>(json: &str) -> Vec<(String, &'static str)> {
    let violations = read::<T>(json.as_bytes()).err().unwrap_or_default();
    assert_eq!(check(json.as_bytes(), &T::NODE).err().unwrap_or_default(), violations, "{json}");
    violations.into_iter().map(|v| (v.at, v.code)).collect()
}

pub(super) fn at(pointers: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    pointers.iter().map(|(at, code)| ((*at).to_owned(), *code)).collect()
}

pub(super) fn scalars(field: &str, value: &str) -> String {
    let mut out = Vec::new();
    for (name, good) in [
        ("yes", "true"),
        ("small", "7"),
        ("large", "-9"),
        ("ratio", "0.5"),
        ("text", "\"ab\""),
        ("colour", "\"deep_green\""),
    ] {
        out.push(format!("\"{name}\":{}", if name == field { value } else { good }));
    }
    format!("{{{}}}", out.join(","))
}

#[test]
fn a_valid_object_is_decoded_whatever_its_order_white_space_and_escapes() {
    let want = Scalars {
        yes: true,
        small: 7,
        large: -9,
        ratio: 0.5,
        text: "ab".into(),
        colour: Colour::DeepGreen,
    };
    for json in [
        scalars("", ""),
        r#" { "colour" : "deep\u005fgreen" , "text":"a\u0062","ratio":5e-1 , "large":-9, "small":7.0,
            "y\u0065s" :true } "#
            .to_owned(),
    ] {
        assert_eq!(read::<Scalars>(json.as_bytes()).expect(&json), want);
    }
}

#[test]
fn every_violation_is_reported_at_its_pointer() {
    let json = r#"{"items":[{"x":1},{"x":300,"y":"a"},{"y":1.5},7],"one":{"x":null,"z":0},"on":1}"#;
    assert_eq!(
        wrong::<Nested>(json),
        at(&[
            ("/items/1/x", code::RANGE),
            ("/items/1/y", code::TYPE),
            ("/items/2/y", code::TYPE),
            ("/items/2/x", code::MISSING_FIELD),
            ("/items/3", code::TYPE),
            ("/items", code::LENGTH),
            ("/one/x", code::TYPE),
            ("/one", code::UNKNOWN_FIELD),
            ("", code::UNKNOWN_FIELD),
        ])
    );
}

#[test]
fn a_missing_field_names_what_belongs_there() {
    let missing = read::<Inner>(b"{}").expect_err("x is required");
    assert_eq!(
        missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["`/x`: missing_field: expected an integer from -128 to 127, received nothing"]
    );
    assert_eq!(read::<Nothing>(b"{}"), Ok(Nothing {}));
}

#[test]
fn optional_means_absent_or_null() {
    for json in ["{}", r#"{"items":null}"#, r#"{"one":null,"items":null}"#] {
        assert_eq!(read::<Nested>(json.as_bytes()), Ok(Nested::default()), "{json}");
        assert_eq!(wrong::<Nested>(json), []);
    }
    assert_eq!(wrong::<Inner>(r#"{"x":null}"#), at(&[("/x", code::TYPE)]));
}

#[test]
fn a_repeated_key_is_refused_in_known_and_in_skipped_objects() {
    assert_eq!(wrong::<Inner>(r#"{"x":1,"x":1}"#), at(&[("/x", code::DUPLICATE_KEY)]));
    assert_eq!(wrong::<Inner>(r#"{"x":1,"\u0078":2}"#), at(&[("/x", code::DUPLICATE_KEY)]));
    assert_eq!(wrong::<Inner>(r#"{"y":1,"x":1,"y":2}"#), at(&[("/y", code::DUPLICATE_KEY)]));
    for json in [
        r#"{"x":{"a":1,"a":2}}"#,
        r#"{"x":1,"z":[{"a":1,"b":{"c":1,"c":2}}]}"#,
        r#"{"x":1,"x":{"a":1,"a":2}}"#,
    ] {
        assert_eq!(wrong::<Inner>(json), at(&[("", code::DUPLICATE_KEY)]), "{json}");
    }
}

#[test]
fn an_unknown_key_is_answered_with_the_known_ones_and_never_repeated() {
    let secret = "correct horse\u{202e}\u{1b}[2J";
    let key = serde_json::to_string(secret).expect("JSON");
    let refused =
        read::<Inner>(format!("{{\"x\":1,{key}:{key}}}").as_bytes()).expect_err("unknown");
    assert_eq!(
        refused,
        [Violation {
            at: String::new(),
            code: code::UNKNOWN_FIELD,
            expected: "only the fields `x`, `y`".into(),
            received: Received::String,
        }]
    );
}

#[test]
fn call_in_call_is_refused_with_the_real_fields_named() {
    let refused = read::<Inner>(br#"{"name":"t","parameters":{"x":1}}"#).expect_err("nested");
    let lines: Vec<_> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "`the whole value`: unknown_field: expected only the fields `x`, `y`, received a string",
            "`the whole value`: unknown_field: expected only the fields `x`, `y`, received an object",
            "`/x`: missing_field: expected an integer from -128 to 127, received nothing",
        ]
    );
}

#[test]
fn no_violation_repeats_a_value() {
    let marks = ["7777777", "\"zebra\"", "[\"zebra\",7777777]", "{\"zebra\":7777777}", "77.77777"];
    for field in ["yes", "small", "ratio", "text", "colour"] {
        for mark in marks {
            let json = scalars(field, mark);
            for violation in read::<Scalars>(json.as_bytes()).err().unwrap_or_default() {
                let shown = format!("{violation} {violation:?}");
                assert!(!shown.contains("zebra") && !shown.contains("7777"), "{shown}");
            }
        }
    }
    let reader = Reader::new("\"zebra\"");
    assert_eq!(format!("{reader:?}"), "Reader(at byte 0 of 7)");
}

#[test]
fn the_received_kind_is_named() {
    for (value, want) in [
        ("null", Received::Null),
        ("false", Received::Boolean),
        ("1.5", Received::Fraction),
        ("\"a\"", Received::String),
        ("[]", Received::Array),
        ("{}", Received::Object),
    ] {
        let refused = read::<u8>(value.as_bytes()).expect_err(value);
        assert_eq!(refused.iter().map(|v| v.received).collect::<Vec<_>>(), [want]);
    }
}

#[test]
fn violations_are_capped_and_the_cap_is_visible() {
    let json = format!("[{}]", vec!["true"; 500].join(","));
    let violations = read::<Vec<u8>>(json.as_bytes()).expect_err("booleans");
    assert_eq!(violations.len(), MAX_VIOLATIONS + 1);
    assert_eq!(violations.last().map(|v| v.code), Some(code::MORE));
    assert_eq!(violations.first().map(|v| v.at.as_str()), Some("/0"));
}

#[test]
fn what_is_not_json_ends_the_pass_with_one_violation() {
    for json in [
        r#"{"x":"a","y":}"#,
        r#"{"x":"a""#,
        r#"{"x":1} x"#,
        r#"{"x":1}{"x":1}"#,
        r#"{"x":1,"z":[1,}"#,
        r#"{"x":"\ud800"}"#,
        "{\"x\":\"\u{1}\"}",
        "",
    ] {
        assert_eq!(wrong::<Inner>(json), at(&[("", code::NOT_JSON)]), "{json}");
    }
    let invalid = read::<String>(b"\"abcdefgh\xffabcdefgh\"").expect_err("not UTF-8");
    assert_eq!(
        invalid.first().map(|v| v.expected.as_ref()),
        Some("one JSON value, found bytes that are not UTF-8 at byte 9")
    );
}

#[test]
fn depth_is_bounded_in_decoded_skipped_and_checked_values() {
    let tree = |levels: usize| {
        let open = r#"{"v":1,"kids":["#.repeat(levels - 1);
        format!("{open}{{\"v\":1,\"kids\":[]}}{}", "]}".repeat(levels - 1))
    };
    assert_eq!(wrong::<Tree>(&tree(32)), []);
    assert_eq!(wrong::<Tree>(&tree(33)), at(&[("", code::TOO_DEEP)]));
    let deep = format!("{{\"x\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(wrong::<Inner>(&deep), at(&[("", code::TOO_DEEP)]));
}

#[test]
fn strings_are_cut_at_the_right_byte_at_every_alignment() {
    for special in ["", "\\n", "\\u00e9", "é", "\\\"", "\\ud83d\\ude00", "😀", "!", "#", "[", "]"]
    {
        for before in 0..20 {
            for after in 0..20 {
                let json = format!("\"{}{special}{}\"", "a".repeat(before), "\u{7f}".repeat(after));
                let want: String = serde_json::from_str(&json).expect(&json);
                assert_eq!(
                    check(json.as_bytes(), &Node::TEXT.length(0, 0)).is_ok(),
                    want.is_empty()
                );
                let count = u32::try_from(want.chars().count()).expect("short");
                assert_eq!(check(json.as_bytes(), &Node::TEXT.length(count, count)), Ok(()));
                assert_eq!(read::<String>(json.as_bytes()), Ok(want));
            }
        }
    }
    for control in 0u8..0x20 {
        for before in 0..12 {
            let json = format!("\"{}{}bcdefghij\"", "a".repeat(before), char::from(control));
            assert!(read::<String>(json.as_bytes()).is_err(), "{control} after {before}");
        }
    }
}

#[test]
fn length_counts_code_points_not_bytes() {
    for (value, fits) in [
        ("\"\"", false),
        ("\"é\"", true),
        ("\"😀😀😀😀\"", true),
        ("\"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\"", true),
        ("\"ééééé\"", false),
        ("\"e\\u0301e\\u0301e\"", false),
    ] {
        let want = if fits { vec![] } else { at(&[("/text", code::LENGTH)]) };
        assert_eq!(wrong::<Scalars>(&scalars("text", value)), want, "{value}");
    }
}

#[test]
fn a_choice_is_matched_exactly() {
    for value in ["\"Red\"", "\" red\"", "\"\"", "\"deep green\"", "\"DeepGreen\""] {
        let json = scalars("colour", value);
        assert_eq!(wrong::<Scalars>(&json), at(&[("/colour", code::CHOICE)]), "{value}");
    }
    let refused = read::<Colour>(b"\"pink\"").expect_err("no such colour");
    assert_eq!(
        refused.first().map(|v| v.expected.as_ref()),
        Some("one of `red`, `deep_green`, `blue`")
    );
}

#[test]
fn every_changed_byte_gets_one_verdict_from_decoder_and_check() {
    let good = scalars("text", "\"é\\n\"");
    assert!(read::<Scalars>(good.as_bytes()).is_ok());
    for at in 0..good.len() {
        for byte in 0..=255 {
            let mut bytes = good.clone().into_bytes();
            *bytes.get_mut(at).expect("in range") = byte;
            let decoded = read::<Scalars>(&bytes).err();
            assert_eq!(decoded, check(&bytes, &Scalars::NODE).err(), "byte {at} as {byte}");
        }
        let cut = good.as_bytes().get(..at).expect("a prefix");
        assert!(read::<Scalars>(cut).is_err());
    }
}

#[test]
fn results_are_closed_and_finite() {
    assert_eq!(check(br#"{"x":1,"y":2}"#, &Inner::NODE), Ok(()));
    let undeclared = check(br#"{"x":1,"w":2}"#, &Inner::NODE).expect_err("closed by default");
    assert_eq!(undeclared.first().map(|v| v.code), Some(code::UNKNOWN_FIELD));
    for (json, node) in [("null", f64::NODE), ("1e999", f64::NODE), ("NaN", f64::NODE)] {
        assert!(check(json.as_bytes(), &node).is_err(), "{json}");
    }
    assert_eq!(check(b"null", &<()>::NODE), Ok(()));
    assert!(check(b"{}", &<()>::NODE).is_err());
}

const WIDE: Node = Node::object(|| {
    const {
        const FIELD: Field = Field::new("", "", Node::BOOL);
        static FIELDS: [Field; 140] = {
            let mut fields = [FIELD; 140];
            let names = "abcdefghijklmnopqrst";
            let mut i = 0;
            while i < 140 {
                let (_, rest) = names.split_at(i % 20);
                fields[i].name = rest;
                i += 1;
            }
            fields[139].name = "last";
            fields
        };
        &crate::schema::Object { name: "Wide", description: "", fields: &FIELDS }
    }
});

#[test]
fn fields_beyond_the_first_64_are_still_counted_once() {
    let once = check(br#"{"last":true}"#, &WIDE).expect_err("the others are missing");
    assert!(once.iter().all(|v| v.at != "/last"));
    let twice = check(br#"{"last":true,"last":true}"#, &WIDE).expect_err("twice");
    let first = twice.first().map(|v| (v.at.as_str(), v.code));
    assert_eq!(first, Some(("/last", code::DUPLICATE_KEY)));
}

/// Makes do with anything.
#[derive(Debug, PartialEq)]
struct Lenient(u8);
impl Schema for Lenient {
    const NODE: Node = u8::NODE;
}
impl Arg for Lenient {
    fn decode(reader: &mut Reader<'_>, node: &Node) -> Result<Self, Stop> {
        Ok(Self(u8::decode(reader, node).unwrap_or(0)))
    }
}

#[test]
fn a_hand_written_decoder_cannot_swallow_a_violation() {
    assert_eq!(read::<Lenient>(b"7"), Ok(Lenient(7)));
    for (json, want) in [("300", code::RANGE), ("\"7\"", code::TYPE), ("-", code::NOT_JSON)] {
        let refused = read::<Lenient>(json.as_bytes()).expect_err(json);
        assert_eq!(refused.iter().map(|v| v.code).collect::<Vec<_>>(), [want]);
    }
    let violations = read::<Vec<Lenient>>(b"[1,\"a\",2]").expect_err("one is a string");
    assert_eq!(violations.len(), 1);
}

const LOOSE: Node = Node::object(|| {
    const {
        &crate::schema::Object {
            name: "Loose",
            description: "",
            fields: &[Field::new("on", "", Node::BOOL).required(false)],
        }
    }
});

#[test]
fn what_is_not_required_may_be_null_whatever_its_type() {
    for json in ["{}", r#"{"on":null}"#, r#"{"on":true}"#] {
        assert_eq!(check(json.as_bytes(), &LOOSE), Ok(()), "{json}");
    }
    assert!(check(br#"{"on":0}"#, &LOOSE).is_err());
    let published = crate::schema::render(&LOOSE, crate::schema::Profile::Portable);
    assert!(published.contains(r#""on":{"type":["boolean","null"]}"#), "{published}");
}
