use super::*;
use crate::Arg;
use crate::schema::fixtures::{Inner, Nested, Nothing, Scalars, Tree};
use crate::schema::{Field, Format, Pattern, Published, Schema, Step};
use std::collections::{BTreeMap, BTreeSet};

fn portable<T: Schema>() -> String {
    render(&T::NODE, Profile::Portable)
}

#[test]
fn an_object_without_fields_still_has_every_keyword() {
    assert_eq!(
        portable::<Nothing>(),
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
    );
}

#[test]
fn scalars_are_published_with_the_bounds_that_a_float_can_hold() {
    assert_eq!(
        portable::<Scalars>(),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""yes":{"description":"Yes or no.","type":"boolean"},"#,
            r#""small":{"description":"Small.","type":"integer","minimum":0,"maximum":255},"#,
            r#""large":{"description":"Large.","type":"integer"},"#,
            r#""ratio":{"description":"Any finite number.","type":"number"},"#,
            r#""text":{"description":"Text.","type":"string","minLength":1,"maxLength":4},"#,
            r#""colour":{"description":"One of three.","type":"string","enum":["red","deep_green","blue"]}},"#,
            r#""required":["yes","small","large","ratio","text","colour"],"additionalProperties":false}"#
        )
    );
}

#[test]
fn bounds_stop_being_published_just_beyond_what_a_float_holds() {
    const EDGE: i128 = 9_007_199_254_740_991;
    for (node, want) in [
        (Node::int(-EDGE, EDGE), format!(r#","minimum":-{EDGE},"maximum":{EDGE}"#)),
        (Node::int(-EDGE - 1, EDGE + 1), String::new()),
        (Node::int(0, i128::from(u64::MAX)), r#","minimum":0"#.to_owned()),
    ] {
        assert_eq!(render(&node, Profile::Portable), format!(r#"{{"type":"integer"{want}}}"#));
    }
    assert_eq!(
        render(&u64::NODE, Profile::Full),
        r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#
    );
    assert_eq!(render(&f32::NODE, Profile::Portable), r#"{"type":"number"}"#);
    assert_eq!(
        render(&f32::NODE, Profile::Full),
        r#"{"type":"number","minimum":-3.4028234663852886e38,"maximum":3.4028234663852886e38}"#
    );
    let text = "3.4028234663852886e38".parse::<f64>();
    assert_eq!(text, Ok(f64::from(f32::MAX)));
}

#[test]
fn nested_types_are_inlined_and_optional_ones_may_be_null() {
    let point = |kind: &str, description: &str| {
        format!(
            r#"{{"description":"{description}","type":{kind},"properties":{{"x":{{"description":"Across.","type":"integer","minimum":-128,"maximum":127}},"y":{{"description":"Down.","type":["integer","null"],"minimum":-128,"maximum":127}}}},"required":["x"],"additionalProperties":false}}"#
        )
    };
    assert_eq!(
        portable::<Nested>(),
        format!(
            r#"{{"type":"object","properties":{{"items":{{"description":"Inner objects.","type":["array","null"],"items":{},"maxItems":3}},"one":{}}},"required":[],"additionalProperties":false}}"#,
            point("\"object\"", "A point."),
            point(r#"["object","null"]"#, "One more."),
        )
    );
}

#[test]
fn only_recursive_types_become_definitions() {
    let body = r##""type":"object","properties":{"v":{"description":"Its value.","type":"integer","minimum":0,"maximum":255},"kids":{"description":"Below it.","type":"array","items":{"description":"A tree.","$ref":"#/$defs/Tree"},"maxItems":3},"left":{"description":"Beside it.","anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]}},"required":["v","kids"],"additionalProperties":false"##;
    assert_eq!(
        portable::<Tree>(),
        format!(r#"{{{body},"$defs":{{"Tree":{{"description":"A tree.",{body}}}}}}}"#)
    );
    for text in [portable::<Nested>(), portable::<Scalars>(), portable::<Inner>()] {
        assert!(!text.contains('$'), "{text}");
    }
}

/// Leads on.
#[derive(Arg)]
struct Ping {
    /// The way there.
    pong: Option<Box<Pong>>,
}
/// Leads back.
#[derive(Arg)]
struct Pong {
    /// The way back.
    ping: Option<Box<Ping>>,
}
/// Both.
#[derive(Arg)]
struct Match {
    /// First.
    first: Pong,
    /// Second.
    second: Ping,
}

#[test]
fn a_cycle_of_two_types_has_one_definition_and_no_reference_without_one() {
    let value: Value = serde_json::from_str(&portable::<Match>()).expect("JSON");
    let definitions = value.get("$defs").and_then(Value::as_object).expect("definitions");
    assert_eq!(definitions.keys().collect::<Vec<_>>(), ["Pong"]);
    let built = Match { first: Pong { ping: None }, second: Ping { pong: None } };
    assert!(built.first.ping.is_none() && built.second.pong.is_none());
}

mod elsewhere {
    /// Another tree.
    #[expect(clippy::use_self, reason = "the derive names field types outside of any impl")]
    #[derive(crate::Arg)]
    pub(super) struct Tree {
        /// What is beneath.
        pub(super) beneath: Vec<Tree>,
    }
}
/// Two kinds.
#[derive(Arg)]
struct Forest {
    /// Ours.
    ours: Tree,
    /// Theirs.
    theirs: elsewhere::Tree,
}

#[test]
fn two_recursive_types_of_one_name_get_two_definitions() {
    let value: Value = serde_json::from_str(&portable::<Forest>()).expect("JSON");
    let at = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    assert_eq!(at("/properties/ours/$ref"), Some("#/$defs/Tree"));
    assert_eq!(at("/properties/theirs/$ref"), Some("#/$defs/Tree_2"));
    assert_eq!(at("/$defs/Tree_2/properties/beneath/items/$ref"), Some("#/$defs/Tree_2"));
    let built = Forest {
        ours: Tree { v: 0, kids: vec![], left: None },
        theirs: elsewhere::Tree { beneath: vec![] },
    };
    assert!(built.ours.kids.is_empty() && built.theirs.beneath.is_empty());
}

const HOSTILE: Node = Node::object(|| {
    const {
        &Object {
            name: "Odd",
            description: "",
            fields: &[Field::new("say \"hi\"\\", "Line\none,\u{1} \"two\".", Node::BOOL)],
        }
    }
});

#[test]
fn names_and_descriptions_are_escaped() {
    let value: Value = serde_json::from_str(&render(&HOSTILE, Profile::Portable)).expect("JSON");
    let field = value.pointer("/properties/say \"hi\"\\/description").and_then(Value::as_str);
    assert_eq!(field, Some("Line\none,\u{1} \"two\"."));
}

#[test]
fn what_is_published_is_written_once_and_can_be_looked_into() {
    let published = Published::of(&Tree::NODE);
    for profile in Profile::ALL {
        assert_eq!(published.text(profile).get(), render(&Tree::NODE, profile));
    }
    let text = portable::<Tree>();
    assert_eq!(*published.value(), serde_json::from_str::<Value>(&text).expect("JSON"));
    assert_eq!(serde_json::to_string(&published).expect("JSON"), text);
}

static DIGITS: Pattern = Pattern {
    text: "^[0-9]+$",
    program: &[Step::Class(&[(48, 57)]), Step::Split(0, 2), Step::Match],
};

/// Everything that some reader does not take, at the root and one level down.
const RICH: Node = Node::object(|| {
    const {
        &Object {
            name: "Rich",
            description: "",
            fields: &[
                Field::new("code", "A code.", Node::TEXT.length(1, 9).pattern(&DIGITS)),
                Field::new("count", "", Node::int(0, 100).multiple_of(5)).default(Some("10")),
                Field::new("ratio", "", f64::NODE.range_float(Some((0.5, "0.5")), None)),
                Field::new("marks", "Marks.", <BTreeSet<String>>::NODE.length(0, 3)),
                Field::new("labels", "", <BTreeMap<String, u8>>::NODE.length(0, 4)),
                Field::new("pair", "", <(i8, bool)>::NODE),
                Field::new("host", "A host.", Node::TEXT.format(Format::Ip)),
                Field::new("page", "", Node::TEXT.format(Format::Uri)).required(false),
                Field::new("free", "", Node::ANY),
                Field::new("codes", "", Node::array(|| const { &Node::TEXT.pattern(&DIGITS) })),
            ],
        }
    }
});

fn properties(profile: Profile) -> Vec<(String, String)> {
    let text = render(&RICH, profile);
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let properties = schema["properties"].as_object().expect("an object");
    properties.iter().map(|(name, schema)| (name.clone(), schema.to_string())).collect()
}

#[track_caller]
fn assert_property(profile: Profile, name: &str, want: &str) {
    let all = properties(profile);
    let found = all.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
    assert_eq!(found, Some(want), "{name} for {profile:?}");
}

#[test]
fn the_full_schema_has_a_keyword_for_every_rule() {
    for (name, want) in [
        (
            "code",
            r#"{"description":"A code.","maxLength":9,"minLength":1,"pattern":"^[0-9]+$","type":"string"}"#,
        ),
        (
            "count",
            r#"{"default":10,"maximum":100,"minimum":0,"multipleOf":5,"type":["integer","null"]}"#,
        ),
        ("ratio", r#"{"minimum":0.5,"type":"number"}"#),
        (
            "marks",
            r#"{"description":"Marks.","items":{"type":"string"},"maxItems":3,"type":"array","uniqueItems":true}"#,
        ),
        (
            "labels",
            r#"{"additionalProperties":{"maximum":255,"minimum":0,"type":"integer"},"maxProperties":4,"type":"object"}"#,
        ),
        (
            "pair",
            r#"{"items":false,"maxItems":2,"minItems":2,"prefixItems":[{"maximum":127,"minimum":-128,"type":"integer"},{"type":"boolean"}],"type":"array"}"#,
        ),
        (
            "host",
            r#"{"anyOf":[{"format":"ipv4"},{"format":"ipv6"}],"description":"A host.","type":"string"}"#,
        ),
        ("page", r#"{"format":"uri","type":["string","null"]}"#),
        ("free", "{}"),
        ("codes", r#"{"items":{"pattern":"^[0-9]+$","type":"string"},"type":"array"}"#),
    ] {
        assert_property(Profile::Full, name, want);
    }
}

#[test]
fn what_a_reader_does_not_take_is_said_in_words() {
    for (profile, name, want) in [
        (
            Profile::Portable,
            "count",
            r#"{"description":"10 when left out","maximum":100,"minimum":0,"multipleOf":5,"type":["integer","null"]}"#,
        ),
        (
            Profile::Portable,
            "marks",
            r#"{"description":"Marks. (each only once)","items":{"type":"string"},"maxItems":3,"type":"array"}"#,
        ),
        (
            Profile::Portable,
            "labels",
            r#"{"additionalProperties":{"maximum":255,"minimum":0,"type":"integer"},"description":"at most 4 entries","type":"object"}"#,
        ),
        (
            Profile::Portable,
            "pair",
            r#"{"description":"an integer from -128 to 127, then a boolean","items":{"anyOf":[{"maximum":127,"minimum":-128,"type":"integer"},{"type":"boolean"}]},"maxItems":2,"minItems":2,"type":"array"}"#,
        ),
        (
            Profile::Portable,
            "host",
            r#"{"description":"A host. (an IPv4 or IPv6 address)","type":"string"}"#,
        ),
        (
            Profile::Portable,
            "page",
            r#"{"description":"an absolute URI","type":["string","null"]}"#,
        ),
        (Profile::Portable, "free", r#"{"description":"any JSON value"}"#),
        (
            Profile::OpenAiStrict,
            "code",
            r#"{"description":"A code. (at least 1 characters, at most 9 characters)","pattern":"^[0-9]+$","type":"string"}"#,
        ),
        (
            Profile::Gemini,
            "code",
            r#"{"description":"A code. (at least 1 characters, at most 9 characters, matching ^[0-9]+$)","type":"string"}"#,
        ),
        (
            Profile::Ollama,
            "count",
            r#"{"description":"at least 0, at most 100, a multiple of 5, 10 when left out","type":"integer"}"#,
        ),
        (
            Profile::Ollama,
            "labels",
            r#"{"description":"at most 4 entries, each value an integer from 0 to 255","type":"object"}"#,
        ),
        (
            Profile::Llama,
            "code",
            r#"{"description":"A code.","maxLength":9,"minLength":1,"pattern":"^[0-9]+$","type":"string"}"#,
        ),
        (
            Profile::Llama,
            "codes",
            r#"{"items":{"description":"matching ^[0-9]+$","type":"string"},"type":"array"}"#,
        ),
        (Profile::Llama, "ratio", r#"{"description":"at least 0.5","type":"number"}"#),
    ] {
        assert_property(profile, name, want);
    }
}

#[test]
fn strict_mode_of_openai_requires_every_field() {
    let schema: Value =
        serde_json::from_str(&render(&Nested::NODE, Profile::OpenAiStrict)).expect("JSON");
    assert_eq!(schema["required"], serde_json::json!(["items", "one"]));
    assert_eq!(schema["properties"]["one"]["type"], serde_json::json!(["object", "null"]));
    let tree = render(
        &Node::object(|| {
            const {
                &Object {
                    name: "R",
                    description: "",
                    fields: &[Field::new("t", "A tree.", Tree::NODE)],
                }
            }
        }),
        Profile::OpenAiStrict,
    );
    assert!(
        tree.contains(r##""t":{"description":"A tree.","anyOf":[{"$ref":"#/$defs/Tree"}]}"##),
        "{tree}"
    );
}

#[test]
fn ollama_gets_no_references_and_recursion_ends() {
    assert_eq!(
        render(&Tree::NODE, Profile::Ollama),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""v":{"description":"Its value. (at least 0, at most 255)","type":"integer"},"#,
            r#""kids":{"description":"Below it. (at most 3 items)","type":"array","items":{"description":"A tree.","type":"object"}},"#,
            r#""left":{"description":"Beside it.","type":"object"}},"required":["v","kids"]}"#
        )
    );
    assert_eq!(render(&Nothing::NODE, Profile::Ollama), r#"{"type":"object","properties":{}}"#);
}

const VARIANTS: &[Variant] = &[
    Variant { name: "none", description: "Nothing.", body: Body::Unit },
    Variant { name: "point", description: "", body: Body::Newtype(Inner::NODE) },
    Variant {
        name: "disc",
        description: "A disc.",
        body: Body::Struct(&[Field::new("radius", "How wide.", Node::BOOL)]),
    },
];
const fn union(tagging: Tagging) -> Union {
    Union { name: "Shape", description: "A shape.", tagging, variants: VARIANTS }
}
const EXTERNAL: Node = Node::union(|| const { &union(Tagging::External) });
const INTERNAL: Node = Node::union(|| const { &union(Tagging::Internal { tag: "kind" }) });
const ADJACENT: Node =
    Node::union(|| const { &union(Tagging::Adjacent { tag: "kind", content: "of" }) });

#[test]
fn a_union_is_a_list_of_closed_objects_with_the_tag_first() {
    let disc = r#"{"description":"A disc.","type":"object","properties":{"kind":{"type":"string","enum":["disc"]}"#;
    let internal = render(&INTERNAL, Profile::Portable);
    assert!(internal.starts_with(r#"{"anyOf":[{"description":"Nothing.","type":"object","properties":{"kind":{"type":"string","enum":["none"]}},"required":["kind"],"additionalProperties":false},"#), "{internal}");
    assert!(internal.contains(&format!(r#"{disc},"radius":{{"description":"How wide.","type":"boolean"}}}},"required":["kind","radius"],"additionalProperties":false}}"#)), "{internal}");
    let adjacent = render(&ADJACENT, Profile::Portable);
    assert!(
        adjacent.contains(&format!(r#"{disc},"of":{{"type":"object","properties":{{"radius""#)),
        "{adjacent}"
    );
    assert!(
        adjacent.contains(r#""required":["kind","of"],"additionalProperties":false}"#),
        "{adjacent}"
    );
    let external = render(&EXTERNAL.nullable(), Profile::Portable);
    assert!(external.starts_with(r#"{"anyOf":[{"description":"none: Nothing.","type":"string","enum":["none"]},{"description":"A point.","type":"object","properties":{"point":{"#), "{external}");
    assert!(
        external
            .ends_with(r#","required":["disc"],"additionalProperties":false},{"type":"null"}]}"#),
        "{external}"
    );
}
