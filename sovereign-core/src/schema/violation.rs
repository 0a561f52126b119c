//! What does not fit a schema, where, and what was expected: never the value itself.
use super::constraint::{FloatRange, IntRange, Length, TextRules};
use super::node::{Kind, Node};
use super::object::Field;
use super::union::{Tagging, Union, Variant};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// How many violations of one value are listed; what comes after is one [`code::MORE`] entry.
pub const MAX_VIOLATIONS: usize = 16;

/// The stable words of [`Violation::code`].
pub mod code {
    /// The value has another JSON type, or a fraction where a whole number is wanted.
    pub const TYPE: &str = "type";
    /// A number outside its bounds.
    pub const RANGE: &str = "range";
    /// A string or a list that is too short or too long.
    pub const LENGTH: &str = "length";
    /// A whole number that is not a multiple of the step.
    pub const MULTIPLE: &str = "multiple_of";
    /// A string that the pattern does not match.
    pub const PATTERN: &str = "pattern";
    /// A string that is not of the well-known format.
    pub const FORMAT: &str = "format";
    /// An item that stands in a set already.
    pub const DUPLICATE_ITEM: &str = "duplicate_item";
    /// A sensitive field whose value does not fit; nothing else is said about it.
    pub const SENSITIVE: &str = "sensitive";
    /// A string that is not in the closed list.
    pub const CHOICE: &str = "choice";
    /// A required field is not there.
    pub const MISSING_FIELD: &str = "missing_field";
    /// A key that the object does not have; the pointer is the object's.
    pub const UNKNOWN_FIELD: &str = "unknown_field";
    /// A key that was given twice in one object.
    pub const DUPLICATE_KEY: &str = "duplicate_key";
    /// Not JSON at all.
    pub const NOT_JSON: &str = "not_json";
    /// Nested deeper than the limit.
    pub const TOO_DEEP: &str = "too_deep";
    /// There are more violations than are listed.
    pub const MORE: &str = "more_violations";
}

/// One thing that is wrong with a value.
///
/// **Shape** `{"at", "code", "expected", "received"}`. Every text in it was written by the author of
/// the schema or by this crate: neither the value nor an unknown key's name is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// JSON Pointer (RFC 6901) to the value; empty for the whole. A missing field's names the field
    /// that should be there, an unknown field's names the object.
    pub at: String,
    /// One of [`code`].
    pub code: &'static str,
    /// What would have been right, as a phrase.
    pub expected: Cow<'static, str>,
    /// The kind of value that was there.
    pub received: Received,
}

/// The kind of a value that did not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Received {
    /// No value: the key is not there, or the input ended.
    Nothing,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A number that is not whole, where a whole one is wanted.
    Fraction,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Something that no JSON value starts with.
    NotJson,
    /// Something that is not shown: the field is sensitive.
    Withheld,
}

impl Received {
    pub(super) const fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl fmt::Display for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Fraction => "a number with a fraction",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::NotJson => "something that is not JSON",
            Self::Withheld => "something that is not shown",
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.at.is_empty() { "the whole value" } else { &self.at };
        if self.code == code::MORE {
            return write!(f, "`{at}`: {}", self.expected);
        }
        write!(f, "`{at}`: {}: expected {}, received {}", self.code, self.expected, self.received)
    }
}

/// One step of a pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment {
    Key(&'static str),
    Index(usize),
    /// A value in a map, counted from 1. Its key is the sender's text, so that it is no part of a
    /// pointer: the pointer stays the map's.
    Entry(usize),
}

/// A violation whose path is still growing outwards: innermost segment first.
#[derive(Debug)]
struct Finding {
    path: Vec<Segment>,
    code: &'static str,
    expected: Cow<'static, str>,
    received: Received,
}

/// What a pass has found so far. Empty, it owns no memory.
#[derive(Debug)]
pub(super) struct Findings {
    list: Vec<Finding>,
    more: bool,
}

