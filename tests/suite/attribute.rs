//! The reference of the attribute says what the code does: its declarations are compiled, its schemas
//! are the published ones, and no key is missing.
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU8;

use sovereign_core::schema::{Json, Profile, Schema, render};

use crate::source::read;

mod declared;

const PAGE: &str = "docs/src/reference/attribute.md";

fn published<T: Schema>() -> String {
    render(&T::NODE, Profile::Portable)
}

/// A name on the page and what is published for it.
type Shown = (&'static str, fn() -> String);

/// The types of the page's table, in its order.
const TYPES: &[Shown] = &[
    ("`bool`", published::<bool>),
    ("`u8`, and likewise every integer up to 64 bits", published::<u8>),
    ("`u64`", published::<u64>),
    ("`NonZeroU8`, and likewise its relatives", published::<NonZeroU8>),
    ("`f64`", published::<f64>),
    ("`f32`", published::<f32>),
    ("`String`", published::<String>),
    ("`char`", published::<char>),
    ("`()`", published::<()>),
    ("`Option<u8>`", published::<Option<u8>>),
    ("`Box<bool>`", published::<Box<bool>>),
    ("`Vec<String>`", published::<Vec<String>>),
    ("`[bool; 2]`", published::<[bool; 2]>),
    ("`(bool, String)`, up to four", published::<(bool, String)>),
    ("`BTreeSet<u8>`, of integers, texts and words", published::<BTreeSet<u8>>),
    ("`HashSet<String>`", published::<HashSet<String>>),
    ("`BTreeMap<String, bool>`", published::<BTreeMap<String, bool>>),
    ("`HashMap<String, u8>`", published::<HashMap<String, u8>>),
    ("`IpAddr`", published::<IpAddr>),
    ("`Ipv4Addr`", published::<Ipv4Addr>),
    ("`Ipv6Addr`", published::<Ipv6Addr>),
    ("`Json`, any value", published::<Json>),
];

/// Blocks of the page, each with the language that stands on its fence.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("\n```")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').expect("a fence ends its line"))
        .collect()
}

/// JSON without the spaces between its tokens.
fn compact(json: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        if quoted || !c.is_whitespace() {
            out.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    out
}

#[test]
fn each_declaration_of_the_reference_publishes_the_schema_that_stands_below_it() {
    let (page, source) = (read(PAGE), read("tests/suite/attribute/declared.rs"));
    let mut left: BTreeMap<_, _> = declared::DECLARED.iter().copied().collect();
    let mut wrong = String::new();
    for pair in blocks(&page).windows(2) {
        let [(language, code), ("json", schema)] = pair else { continue };
        assert_eq!(*language, "rust", "a schema stands below a declaration:\n{schema}");
        assert!(source.contains(code.trim_end()), "not compiled:\n{code}");
        let known = code.split("struct ").skip(1).filter_map(|rest| {
            let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
            left.remove(name)
        });
        let render = known.last().unwrap_or_else(|| panic!("no schema is known for:\n{code}"));
        if compact(schema) != render() {
            wrong.push_str(&format!("{code}\n publishes \n{}\n\n", render()));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(left.is_empty(), "the page does not show {:?}", left.keys());
}

#[test]
fn the_table_of_types_holds_the_published_schema_of_each() {
    let page = read(PAGE);
    let rows: Vec<_> = TYPES.iter().map(|(name, f)| format!("| {name} | `{}` |", f())).collect();
    let rows = rows.join("\n");
    assert!(page.contains(&rows), "write this table:\n{rows}");
}

/// Quoted words of the source between two marks.
fn words<'a>(source: &'a str, from: &str, to: &str) -> BTreeSet<&'a str> {
    let parts = source.split(from).skip(1);
    parts
        .flat_map(|part| part.split(to).next().unwrap_or_default().split('"').skip(1).step_by(2))
        .collect()
}

#[test]
fn the_reference_has_a_row_for_every_key_and_format() {
    let page = read(PAGE);
    let arg = read("sovereign-macros/src/args/attr/mod.rs");
    let capability = read("sovereign-macros/src/capability/attr.rs");
    let formats = read("sovereign-macros/src/args/attr/constraint.rs");
    let formats = words(&formats, "const FORMATS: &[(&str, &str)] = &[", "];");
    let formats = formats.iter().filter(|word| word.starts_with(char::is_lowercase)).copied();
    let keys: BTreeSet<_> = words(&arg, "keys: &[", "]")
        .into_iter()
        .chain(words(&capability, "const KEYS: &[&str] = &[", "];"))
        .collect();
    assert!(keys.len() > 20 && keys.contains("length") && keys.contains("side_effect"), "{keys:?}");
    let missing: Vec<_> =
        keys.iter().filter(|key| !page.contains(&format!("\n| `{key}`"))).collect();
    assert!(missing.is_empty(), "keys without a row: {missing:?}");
    let missing: Vec<_> = formats.filter(|word| !page.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty(), "formats that are not named: {missing:?}");
}
