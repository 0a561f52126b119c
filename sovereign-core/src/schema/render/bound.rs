//! What narrows a value: as a keyword, and in words for readers that do not take the keyword.
use super::profile::Rule;
use crate::schema::constraint::{FloatBound, IntRange, Length, TextRules};
use crate::schema::format::Format;
use crate::schema::node::{Kind, Node};
use crate::schema::violation::expected;
use serde_json::Value;
use std::fmt::Display;

/// One keyword with its value, and what it means.
pub(super) struct Bound {
    pub(super) rule: Rule,
    pub(super) keyword: &'static str,
    /// JSON text.
    pub(super) value: String,
    pub(super) words: String,
    /// A number that a reader of floats may hold as another one.
    pub(super) inexact: bool,
}

impl Bound {
    fn new(rule: Rule, keyword: &'static str, value: impl Display, words: String) -> Self {
        Self { rule, keyword, value: format!("{value}"), words, inexact: false }
    }

    pub(super) fn default(text: &str) -> Self {
        Self::new(Rule::Default, "default", text, format!("{text} when left out"))
    }

    /// Those of `node` itself, in the order in which they are published.
    pub(super) fn all(node: &Node) -> Vec<Self> {
        match node.kind {
            Kind::Int(range) => integer(range),
            Kind::Float(range) => [("minimum", "least", range.min), ("maximum", "most", range.max)]
                .into_iter()
                .filter_map(|(keyword, which, bound)| float(keyword, which, bound))
                .collect(),
            Kind::Text(rules) => text(rules),
            Kind::Array { length, unique, .. } => {
                let rules = [Rule::Fewest as fn(u32) -> Rule, Rule::Items];
                let mut all =
                    counted(length, ["minItems", "maxItems"], "items", rules).collect::<Vec<_>>();
                if unique {
                    let words = "each only once".to_owned();
                    all.push(Self::new(Rule::Unique, "uniqueItems", true, words));
                }
                all
            }
            Kind::Map { length, .. } => {
                let rules: [fn(u32) -> Rule; 2] = [|_| Rule::Entries, |_| Rule::Entries];
                counted(length, ["minProperties", "maxProperties"], "entries", rules).collect()
            }
            Kind::Tuple(items) => {
                let count = items().len();
                let own = items().iter().map(expected).collect::<Vec<_>>().join(", then ");
                let items = u32::try_from(count).unwrap_or(u32::MAX);
                let all = format!("{count} items in all");
                vec![
                    Self::new(Rule::Fewest(items), "minItems", count, own),
                    Self::new(Rule::Items(items), "maxItems", count, all),
                ]
            }
            _ => Vec::new(),
        }
    }
}

fn integer(IntRange { min, max, step, zero }: IntRange) -> Vec<Bound> {
    let bound = |keyword, which, value: i128| Bound {
        inexact: value.unsigned_abs() > EXACT,
        ..Bound::new(Rule::Integer, keyword, value, format!("at {which} {value}"))
    };
    let mut all = vec![bound("minimum", "least", min), bound("maximum", "most", max)];
    if step > 0 {
        all.push(Bound::new(Rule::Step, "multipleOf", step, format!("a multiple of {step}")));
    }
    if !zero {
        // `not` is a keyword that few readers have
        let value = r#"[{"maximum":-1},{"minimum":1}]"#;
        all.push(Bound::new(Rule::Unique, "anyOf", value, "not 0".to_owned()));
    }
    all
}

fn float(keyword: &'static str, which: &str, bound: FloatBound) -> Option<Bound> {
    (!bound.text.is_empty()).then(|| Bound {
        inexact: bound.value.abs() > EXACT_FLOAT,
        ..Bound::new(Rule::Float, keyword, bound.text, format!("at {which} {}", bound.text))
    })
}

fn text(TextRules { length, pattern, format }: TextRules) -> Vec<Bound> {
    let mut all = counted(length, ["minLength", "maxLength"], "characters", [Rule::Characters; 2])
        .collect::<Vec<_>>();
    if let Some(pattern) = pattern {
        let (value, words) = (Value::from(pattern.text), format!("matching {}", pattern.text));
        all.push(Bound::new(Rule::Pattern, "pattern", value, words));
    }
    if let Some(format) = format {
        let (rule, words) = (Rule::Format(format), format.words().to_owned());
        all.push(match format.name() {
            Some(name) => Bound::new(rule, "format", Value::from(name), words),
            None => {
                let named = |f: Format| serde_json::json!({ "format": f.name() }).to_string();
                let value = format!("[{},{}]", named(Format::Ipv4), named(Format::Ipv6));
                Bound::new(rule, "anyOf", value, words)
            }
        });
    }
    all
}

fn counted(
    length: Length,
    [min, max]: [&'static str; 2],
    unit: &'static str,
    [fewest, most]: [fn(u32) -> Rule; 2],
) -> impl Iterator<Item = Bound> {
    let bound = move |rule: fn(u32) -> Rule, keyword, which, count: u32| {
        Bound::new(rule(count), keyword, count, format!("at {which} {count} {unit}"))
    };
    let min = (length.min > 0).then(|| bound(fewest, min, "least", length.min));
    let max = (length.max < u32::MAX).then(|| bound(most, max, "most", length.max));
    min.into_iter().chain(max)
}

/// The largest whole number that a float and all below it hold exactly.
const EXACT: u128 = (1 << 53) - 1;
const EXACT_FLOAT: f64 = 9_007_199_254_740_991.0;