impl Findings {
    pub(super) const EMPTY: Self = Self { list: Vec::new(), more: false };

    pub(super) const fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text is built only for what is listed: hostile input cannot make it expensive.
    #[cold]
    pub(super) fn add(
        &mut self,
        code: &'static str,
        received: Received,
        expected: impl FnOnce() -> Cow<'static, str>,
    ) {
        if self.list.len() >= MAX_VIOLATIONS {
            self.more = true;
            return;
        }
        self.list.push(Finding { path: Vec::new(), code, expected: expected(), received });
    }

    /// Puts everything found since `mark` one level further down.
    #[cold]
    pub(super) fn prefix(&mut self, mark: usize, segment: Segment) {
        self.list.iter_mut().skip(mark).for_each(|f| f.push(segment));
    }

    /// What was found since `mark` becomes one finding that says nothing but where.
    #[cold]
    pub(super) fn conceal(&mut self, mark: usize, at: Segment) {
        self.list.truncate(mark.saturating_add(1));
        for finding in self.list.iter_mut().skip(mark) {
            *finding = Finding {
                path: vec![at],
                code: code::SENSITIVE,
                expected: "what the schema says".into(),
                received: Received::Withheld,
            };
        }
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        let more = self.more.then(|| Violation {
            at: String::new(),
            code: code::MORE,
            expected: format!("only the first {MAX_VIOLATIONS} violations are listed").into(),
            received: Received::Nothing,
        });
        self.list.into_iter().map(Finding::finished).chain(more).collect()
    }
}

impl Finding {
    fn push(&mut self, segment: Segment) {
        if let Segment::Entry(number) = segment {
            let inner = pointer(&self.path);
            let of = if inner.is_empty() { String::new() } else { format!("`{inner}` of ") };
            self.expected = format!("{} (in {of}value {number})", self.expected).into();
            self.path.clear();
        } else {
            self.path.push(segment);
        }
    }

    fn finished(self) -> Violation {
        let at = pointer(&self.path);
        Violation { at, code: self.code, expected: self.expected, received: self.received }
    }
}

/// RFC 6901, of a path that is innermost first.
fn pointer(path: &[Segment]) -> String {
    let mut at = String::new();
    for segment in path.iter().rev() {
        match segment {
            Segment::Key(key) => {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Index(index) => at.push_str(&format!("/{index}")),
            // never in a path
            Segment::Entry(_) => {}
        }
    }
    at
}

/// The kind of value that `node` is about.
pub(super) const fn wanted(node: &Node) -> Received {
    match node.kind {
        Kind::Null => Received::Null,
        Kind::Bool => Received::Boolean,
        Kind::Int(_) | Kind::Float(_) => Received::Number,
        Kind::Text(_) | Kind::Choice(_) => Received::String,
        Kind::Array { .. } | Kind::Tuple(_) => Received::Array,
        // no violation is about `Any`
        Kind::Object(_) | Kind::Map { .. } | Kind::Union(_) | Kind::Any => Received::Object,
    }
}

/// What `node` takes, as a phrase.
pub(super) fn expected(node: &Node) -> Cow<'static, str> {
    let phrase: Cow<'static, str> = match node.kind {
        Kind::Null => "null".into(),
        Kind::Bool => "a boolean".into(),
        Kind::Any => "any value".into(),
        Kind::Int(range) => integer(range).into(),
        Kind::Float(FloatRange { min, max }) => match (min.text, max.text) {
            ("", "") => "a number".into(),
            (min, "") => format!("a number of at least {min}").into(),
            ("", max) => format!("a number of at most {max}").into(),
            (min, max) => format!("a number from {min} to {max}").into(),
        },
        Kind::Text(rules) => text(rules),
        Kind::Choice(values) => format!("one of {}", listed(values.iter())).into(),
        Kind::Array { length, unique: true, .. } => {
            format!("{}, each only once", counted("an array", length, "items")).into()
        }
        Kind::Array { length, .. } => counted("an array", length, "items"),
        Kind::Tuple(items) => format!("an array of {} items", items().len()).into(),
        Kind::Map { length, .. } => counted("an object", length, "entries"),
        Kind::Object(_) => "an object".into(),
        Kind::Union(union) => tagged(union()),
    };
    if node.nullable { format!("{phrase} or null").into() } else { phrase }
}

