use crate::schema::{
    Arg, Body, Field, Fields, Json, Node, Object, RawArguments, Reader, Schema, Stop, Tagging,
    Union, Variant, Violation, check, code, decode_value,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::num::{NonZeroI8, NonZeroU8};

fn read<T: Arg>(json: &str) -> Result<T, Vec<Violation>> {
    let typed = Reader::new(json).whole(|reader| T::decode(reader, &T::NODE));
    assert_eq!(typed.as_ref().err(), check(json.as_bytes(), &T::NODE).as_ref().err(), "{json}");
    typed
}

/// The codes of what is wrong with `json`.
fn wrong<T: Arg>(json: &str) -> Vec<(String, &'static str)> {
    match read::<T>(json) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.into_iter().map(|v| (v.at, v.code)).collect(),
    }
}

fn at(at: &str, code: &'static str) -> Vec<(String, &'static str)> {
    vec![(at.to_owned(), code)]
}

#[test]
fn a_set_refuses_what_it_holds_already() {
    assert_eq!(read::<BTreeSet<u8>>("[3,1,2]"), Ok(BTreeSet::from([1, 2, 3])));
    assert_eq!(wrong::<BTreeSet<u8>>("[1,2,1.0]"), at("/2", code::DUPLICATE_ITEM));
    assert_eq!(wrong::<HashSet<String>>(r#"["a","b","\u0061"]"#), at("/2", code::DUPLICATE_ITEM));
}

#[test]
fn a_map_keeps_its_keys_out_of_what_is_said_about_it() {
    let map = read::<BTreeMap<String, u8>>(r#"{"b":1,"a":2,"":3}"#);
    assert_eq!(map, Ok(BTreeMap::from([("a".into(), 2), ("b".into(), 1), (String::new(), 3)])));
    let violations =
        read::<HashMap<String, Vec<u8>>>(r#"{"ok":[],"secret":[1,-1]}"#).expect_err("-1");
    assert_eq!(
        violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "`the whole value`: range: expected an integer from 0 to 255 (in `/1` of value 2), received a number"
        ]
    );
    assert_eq!(
        wrong::<HashMap<String, u8>>(r#"{"a":1,"b":2,"\u0061":3}"#),
        at("", code::DUPLICATE_KEY)
    );
}

#[test]
fn arrays_and_tuples_have_their_length() {
    assert_eq!(read::<[u8; 2]>("[1,2]"), Ok([1, 2]));
    assert_eq!(wrong::<[u8; 2]>("[1]"), at("", code::LENGTH));
    assert_eq!(read::<(u8, String, Option<bool>)>(r#"[1,"a",null]"#), Ok((1, "a".into(), None)));
    for json in ["[]", "[1]", "[1,true,3]"] {
        assert_eq!(wrong::<(u8, bool)>(json), at("", code::LENGTH), "{json}");
    }
    assert_eq!(wrong::<(u8, bool)>("[true,1]").len(), 2);
}

#[test]
fn zero_is_refused_where_a_type_has_none() {
    assert_eq!(read::<NonZeroI8>("-128").map(NonZeroI8::get), Ok(-128));
    assert_eq!(wrong::<NonZeroI8>("0"), at("", code::RANGE));
    assert_eq!(wrong::<NonZeroI8>("-0.0"), at("", code::RANGE));
    assert_eq!(wrong::<NonZeroU8>("0"), at("", code::RANGE));
}

#[test]
fn a_character_is_one_code_point() {
    assert_eq!(read::<char>(r#""\ud834\udd1e""#), Ok('𝄞'));
    for json in [r#""""#, r#""ab""#, r#""e\u0301""#] {
        assert_eq!(wrong::<char>(json), at("", code::LENGTH));
    }
}

#[test]
fn formats_become_their_types() {
    assert_eq!(read::<IpAddr>(r#""::1""#), Ok("::1".parse().expect("an address")));
    assert_eq!(wrong::<IpAddr>(r#""localhost""#), at("", code::FORMAT));
    let leap = read::<jiff::Timestamp>(r#""1998-12-31T23:59:60Z""#).expect("a leap second");
    assert_eq!(leap.to_string(), "1998-12-31T23:59:59Z");
    assert_eq!(read::<jiff::civil::Date>(r#""2024-02-29""#).map(|d| d.day()), Ok(29));
    assert_eq!(
        read::<jiff::Span>(r#""P1DT12H""#).map(|s| (s.get_days(), s.get_hours())),
        Ok((1, 12))
    );
    assert_eq!(wrong::<jiff::Span>(r#""1 day""#), at("", code::FORMAT));
    #[cfg(feature = "url")]
    assert_eq!(read::<url::Url>(r#""http://a/b""#).map(|u| u.path().to_owned()), Ok("/b".into()));
    #[cfg(feature = "uuid")]
    assert!(read::<uuid::Uuid>(r#""67e55044-10b1-426f-9247-bb680e5fe0c8""#).is_ok());
}

#[test]
fn a_free_value_is_kept_as_it_was_sent() {
    let json = read::<Json>(r#" {"b": 1.50, "a": [null]}"#).expect("anything");
    assert_eq!(json.as_str(), r#"{"b": 1.50, "a": [null]}"#);
    assert_eq!(json.parse::<BTreeMap<String, Value>>().map(|m| m.len()).ok(), Some(2));
    assert_eq!(wrong::<Json>(r#"{"a":1,"a":2}"#), at("", code::DUPLICATE_KEY));
    assert_eq!(format!("{json:?}"), "Json(24 bytes)");
}

/// As the derive writes it.
#[derive(Debug, PartialEq)]
enum Shape {
    None,
    Size(Size),
    Disc { radius: u8, filled: Option<bool> },
}
#[derive(Debug, PartialEq)]
struct Size {
    width: u8,
}
impl Schema for Size {
    const NODE: Node = Node::object(|| {
        const { &Object { name: "Size", description: "", fields: &[Field::new("width", "", u8::NODE)] } }
    });
}
impl Arg for Size {
    fn decode(reader: &mut Reader<'_>, node: &Node) -> Result<Self, Stop> {
        let mut object: Fields = reader.object(node)?;
        let mut width = None;
        while let Some(index) = reader.next(&mut object)? {
            if index == 0 {
                reader.field(&mut object, index, &mut width)?;
            }
        }
        reader.finish(&object)?;
        Ok(Self { width: width.ok_or(Stop::Invalid)? })
    }
}

const VARIANTS: &[Variant] = &[
    Variant { name: "none", description: "", body: Body::Unit },
    Variant { name: "size", description: "", body: Body::Newtype(Size::NODE.beside_tag()) },
    Variant {
        name: "disc",
        description: "",
        body: Body::Struct(&[
            Field::new("radius", "", u8::NODE),
            Field::new("filled", "", <Option<bool>>::NODE).required(false),
        ]),
    },
];
const fn shapes(tagging: Tagging) -> Union {
    Union { name: "Shape", description: "", tagging, variants: VARIANTS }
}
const EXTERNAL: Node = Node::union(|| const { &shapes(Tagging::External) });
const INTERNAL: Node = Node::union(|| const { &shapes(Tagging::Internal { tag: "kind" }) });
const ADJACENT: Node =
    Node::union(|| const { &shapes(Tagging::Adjacent { tag: "kind", content: "of" }) });

fn shape(reader: &mut Reader<'_>, node: &Node) -> Result<Shape, Stop> {
    reader.union(node, |reader, index, inside| match index {
        0 => reader.unit(inside).map(|()| Shape::None),
        1 => reader.newtype(inside).map(Shape::Size),
        2 => {
            let mut fields = reader.variant_fields(inside)?;
            let (mut radius, mut filled) = (None, None);
            while let Some(index) = reader.next(&mut fields)? {
                match index {
                    0 => reader.field(&mut fields, index, &mut radius)?,
                    1 => reader.field(&mut fields, index, &mut filled)?,
                    _ => {}
                }
            }
            reader.finish(&fields)?;
            let radius = radius.ok_or(Stop::Invalid)?;
            Ok(Shape::Disc { radius, filled: filled.unwrap_or_default() })
        }
        _ => Err(Stop::Invalid),
    })
}

#[track_caller]
fn shaped(node: Node, json: &str) -> Result<Shape, Vec<(String, &'static str)>> {
    let typed = Reader::new(json).whole(|reader| shape(reader, &node));
    let checked = check(json.as_bytes(), &node);
    assert_eq!(typed.as_ref().err(), checked.as_ref().err(), "{json}");
    typed.map_err(|all| all.into_iter().map(|v| (v.at, v.code)).collect())
}

#[test]
fn a_tag_is_found_wherever_it_stands() {
    for json in [r#"{"kind":"size","width":3}"#, r#"{"width":3,"kind":"s\u0069ze"}"#] {
        assert_eq!(shaped(INTERNAL, json), Ok(Shape::Size(Size { width: 3 })), "{json}");
    }
    for json in [r#"{"kind":"size","of":{"width":3}}"#, r#"{"of":{"width":3},"kind":"size"}"#] {
        assert_eq!(shaped(ADJACENT, json), Ok(Shape::Size(Size { width: 3 })), "{json}");
    }
    assert_eq!(shaped(EXTERNAL, r#"{"size":{"width":3}}"#), Ok(Shape::Size(Size { width: 3 })));
    assert_eq!(shaped(EXTERNAL, r#""none""#), Ok(Shape::None));
    assert_eq!(shaped(ADJACENT, r#"{"kind":"none"}"#), Ok(Shape::None));
    assert_eq!(shaped(INTERNAL, r#"{"kind":"none"}"#), Ok(Shape::None));
    let disc = Ok(Shape::Disc { radius: 1, filled: None });
    assert_eq!(shaped(INTERNAL, r#"{"filled":null,"kind":"disc","radius":1}"#), disc);
    assert_eq!(shaped(EXTERNAL, r#"{"disc":{"radius":1}}"#), disc);
}

#[test]
fn what_is_wrong_with_a_tagged_value_is_said_where_it_is() {
    for (node, json, want) in [
        (INTERNAL, r#"{"width":3}"#, at("/kind", code::MISSING_FIELD)),
        (INTERNAL, r#"{"kind":"cube"}"#, at("/kind", code::CHOICE)),
        (INTERNAL, r#"{"kind":7,"width":3}"#, at("/kind", code::TYPE)),
        (INTERNAL, r#"{"kind":"size","width":"3"}"#, at("/width", code::TYPE)),
        (INTERNAL, r#"{"kind":"size","width":3,"kind":"none"}"#, at("/kind", code::DUPLICATE_KEY)),
        (INTERNAL, r#"{"kind":"none","width":3}"#, at("", code::UNKNOWN_FIELD)),
        (INTERNAL, "[]", at("", code::TYPE)),
        (EXTERNAL, r#""size""#, at("", code::CHOICE)),
        (EXTERNAL, r#"{"none":null}"#, at("", code::CHOICE)),
        (EXTERNAL, "{}", at("", code::CHOICE)),
        (EXTERNAL, r#"{"size":{"width":3},"disc":{}}"#, at("", code::UNKNOWN_FIELD)),
        (EXTERNAL, r#"{"size":{}}"#, at("/size/width", code::MISSING_FIELD)),
        (EXTERNAL, "7", at("", code::TYPE)),
        (ADJACENT, r#"{"of":{"width":3}}"#, at("/kind", code::MISSING_FIELD)),
        (ADJACENT, r#"{"kind":"size"}"#, at("/of", code::MISSING_FIELD)),
        (ADJACENT, r#"{"kind":"none","of":null}"#, at("", code::UNKNOWN_FIELD)),
        (ADJACENT, r#"{"kind":"size","of":{"width":3},"x":1}"#, at("", code::UNKNOWN_FIELD)),
        (ADJACENT, r#"{"of":[],"kind":"disc"}"#, at("/of", code::TYPE)),
        (ADJACENT, r#"{"kind":"size","kind":"none"}"#, {
            let mut both = at("/kind", code::DUPLICATE_KEY);
            both.extend(at("/of", code::MISSING_FIELD));
            both
        }),
    ] {
        assert_eq!(shaped(node, json), Err(want), "{json}");
    }
}

#[test]
fn a_sensitive_field_says_where_and_nothing_else() {
    const LOGIN: Node = Node::object(|| {
        const {
            &Object {
                name: "Login",
                description: "",
                fields: &[Field::new("pin", "", <Vec<u8>>::NODE.length(4, 4)).sensitive()],
            }
        }
    });
    let violations = check(br#"{"pin":[1,2,"x",-1,true]}"#, &LOGIN).expect_err("all wrong");
    let lines: Vec<_> = violations.iter().map(ToString::to_string).collect();
    let want =
        "`/pin`: sensitive: expected what the schema says, received something that is not shown";
    assert_eq!(lines, [want]);
    let missing = check(b"{}", &LOGIN).expect_err("missing");
    assert_eq!(missing.first().map(|v| v.code), Some(code::MISSING_FIELD));
}

#[test]
fn multiples_are_exact() {
    const FIVES: Node = Node::int(-100, 100).multiple_of(5);
    for (json, want) in
        [("0", true), ("-95", true), ("1e1", true), ("7", false), ("5.0", true), ("105", false)]
    {
        assert_eq!(check(json.as_bytes(), &FIVES).is_ok(), want, "{json}");
    }
}

#[test]
fn what_arrives_parsed_is_judged_as_if_it_had_been_sent() {
    assert_eq!(decode_value::<Size>(&json!({"width": 3})), Ok(Size { width: 3 }));
    let refused = decode_value::<Size>(&json!({"width": "3", "x": 1})).expect_err("wrong");
    assert_eq!(
        refused.iter().map(|v| v.code).collect::<Vec<_>>(),
        [code::UNKNOWN_FIELD, code::TYPE].into_iter().rev().collect::<Vec<_>>()
    );
    for (value, want) in [
        (json!([1]), "not_one_json_object"),
        (json!({"a": "x".repeat(70_000)}), "arguments_too_large"),
    ] {
        let violations = decode_value::<Size>(&value).expect_err("no arguments");
        assert_eq!(violations.iter().map(|v| v.code).collect::<Vec<_>>(), [want]);
    }
    let deep = (0..2_000).fold(json!({}), |inner, _| json!({ "a": inner }));
    let code = RawArguments::from_value(&deep).err().map(|malformed| malformed.code());
    assert_eq!(code, Some("arguments_too_deep"));
}
