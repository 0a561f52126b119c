//! A result field by field, in the order in which the capability wrote it.
use super::units::{label, measured};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Deeper values are printed as they are; results are rarely deeper than three.
const DEEPEST: usize = 12;

/// The lines of a result, each with `indent` in front. `result` is JSON text and untrusted data: no
/// string in it can look like another field.
pub(super) fn fields(result: &str, indent: &str) -> String {
    let mut out = String::new();
    match Shape::of(result) {
        Some(Shape::Object(members)) => {
            for (name, value) in &members.0 {
                field(&mut out, indent, name, value.get(), DEEPEST);
            }
        }
        _ => field(&mut out, indent, "result", result, DEEPEST),
    }
    out
}

enum Shape<'a> {
    Object(Members<'a>),
    List(Vec<&'a RawValue>),
    Text(String),
    Literal(&'a str),
}

impl<'a> Shape<'a> {
    fn of(json: &'a str) -> Option<Self> {
        let json = json.trim();
        match json.bytes().next()? {
            b'{' => serde_json::from_str(json).ok().map(Self::Object),
            b'[' => serde_json::from_str(json).ok().map(Self::List),
            b'"' => serde_json::from_str(json).ok().map(Self::Text),
            _ => Some(Self::Literal(json)),
        }
    }
}

/// The members of an object in their order, each value as it stands.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

fn field(out: &mut String, indent: &str, name: &str, value: &str, depth: usize) {
    let shown = one_line(&label(name));
    let Some(depth) = depth.checked_sub(1) else {
        return line(out, indent, &format!("{shown}: {}", one_line(value)));
    };
    let inner = format!("{indent}  ");
    match Shape::of(value) {
        Some(Shape::Object(members)) if members.0.is_empty() => {
            line(out, indent, &format!("{shown}: none"));
        }
        Some(Shape::Object(members)) => {
            line(out, indent, &format!("{shown}:"));
            for (name, value) in &members.0 {
                field(out, &inner, name, value.get(), depth);
            }
        }
        Some(Shape::List(items)) if items.is_empty() => {
            line(out, indent, &format!("{shown}: none"));
        }
        Some(Shape::List(items)) => {
            line(out, indent, &format!("{shown}:"));
            for (number, item) in (1_usize..).zip(items) {
                entry(out, &inner, name, number, item.get(), depth);
            }
        }
        Some(Shape::Text(text)) => prose(out, indent, &shown, &text),
        Some(Shape::Literal(literal)) => {
            line(out, indent, &format!("{shown}: {}", plain(name, literal)));
        }
        None => line(out, indent, &format!("{shown}: {}", one_line(value))),
    }
}

/// One item of a list: its number, and the unit of the list's name.
fn entry(out: &mut String, indent: &str, name: &str, number: usize, item: &str, depth: usize) {
    match Shape::of(item) {
        Some(Shape::Object(members)) => {
            line(out, indent, &format!("{number}."));
            let inner = format!("{indent}  ");
            for (name, value) in &members.0 {
                field(out, &inner, name, value.get(), depth);
            }
        }
        Some(Shape::Literal(literal)) => {
            line(out, indent, &format!("{number}. {}", plain(name, literal)));
        }
        Some(Shape::Text(text)) => line(out, indent, &format!("{number}. {}", one_line(&text))),
        Some(Shape::List(_)) | None => line(out, indent, &format!("{number}. {}", one_line(item))),
    }
}

fn plain(name: &str, literal: &str) -> String {
    match literal {
        "null" => "not known".to_owned(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        number => measured(name, number),
    }
}

/// A text of several lines gets a bar before each, so that none of them passes for a field.
fn prose(out: &mut String, indent: &str, shown: &str, text: &str) {
    if text.contains(is_break) {
        line(out, indent, &format!("{shown}:"));
        for part in text.split(is_break) {
            line(out, indent, &format!("  | {}", one_line(part)));
        }
    } else {
        line(out, indent, &format!("{shown}: {}", one_line(text)));
    }
}

/// Everything that starts a new line somewhere (Unicode Standard Annex 14, class BK and friends).
const fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// With breaks and other control characters escaped.
fn one_line(text: &str) -> String {
    let escaped = |c: char| (c.is_control() && c != '\t') || is_break(c);
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if escaped(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

fn line(out: &mut String, indent: &str, text: &str) {
    out.push_str(indent);
    out.push_str(text);
    out.push('\n');
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
