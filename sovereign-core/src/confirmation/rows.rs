//! The arguments as a table: one row for each value, in the order of the schema, none left out.

use super::receiver::quoted;
use super::script::mixed;
use crate::display::Visible;
use crate::schema::{Field, Kind, Node, whole};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// One argument as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Argument {
    /// Its name in the schema; inside objects and lists a path such as `lines/0/text`.
    pub name: String,
    /// What kind of value it is.
    pub kind: ValueKind,
    /// The value that the capability gets, with every hidden character visible; text in quotes.
    /// `None`: not given, and nothing stands in for it.
    pub value: Option<String>,
    /// Length of the value in bytes as it was received, of text when it is decoded.
    pub bytes: usize,
    /// Whether the proposal says so, or the capability's own default stands in.
    pub is_default: bool,
    /// What to look at twice: words that mix scripts.
    pub warnings: Vec<String>,
}

/// The kinds of values in a disclosure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValueKind {
    /// Any text.
    Text,
    /// One word of a closed list.
    Choice,
    /// A number without a fraction.
    WholeNumber,
    /// Any other number.
    Number,
    /// `true` or `false`.
    YesOrNo,
    /// A list without elements.
    List,
    /// An object without members.
    Object,
    /// Anything else, as compact JSON.
    Json,
    /// `null`, or nothing at all.
    Nothing,
}

impl ValueKind {
    /// In a person's words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Choice => "choice",
            Self::WholeNumber => "whole number",
            Self::Number => "number",
            Self::YesOrNo => "yes or no",
            Self::List => "list",
            Self::Object => "object",
            Self::Json => "JSON",
            Self::Nothing => "nothing",
        }
    }
}

/// Every value in `json`, which the schema `node` has accepted; `None` when one would be left out.
pub(super) fn rows(node: &Node, json: &str) -> Option<Vec<Argument>> {
    let mut rows = Rows(Vec::new());
    rows.members("", node.fields(), json)?;
    Some(rows.0)
}

struct Rows(Vec<Argument>);

impl Rows {
    fn members(&mut self, path: &str, fields: &'static [Field], json: &str) -> Option<()> {
        let mut given: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).ok()?;
        for field in fields {
            let at = below(path, field.name);
            let default = field.default_text();
            // `null` is another way to leave out what has a default
            let given = given.remove(field.name).filter(|v| default.is_none() || v.get() != "null");
            match (given, default) {
                (Some(value), _) => self.value(at, &field.node, value.get(), false)?,
                (None, Some(value)) => self.value(at, &field.node, &value, true)?,
                (None, None) => self.0.push(Argument {
                    name: at,
                    kind: ValueKind::Nothing,
                    value: None,
                    bytes: 0,
                    is_default: false,
                    warnings: Vec::new(),
                }),
            }
        }
        // a name that is not in the schema was refused at validate; it must never be hidden here
        given.is_empty().then_some(())
    }

    fn value(&mut self, at: String, node: &Node, json: &str, is_default: bool) -> Option<()> {
        let (kind, value) = match node.kind {
            _ if json == "null" => (ValueKind::Nothing, json.to_owned()),
            _ if matches!(json, "true" | "false") => (ValueKind::YesOrNo, json.to_owned()),
            Kind::Object(object) if !object().fields.is_empty() => {
                return self.members(&at, object().fields, json);
            }
            Kind::Object(_) => (ValueKind::Object, "{}".to_owned()),
            Kind::Array { items, .. } => {
                let list: Vec<Box<RawValue>> = serde_json::from_str(json).ok()?;
                for (index, value) in list.iter().enumerate() {
                    self.value(below(&at, &index.to_string()), items(), value.get(), is_default)?;
                }
                if !list.is_empty() {
                    return Some(());
                }
                (ValueKind::List, "[]".to_owned())
            }
            Kind::Text(_) => return self.text(at, ValueKind::Text, json, is_default),
            Kind::Choice(_) => return self.text(at, ValueKind::Choice, json, is_default),
            Kind::Int(_) => (ValueKind::WholeNumber, whole(json)?.to_string()),
            Kind::Float(_) => {
                let number = serde_json::from_str::<f64>(json).ok()?;
                (ValueKind::Number, serde_json::to_string(&number).ok()?)
            }
            // of a shape that no row describes better
            _ => (ValueKind::Json, compact(json)?),
        };
        let (bytes, warnings) = (json.len(), mixed(&value));
        self.0.push(Argument { name: at, kind, value: Some(value), bytes, is_default, warnings });
        Some(())
    }

    fn text(&mut self, at: String, kind: ValueKind, json: &str, is_default: bool) -> Option<()> {
        // decoded once, so that no escape of JSON's own hides a character
        let text: String = serde_json::from_str(json).ok()?;
        self.0.push(Argument {
            name: at,
            kind,
            value: Some(quoted(&text)),
            bytes: text.len(),
            is_default,
            warnings: mixed(&text),
        });
        Some(())
    }
}

/// JSON text without spaces, with every hidden character visible.
fn compact(json: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    Some(Visible(&value.to_string()).to_string())
}

/// A path one step further, with the escapes of a JSON Pointer (RFC 6901).
fn below(path: &str, name: &str) -> String {
    let name = Visible(&name.replace('~', "~0").replace('/', "~1")).to_string();
    if path.is_empty() { name } else { format!("{path}/{name}") }
}
