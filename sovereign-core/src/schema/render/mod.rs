//! Node to JSON Schema (draft 2020-12) text, once per capability at start-up.
//!
//! Only keywords that the reader takes: no `$schema`, no `title`; non-recursive types are inlined,
//! and `$defs` holds recursive ones only. The order of everything is the order of declaration, so
//! that one tree has one text.
mod bound;
mod definitions;
mod profile;
mod strict;

use super::node::{Kind, Node};
use super::object::{Field, Object};
use super::union::{Body, Tagging, Union, Variant};
use super::violation::expected;
use bound::Bound;
use definitions::{Definitions, Shape};
use serde_json::Value;

pub use profile::Profile;
pub use strict::{NotStrict, Share, strict};

/// The JSON Schema of `node` as text.
///
/// ```
/// use sovereign_core::Arg;
/// use sovereign_core::schema::{Profile, Schema, render};
///
/// /// Rolls a die.
/// #[derive(Arg)]
/// struct Roll {
///     /// How many sides the die has.
///     sides: u8,
/// }
/// assert_eq!(
///     render(&Roll::NODE, Profile::Portable),
///     r#"{"type":"object","properties":{"sides":{"description":"How many sides the die has.","type":"integer","minimum":0,"maximum":255}},"required":["sides"],"additionalProperties":false}"#
/// );
/// ```
///
/// **Source** JSON Schema 2020-12, the subset that the providers' documentation has in common.
#[must_use]
pub fn render(node: &Node, profile: Profile) -> String {
    let definitions = Definitions::of(node);
    let mut out = Writer { text: String::new(), profile, definitions, depth: 0, open: Vec::new() };
    out.root(node);
    out.text
}

struct Writer {
    text: String,
    profile: Profile,
    definitions: Definitions,
    /// How many fields and items the cursor is inside of.
    depth: usize,
    /// The recursive types that are being written out, where there are no references.
    open: Vec<Shape>,
}

impl Writer {
    fn root(&mut self, node: &Node) {
        self.text.push('{');
        self.open.extend(Shape::of(node));
        self.keywords(node, node.nullable);
        if !self.profile.is_plain() {
            self.depth = 2;
            for (i, (name, shape)) in self.definitions.0.clone().into_iter().enumerate() {
                self.text.push_str(if i == 0 { ",\"$defs\":{" } else { "," });
                self.quoted(&name);
                self.text.push_str(":{");
                self.description(shape.description(), &[]);
                match shape {
                    Shape::Object(object) => self.object(object, false),
                    Shape::Union(union) => self.union(union, false),
                }
                self.text.push('}');
            }
            self.text.push_str(if self.definitions.0.is_empty() { "" } else { "}" });
        }
        self.text.push('}');
    }

    /// One subschema with its braces.
    fn schema(&mut self, node: &Node, nullable: bool, description: &str, default: Option<Bound>) {
        self.depth = self.depth.saturating_add(1);
        self.text.push('{');
        let shape = Shape::of(node);
        let reference = shape.and_then(|shape| self.definitions.name_of(shape)).map(String::from);
        let own = shape.map_or("", Shape::description);
        let text = if description.is_empty() { own } else { description };
        let mut words = self.dropped(node);
        words.extend(default.as_ref().filter(|d| !self.kept(d)).map(|d| d.words.clone()));
        self.description(text, &words);
        match (reference, shape) {
            (reference, shape) if self.profile.is_plain() => {
                let branches = nullable && !matches!(node.kind, Kind::Union(_) | Kind::Any);
                self.text.push_str(if branches { "\"anyOf\":[{" } else { "" });
                match (reference, shape) {
                    (Some(_), Some(shape)) => self.written_out(node, shape, nullable && !branches),
                    _ => self.keywords(node, nullable && !branches),
                }
                self.text.push_str(if branches { "},{\"type\":\"null\"}]" } else { "" });
            }
            (Some(name), _) => {
                let reference = Value::from(format!("#/$defs/{name}"));
                let alone = self.profile.refers_alone() && !(text.is_empty() && words.is_empty());
                if nullable || alone {
                    self.text.push_str("\"anyOf\":[{");
                    self.keyword("$ref", &reference);
                    self.text.push_str(if nullable { "},{\"type\":\"null\"}]" } else { "}]" });
                } else {
                    self.keyword("$ref", &reference);
                }
            }
            (None, _) => self.keywords(node, nullable),
        }
        if let Some(default) = default.filter(|d| self.kept(d)) {
            self.member("default", &default.value);
        }
        self.text.push('}');
        self.depth = self.depth.saturating_sub(1);
    }

    /// A recursive type where there are no references.
    fn written_out(&mut self, node: &Node, shape: Shape, nullable: bool) {
        if self.open.iter().any(|open| open.alike(shape)) {
            // again inside itself: the reader has seen its shape
            match shape {
                Shape::Object(_) => self.kind("object", nullable),
                Shape::Union(_) => self.no_comma(),
            }
        } else {
            self.open.push(shape);
            self.keywords(node, nullable);
            self.open.pop();
        }
    }