fn integer(IntRange { min, max, step, zero }: IntRange) -> String {
    let mut phrase = format!("an integer from {min} to {max}");
    if step > 0 {
        phrase.push_str(&format!(", a multiple of {step}"));
    }
    if !zero {
        phrase.push_str(", but not 0");
    }
    phrase
}

fn text(TextRules { length, pattern, format }: TextRules) -> Cow<'static, str> {
    let mut phrase = counted("a string", length, "characters");
    if let Some(pattern) = pattern {
        phrase = format!("{phrase} matching `{}`", pattern.text).into();
    }
    if let Some(format) = format {
        phrase = format!("{phrase}, {}", format.words()).into();
    }
    phrase
}

fn tagged(union: &'static Union) -> Cow<'static, str> {
    match union.tagging {
        Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } => {
            format!("an object whose `{tag}` is {}", variants(union, |_| true)).into()
        }
        Tagging::External => {
            let (words, keys) =
                (variants(union, Variant::is_unit), variants(union, |v| !v.is_unit()));
            let has = |unit: bool| union.variants.iter().any(|v| v.is_unit() == unit);
            match (has(true), has(false)) {
                (true, true) => format!("{words}, or an object whose only key is {keys}").into(),
                (false, true) => format!("an object whose only key is {keys}").into(),
                _ => words,
            }
        }
    }
}

/// The names of the variants that are `wanted`.
pub(super) fn variants(
    union: &'static Union,
    wanted: impl Fn(&Variant) -> bool,
) -> Cow<'static, str> {
    let names = union.variants.iter().filter(|v| wanted(v)).map(|v| &v.name);
    format!("one of {}", listed(names)).into()
}

/// The keys that an object may have.
pub(super) fn only_keys<'a>(names: impl Iterator<Item = &'a &'static str>) -> Cow<'static, str> {
    format!("only the fields {}", listed(names)).into()
}

fn counted(what: &'static str, length: Length, unit: &str) -> Cow<'static, str> {
    match (length.min, length.max) {
        (0, u32::MAX) => what.into(),
        (min, u32::MAX) => format!("{what} of at least {min} {unit}").into(),
        (0, max) => format!("{what} of at most {max} {unit}").into(),
        (min, max) => format!("{what} of {min} to {max} {unit}").into(),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a &'static str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The fields that an object has, and the one that `key` probably meant. `key` itself is the
/// sender's text and is not repeated.
pub(super) fn known_fields(key: &str, fields: &'static [Field]) -> Cow<'static, str> {
    if fields.is_empty() {
        return "no fields at all".into();
    }
    let names = listed(fields.iter().map(|f| &f.name));
    match nearest(key, fields) {
        Some(name) => format!("only the fields {names}; perhaps `{name}` was meant").into(),
        None => format!("only the fields {names}").into(),
    }
}

fn nearest(key: &str, fields: &'static [Field]) -> Option<&'static str> {
    // Names of very different lengths are no near miss, so a huge key is never compared.
    fields
        .iter()
        .filter(|f| f.name.len().abs_diff(key.len()) <= 2)
        .map(|f| (distance(key.as_bytes(), f.name.as_bytes()), f.name))
        .filter(|(d, name)| *d <= 2 && *d < name.len())
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein distance over bytes.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i.saturating_add(1);
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = left;
        }
        for (cell, y) in cells.zip(b) {
            let above = *cell;
            let changed = diagonal.saturating_add(usize::from(x != y));
            *cell = changed.min(above.saturating_add(1)).min(left.saturating_add(1));
            (diagonal, left) = (above, *cell);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "violation_tests.rs"]
mod tests;
