//! The public JSON-Schema-Test-Suite, as far as the tree can say what a schema of it says.
//!
//! The cases are those of draft 2019-09 for the keywords that are published; there they mean what
//! they mean in 2020-12, but for `items` with a list, which is `prefixItems` now. A schema without a
//! type accepts every value of other types; the tree always has a type, so those values are left
//! out, and so are keys that an open object lets pass.
use serde_json::{Map, Value, json};
use sovereign_core::schema::{Field, Format, Node, Object, Pattern, Step, check};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const FILES: [(&str, &str); 22] = [
    (
        "additionalProperties",
        include_str!("../../data/json-schema-test-suite/additionalProperties.json"),
    ),
    ("enum", include_str!("../../data/json-schema-test-suite/enum.json")),
    ("items", include_str!("../../data/json-schema-test-suite/items.json")),
    ("maxItems", include_str!("../../data/json-schema-test-suite/maxItems.json")),
    ("maxLength", include_str!("../../data/json-schema-test-suite/maxLength.json")),
    ("maxProperties", include_str!("../../data/json-schema-test-suite/maxProperties.json")),
    ("maximum", include_str!("../../data/json-schema-test-suite/maximum.json")),
    ("minItems", include_str!("../../data/json-schema-test-suite/minItems.json")),
    ("minLength", include_str!("../../data/json-schema-test-suite/minLength.json")),
    ("minProperties", include_str!("../../data/json-schema-test-suite/minProperties.json")),
    ("minimum", include_str!("../../data/json-schema-test-suite/minimum.json")),
    ("multipleOf", include_str!("../../data/json-schema-test-suite/multipleOf.json")),
    ("pattern", include_str!("../../data/json-schema-test-suite/pattern.json")),
    ("properties", include_str!("../../data/json-schema-test-suite/properties.json")),
    ("required", include_str!("../../data/json-schema-test-suite/required.json")),
    ("type", include_str!("../../data/json-schema-test-suite/type.json")),
    ("uniqueItems", include_str!("../../data/json-schema-test-suite/uniqueItems.json")),
    ("date", include_str!("../../data/json-schema-test-suite/format/date.json")),
    ("date-time", include_str!("../../data/json-schema-test-suite/format/date-time.json")),
    ("duration", include_str!("../../data/json-schema-test-suite/format/duration.json")),
    ("uri", include_str!("../../data/json-schema-test-suite/format/uri.json")),
    ("uuid", include_str!("../../data/json-schema-test-suite/format/uuid.json")),
];
const ADDRESSES: [(&str, &str); 2] = [
    ("ipv4", include_str!("../../data/json-schema-test-suite/format/ipv4.json")),
    ("ipv6", include_str!("../../data/json-schema-test-suite/format/ipv6.json")),
];

/// Children hang off functions, and a test makes them as it goes: one function per place.
const PLACES: usize = 32;
static NODES: [OnceLock<Node>; PLACES] = [const { OnceLock::new() }; PLACES];
static LISTS: [OnceLock<Vec<Node>>; PLACES] = [const { OnceLock::new() }; PLACES];
static OBJECTS: [OnceLock<Object>; PLACES] = [const { OnceLock::new() }; PLACES];
static USED: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

fn node<const I: usize>() -> &'static Node {
    NODES[I].get().expect("was placed")
}
fn list<const I: usize>() -> &'static [Node] {
    LISTS[I].get().expect("was placed")
}
fn object<const I: usize>() -> &'static Object {
    OBJECTS[I].get().expect("was placed")
}

macro_rules! places {
    ($place:ident: $($i:literal)*) => { [$($place::<$i>),*] };
}
macro_rules! all_places {
    ($place:ident) => {
        places!($place: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
}

fn free(kind: usize) -> usize {
    USED[kind].fetch_add(1, Ordering::Relaxed)
}
fn place_node(of: Node) -> fn() -> &'static Node {
    let at = free(0);
    NODES[at].set(of).expect("a free place");
    all_places!(node)[at]
}
fn place_list(of: Vec<Node>) -> fn() -> &'static [Node] {
    let at = free(1);
    LISTS[at].set(of).expect("a free place");
    all_places!(list)[at]
}
fn place_object(of: Object) -> fn() -> &'static Object {
    let at = free(2);
    OBJECTS[at].set(of).expect("a free place");
    all_places!(object)[at]
}