    fn kept(&self, bound: &Bound) -> bool {
        self.profile.is_full() || !bound.inexact && self.profile.keeps(&bound.rule, self.depth > 1)
    }

    /// What is not said by a keyword of `node` itself, in words.
    fn dropped(&self, node: &Node) -> Vec<String> {
        let bounds = Bound::all(node).into_iter().filter(|bound| !bound.inexact);
        let mut words: Vec<_> = bounds.filter(|b| !self.kept(b)).map(|b| b.words).collect();
        match node.kind {
            Kind::Tuple(items) if !self.profile.is_full() && words.is_empty() => {
                let own: Vec<_> = items().iter().map(expected).collect();
                words.push(own.join(", then "));
            }
            Kind::Map { values, .. } if self.profile.is_plain() => {
                words.push(format!("each value {}", expected(values())));
            }
            Kind::Any if !self.profile.is_full() => words.push("any JSON value".to_owned()),
            _ => {}
        }
        words
    }

    fn keywords(&mut self, node: &Node, nullable: bool) {
        match node.kind {
            Kind::Any => return self.no_comma(),
            Kind::Null => self.kind("null", false),
            Kind::Bool => self.kind("boolean", nullable),
            Kind::Int(_) => self.kind("integer", nullable),
            Kind::Float(_) => self.kind("number", nullable),
            Kind::Text(_) => self.kind("string", nullable),
            Kind::Choice(values) => {
                self.kind("string", nullable);
                self.text.push_str(",\"enum\":[");
                self.names(values.iter().copied());
                self.text.push_str(if nullable { ",null]" } else { "]" });
            }
            Kind::Array { items, .. } => {
                self.kind("array", nullable);
                self.text.push_str(",\"items\":");
                self.schema(items(), items().nullable, "", None);
            }
            Kind::Tuple(items) => {
                self.kind("array", nullable);
                self.tuple(items());
            }
            Kind::Map { values, .. } => {
                self.kind("object", nullable);
                if !self.profile.is_plain() {
                    self.text.push_str(",\"additionalProperties\":");
                    self.schema(values(), values().nullable, "", None);
                }
            }
            Kind::Object(object) => self.object(object(), nullable),
            Kind::Union(union) => self.union(union(), nullable),
        }
        for bound in Bound::all(node) {
            if self.kept(&bound) {
                self.member(bound.keyword, &bound.value);
            }
        }
    }

    /// In `Full` item by item; elsewhere all items are of one shape or one of several.
    fn tuple(&mut self, items: &'static [Node]) {
        let mut texts: Vec<String> = Vec::new();
        for item in items {
            let before = std::mem::take(&mut self.text);
            self.schema(item, item.nullable, "", None);
            texts.push(std::mem::replace(&mut self.text, before));
        }
        if self.profile.is_full() {
            self.member("prefixItems", &format!("[{}]", texts.join(",")));
            self.member("items", "false");
            return;
        }
        let mut distinct = Vec::new();
        for text in texts {
            if !distinct.contains(&text) {
                distinct.push(text);
            }
        }
        match distinct.as_slice() {
            [one] => self.member("items", one),
            several => self.member("items", &format!("{{\"anyOf\":[{}]}}", several.join(","))),
        }
    }

    fn object(&mut self, object: &'static Object, nullable: bool) {
        self.kind("object", nullable);
        self.members(None, object.fields);
    }

    /// What follows the type of a closed object; the tag comes first, as a choice of one.
    fn members(&mut self, tag: Option<(&'static str, &'static str)>, fields: &'static [Field]) {
        // a field that has the tag's name could never be read
        let fields = || fields.iter().filter(move |f| tag.is_none_or(|(tag, _)| tag != f.name));
        self.text.push_str(",\"properties\":{");
        if let Some((tag, name)) = tag {
            self.tag(tag, name);
        }
        for (i, field) in fields().enumerate() {
            self.comma(i.saturating_add(usize::from(tag.is_some())));
            self.quoted(field.name);
            self.text.push(':');
            // Ollama's `required` says all there is to say about leaving out
            let nullable = (field.node.nullable || !field.required) && !self.profile.is_plain();
            let default = field.default_text().map(|text| Bound::default(&text));
            self.schema(&field.node, nullable, field.description, default);
        }
        self.text.push('}');
        let every = self.profile.requires_all();
        let required = fields().filter(|f| f.required || every).map(|f| f.name);
        self.closed(tag.map(|(tag, _)| tag).into_iter().chain(required).collect());
    }

    fn tag(&mut self, tag: &str, name: &str) {
        self.quoted(tag);
        self.text.push_str(":{\"type\":\"string\",\"enum\":[");
        self.quoted(name);
        self.text.push_str("]}");
    }

