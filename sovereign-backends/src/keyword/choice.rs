//! Which capability the words mean, if they mean one.
use super::words::{Question, alike, split};
use serde_json::{Map, Value};
use sovereign_core::catalog::CatalogEntry;

/// A word of the name says more than a word of the description.
const NAME_POINTS: u32 = 72;
const DESCRIPTION_POINTS: u32 = 48;

/// What the words come to. At most one capability is proposed.
#[derive(Debug, Clone)]
pub(super) enum Choice<'a> {
    /// This one, with these arguments.
    Propose(&'a CatalogEntry, Map<String, Value>),
    /// This one, but these arguments cannot be filled in from the words.
    Incomplete(&'a CatalogEntry, Vec<&'a str>),
    /// These, equally well.
    Tie(Vec<&'a CatalogEntry>),
    /// Nothing well enough.
    Nothing,
}

/// Scores each capability (its newest version) by the words it shares with the question. A word that
/// many share counts less; fewer than half of the words matched is too weak.
pub(super) fn choose<'a>(entries: &'a [CatalogEntry], question: &Question) -> Choice<'a> {
    if question.negated {
        return Choice::Nothing;
    }
    let candidates: Vec<_> = newest(entries).map(|entry| Candidate::new(entry, question)).collect();
    let columns = candidates.first().map_or(0, |c| c.points.len());
    let sharers: Vec<u32> = (0..columns).map(|i| shared(&candidates, i)).collect();
    let scored = candidates.iter().filter(|c| c.is_strong()).map(|c| (c.score(&sharers), c.entry));
    let scored: Vec<_> = scored.collect();
    let best = scored.iter().map(|(score, _)| *score).max();
    let mut best: Vec<_> =
        scored.into_iter().filter(|(score, _)| Some(*score) == best).map(|(_, e)| e).collect();
    match (best.pop(), best.is_empty()) {
        (None, _) => Choice::Nothing,
        (Some(one), true) => fill(one, question),
        (Some(last), false) => {
            best.push(last);
            Choice::Tie(best)
        }
    }
}

fn newest(entries: &[CatalogEntry]) -> impl Iterator<Item = &CatalogEntry> {
    entries.iter().filter(|entry| {
        !entries.iter().any(|other| other.name == entry.name && other.version > entry.version)
    })
}

struct Candidate<'a> {
    entry: &'a CatalogEntry,
    /// One number per word of the question, and one for its addresses if it has any.
    points: Vec<u32>,
}

impl<'a> Candidate<'a> {
    fn new(entry: &'a CatalogEntry, question: &Question) -> Self {
        let name: Vec<_> = split(entry.name).collect();
        let description: Vec<_> = split(entry.description).collect();
        let among = |words: &[String], word: &String| words.iter().any(|w| alike(w, word));
        let points = question.words.iter().map(|word| {
            if among(&name, word) {
                NAME_POINTS
            } else if among(&description, word) {
                DESCRIPTION_POINTS
            } else {
                0
            }
        });
        let mut points: Vec<_> = points.collect();
        if !question.addresses.is_empty() {
            let takes = required(entry).any(|(name, schema)| is_address(name, schema));
            points.push(if takes { DESCRIPTION_POINTS } else { 0 });
        }
        Self { entry, points }
    }

    fn is_strong(&self) -> bool {
        let matched = self.points.iter().filter(|p| **p > 0).count();
        matched > 0 && matched.saturating_mul(2) >= self.points.len()
    }

    fn score(&self, sharers: &[u32]) -> u32 {
        let each = self.points.iter().zip(sharers);
        each.fold(0, |sum, (points, sharers)| {
            sum.saturating_add(points.checked_div(*sharers).unwrap_or(0))
        })
    }
}

/// How many candidates have points in a column.
fn shared(candidates: &[Candidate<'_>], column: usize) -> u32 {
    let having = candidates.iter().filter(|c| c.points.get(column).is_some_and(|p| *p > 0)).count();
    u32::try_from(having).unwrap_or(u32::MAX)
}

/// All required arguments or none: a call that is half filled in is not proposed.
fn fill<'a>(entry: &'a CatalogEntry, question: &Question) -> Choice<'a> {
    let mut arguments = Map::new();
    let mut missing = Vec::new();
    for (name, schema) in required(entry) {
        match value(name, schema, question) {
            Some(value) => {
                arguments.insert(name.to_owned(), value);
            }
            None => missing.push(name),
        }
    }
    if missing.is_empty() {
        Choice::Propose(entry, arguments)
    } else {
        Choice::Incomplete(entry, missing)
    }
}

fn required(entry: &CatalogEntry) -> impl Iterator<Item = (&str, &Value)> {
    let names =
        entry.arguments.value().get("required").and_then(Value::as_array).into_iter().flatten();
    let properties = entry.arguments.value().get("properties");
    names
        .filter_map(Value::as_str)
        .map(move |name| (name, properties.and_then(|p| p.get(name)).unwrap_or(&Value::Null)))
}

/// The one choice that was written exactly, or the one address that was written.
fn value(name: &str, schema: &Value, question: &Question) -> Option<Value> {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let written = |c: &&Value| {
            c.as_str().is_some_and(|c| question.tokens.iter().any(|t| *t == c.to_lowercase()))
        };
        let mut written = choices.iter().filter(written);
        return match (written.next(), written.next()) {
            (Some(one), None) => Some(one.clone()),
            _ => None,
        };
    }
    match question.addresses.as_slice() {
        [one] if is_address(name, schema) => Some(Value::String(one.clone())),
        _ => None,
    }
}

fn is_address(name: &str, schema: &Value) -> bool {
    let described = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    schema.get("type").and_then(Value::as_str) == Some("string")
        && schema.get("enum").is_none()
        && (split(name).any(|w| w == "url")
            || split(described).any(|w| w == "url" || alike(&w, "address")))
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