/// What the tree says, and which values it and the schema speak of alike.
struct Said {
    node: Node,
    scope: Box<dyn Fn(&Value) -> bool>,
}

fn said(node: Node, scope: impl Fn(&Value) -> bool + 'static) -> Option<Said> {
    Some(Said { node, scope: Box::new(scope) })
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn count(schema: &Value, keyword: &str, or: u32) -> u32 {
    schema[keyword].as_u64().map_or(or, |n| u32::try_from(n).expect("small"))
}

/// `None` when the tree has no way to say it.
fn translate(schema: &Value) -> Option<Said> {
    let members = match schema {
        Value::Bool(true) => return said(Node::ANY, |_| true),
        Value::Bool(false) => return None,
        schema => schema.as_object()?,
    };
    let has = |keys: &[&str]| members.keys().all(|k| k == "type" || keys.contains(&k.as_str()));
    let typed = match &schema["type"] {
        Value::Array(types) if types.len() == 1 => types[0].as_str(),
        kind => kind.as_str(),
    };
    if schema["type"].is_array() && typed.is_none() {
        return None;
    }
    let any = typed.is_some();
    let (length, items) = (["minLength", "maxLength"], ["minItems", "maxItems"]);
    match typed {
        None if members.is_empty() => said(Node::ANY, |_| true),
        Some("null") if has(&[]) => said(Node::NULL, |_| true),
        Some("boolean") if has(&[]) => said(Node::BOOL, |_| true),
        Some("integer") if has(&[]) => said(Node::int(-1 << 63, (1 << 63) - 1), |_| true),
        Some("number") | None if has(&["minimum", "maximum"]) => {
            let bound = |keyword| {
                schema[keyword].as_f64().map(|n| (n, leaked(&schema[keyword].to_string())))
            };
            let node = Node::NUMBER.range_float(bound("minimum"), bound("maximum"));
            said(node, move |value| any || value.is_number())
        }
        None if has(&["multipleOf"]) => {
            let node =
                Node::int(-1 << 63, (1 << 63) - 1).multiple_of(schema["multipleOf"].as_u64()?);
            said(node, |value| value.is_i64())
        }
        None if members.contains_key("enum") && has(&["enum"]) => {
            let words = schema["enum"].as_array()?;
            let words: Option<Vec<_>> = words.iter().map(|w| w.as_str().map(leaked)).collect();
            said(Node::choice(words?.leak()), |_| true)
        }
        Some("string") | None if has(&[length[0], length[1], "pattern", "format"]) => {
            let mut node =
                Node::TEXT.length(count(schema, length[0], 0), count(schema, length[1], u32::MAX));
            if let Some(text) = schema["pattern"].as_str() {
                static STARS: Pattern = Pattern {
                    text: "^a*$",
                    program: &[
                        Step::Split(1, 3),
                        Step::Class(&[(97, 97)]),
                        Step::Jump(0),
                        Step::Match,
                    ],
                };
                node = (text == STARS.text).then(|| node.pattern(&STARS))?;
            }
            if let Some(name) = schema["format"].as_str() {
                node = node.format(format(name));
            }
            said(node, move |value| any || value.is_string())
        }
        None if has(&["uniqueItems"]) && schema["uniqueItems"] == true => None,
        Some("array") | None
            if has(&[items[0], items[1], "items", "additionalItems", "uniqueItems"]) =>
        {
            if schema["uniqueItems"] == true {
                return None;
            }
            if let Some(own) = schema["items"].as_array() {
                let own: Option<Vec<_>> = own.iter().map(translate).collect();
                let (nodes, scopes): (Vec<_>, Vec<_>) =
                    own?.into_iter().map(|said| (said.node, said.scope)).unzip();
                return said(Node::tuple(place_list(nodes)), move |value| {
                    value.as_array().is_some_and(|items| {
                        items.len() == scopes.len() && items.iter().zip(&scopes).all(|(i, s)| s(i))
                    })
                });
            }
            let own = translate(members.get("items").unwrap_or(&json!(true)))?;
            let node = Node::array(place_node(own.node))
                .length(count(schema, items[0], 0), count(schema, items[1], u32::MAX));
            let scope = own.scope;
            said(node, move |value| match value {
                Value::Array(items) => items.iter().all(&scope),
                _ => any,
            })
        }
        Some("object") | None
            if has(&["minProperties", "maxProperties", "additionalProperties"]) =>
        {
            let values = members.get("additionalProperties").unwrap_or(&json!(true)).clone();
            let own = translate(&values)?;
            let node = Node::map(place_node(own.node)).length(
                count(schema, "minProperties", 0),
                count(schema, "maxProperties", u32::MAX),
            );
            let scope = own.scope;
            said(node, move |value| match value {
                Value::Object(members) => members.values().all(&scope),
                _ => any,
            })
        }
        Some("object") | None if has(&["properties", "required"]) => closed(schema, any),
        _ => None,
    }
}

/// An object that is open in the suite: only values without other keys are in scope.
fn closed(schema: &Value, any: bool) -> Option<Said> {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let required: Vec<String> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let mut names: Vec<&String> = properties.keys().collect();
    names.extend(required.iter().filter(|name| !properties.contains_key(*name)));
    let (mut fields, mut scopes) = (Vec::new(), Vec::new());
    for name in names {
        let own = translate(properties.get(name).unwrap_or(&json!(true)))?;
        let must = required.contains(name);
        fields.push(Field::new(leaked(name), "", own.node).required(must));
        scopes.push((name.clone(), must, own.scope));
    }
    let object = Object { name: "", description: "", fields: fields.leak() };
    said(Node::object(place_object(object)), move |value| match value {
        Value::Object(members) => members.iter().all(|(key, value)| {
            let known = scopes.iter().find(|(name, ..)| name == key);
            known.is_some_and(|(_, must, scope)| scope(value) && (*must || !value.is_null()))
        }),
        _ => any,
    })
}

fn format(name: &str) -> Format {
    match name {
        "ipv4" => Format::Ipv4,
        "ipv6" => Format::Ipv6,
        "uuid" => Format::Uuid,
        "date" => Format::Date,
        "date-time" => Format::DateTime,
        "duration" => Format::Duration,
        "uri" => Format::Uri,
        other => panic!("no format {other}"),
    }
}

/// A list without a type of its items: each kind of item that a set takes.
fn sets(data: &Value) -> Option<Node> {
    static WHOLE: Node = Node::int(-1 << 63, (1 << 63) - 1);
    let items = data.as_array()?;
    if items.iter().all(Value::is_string) {
        return Some(Node::set(Node::TEXT, || &Node::TEXT));
    }
    let whole = |item: &Value| item.as_f64().is_some_and(|n| n.fract() == 0.0);
    items.iter().all(whole).then(|| Node::set(WHOLE, || &WHOLE))
}

#[test]
fn the_public_test_suite_agrees_wherever_the_tree_can_say_what_it_says() {
    let (mut judged, mut files) = (0, 0);
    for (file, text) in FILES.iter().chain(&ADDRESSES) {
        let before = judged;
        let groups: Value = serde_json::from_str(text).expect("JSON");
        for group in groups.as_array().expect("a list") {
            let said = translate(&group["schema"]);
            for test in group["tests"].as_array().expect("a list") {
                let data = &test["data"];
                let node = match &said {
                    Some(said) => (said.scope)(data).then_some(said.node),
                    None if group["schema"] == json!({ "uniqueItems": true }) => sets(data),
                    None => None,
                };
                let Some(node) = node else { continue };
                judged += 1;
                let valid = check(data.to_string().as_bytes(), &node).is_ok();
                assert_eq!(test["valid"], valid, "{file}: {}: {test}", group["description"]);
            }
        }
        assert!(judged > before, "no case of {file} is judged");
        files += 1;
    }
    assert_eq!(files, 24);
    assert!(judged >= 150, "only {judged} cases are judged");
}