    /// The end of a closed object.
    fn closed(&mut self, required: Vec<&str>) {
        if !(required.is_empty() && self.profile.is_plain()) {
            self.text.push_str(",\"required\":[");
            self.names(required.into_iter());
            self.text.push(']');
        }
        if !self.profile.is_plain() {
            self.text.push_str(",\"additionalProperties\":false");
        }
    }

    fn union(&mut self, union: &'static Union, nullable: bool) {
        self.text.push_str("\"anyOf\":[");
        let mut count = 0usize;
        if union.tagging == Tagging::External {
            count = self.words(union);
        }
        for variant in union.variants {
            if union.tagging == Tagging::External && variant.is_unit() {
                continue;
            }
            self.comma(count);
            count = count.saturating_add(1);
            self.text.push('{');
            let own = match variant.body {
                Body::Newtype(node) => Shape::of(&node).map_or("", Shape::description),
                Body::Unit | Body::Struct(_) => "",
            };
            let text = if variant.description.is_empty() { own } else { variant.description };
            self.description(text, &[]);
            self.kind("object", false);
            self.variant(union.tagging, variant);
            self.text.push('}');
        }
        self.text.push_str(if nullable { ",{\"type\":\"null\"}]" } else { "]" });
    }

    /// The variants that are a word: how many branches they make.
    fn words(&mut self, union: &'static Union) -> usize {
        let units: Vec<_> = union.variants.iter().filter(|v| v.is_unit()).collect();
        if units.is_empty() {
            return 0;
        }
        self.text.push('{');
        let described = units.iter().filter(|v| !v.description.is_empty());
        let text: Vec<_> = described.map(|v| format!("{}: {}", v.name, v.description)).collect();
        self.description(&text.join(" "), &[]);
        self.kind("string", false);
        self.text.push_str(",\"enum\":[");
        self.names(units.iter().map(|v| v.name));
        self.text.push_str("]}");
        1
    }

    fn variant(&mut self, tagging: Tagging, variant: &'static Variant) {
        match tagging {
            Tagging::Internal { tag } => {
                let fields: &'static [Field] = match variant.body {
                    Body::Unit => &[],
                    Body::Struct(fields) => fields,
                    Body::Newtype(node) => node.fields(),
                };
                self.members(Some((tag, variant.name)), fields);
            }
            Tagging::External => {
                self.text.push_str(",\"properties\":{");
                self.body(variant.name, &variant.body);
                self.text.push('}');
                self.closed(vec![variant.name]);
            }
            Tagging::Adjacent { tag, content } => {
                self.text.push_str(",\"properties\":{");
                self.tag(tag, variant.name);
                if variant.is_unit() {
                    self.text.push('}');
                    self.closed(vec![tag]);
                } else {
                    self.text.push(',');
                    self.body(content, &variant.body);
                    self.text.push('}');
                    self.closed(vec![tag, content]);
                }
            }
        }
    }

    /// A body as the value of `key`.
    fn body(&mut self, key: &str, body: &'static Body) {
        self.quoted(key);
        self.text.push(':');
        match body {
            Body::Newtype(node) => self.schema(node, node.nullable, "", None),
            Body::Struct(fields) => {
                self.depth = self.depth.saturating_add(1);
                self.text.push('{');
                self.kind("object", false);
                self.members(None, fields);
                self.text.push('}');
                self.depth = self.depth.saturating_sub(1);
            }
            // has no value
            Body::Unit => self.text.push_str("{\"type\":\"null\"}"),
        }
    }

    fn kind(&mut self, kind: &str, nullable: bool) {
        if nullable {
            self.keyword("type", &vec![kind, "null"].into());
        } else {
            self.keyword("type", &kind.into());
        }
    }

    fn keyword(&mut self, name: &str, value: &Value) {
        self.text.push_str(&format!("\"{name}\":{value}"));
    }

    /// A keyword after others, or the first.
    fn member(&mut self, name: &str, value: &str) {
        if !self.text.ends_with('{') {
            self.text.push(',');
        }
        self.text.push_str(&format!("\"{name}\":{value}"));
    }

    /// `words` say what is left out.
    fn description(&mut self, text: &str, words: &[String]) {
        let words = words.join(", ");
        let text = match (text.is_empty(), words.is_empty()) {
            (true, true) => return,
            (false, true) => text.to_owned(),
            (true, false) => words,
            (false, false) => format!("{text} ({words})"),
        };
        self.keyword("description", &text.into());
        self.text.push(',');
    }

    /// After a description, nothing follows.
    fn no_comma(&mut self) {
        if self.text.ends_with(',') {
            self.text.pop();
        }
    }

    fn names<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for (i, name) in names.enumerate() {
            self.comma(i);
            self.quoted(name);
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.text.push(',');
        }
    }

    fn quoted(&mut self, text: &str) {
        self.text.push_str(&Value::from(text).to_string());
    }
}

#[cfg(test)]
mod tests;
