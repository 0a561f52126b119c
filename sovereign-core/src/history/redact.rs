//! What of a call is kept (F08). Every row of a transcript is made here.
use super::{Excerpt, MAX_CITATIONS, MAX_TOOL_RESULT_CHARS, PastCall};
use crate::caller::Category;
use crate::capability::Descriptor;
use crate::executor::Outcome;
use crate::schema::{RawArguments, WITHHELD, redact};
use serde_json::Value;

/// The longest arguments that are kept, as JSON text; longer ones are left out whole.
const MAX_ARGUMENT_BYTES: usize = 2_000;

/// A call that has started and has no outcome yet: its name and nothing of what it was asked.
pub(crate) fn started(descriptor: &Descriptor) -> PastCall {
    PastCall {
        capability: Some(descriptor.name().to_owned()),
        version: Some(descriptor.version()),
        category: Some(descriptor.category().to_string()),
        ..PastCall::default()
    }
}

/// The row of one outcome. `descriptor` is `None` when nothing is registered under the name, and then
/// nothing that the model wrote is kept.
pub(crate) fn ended(
    descriptor: Option<&Descriptor>,
    outcome: &Outcome,
    arguments: Option<&RawArguments>,
) -> PastCall {
    let named = descriptor.map(started).unwrap_or_default();
    let given = descriptor.zip(arguments);
    let kept = given.and_then(|(d, raw)| arguments_of(d, raw));
    let secrets = given.map(|(d, raw)| withheld(d, raw)).unwrap_or_default();
    let result = outcome.result().map(|text| scrub(text, &secrets));
    PastCall {
        outcome: Some(outcome.kind().word().to_owned()),
        code: outcome.code().map(str::to_owned),
        changed: outcome.changed(),
        audit_id: Some(outcome.audit_id.to_string()),
        arguments: kept,
        result: result.map(|text| Excerpt::of(&text, MAX_TOOL_RESULT_CHARS)),
        citations: outcome.citations().iter().take(MAX_CITATIONS).map(Into::into).collect(),
        ..named
    }
}

/// Whether argument values of this category are kept at all. A custom one is treated as sensitive.
const fn keeps_arguments(category: Category) -> bool {
    match category {
        Category::Wallet | Category::Files | Category::Custom(_) => false,
        Category::Apps
        | Category::System
        | Category::Network
        | Category::Media
        | Category::Search
        | Category::AiLocal
        | Category::Notes
        | Category::Bitcoin => true,
    }
}

/// Shorter values are words like `on`: taken out of a text they would ruin it and hide nothing.
const SHORTEST: usize = 6;

/// The argument values of this call that are written nowhere, as they would be repeated: results
/// confirm them, and models tell them again.
pub(crate) fn withheld(descriptor: &Descriptor, raw: &RawArguments) -> Vec<String> {
    let Ok(given) = serde_json::from_str::<Value>(raw.as_str()) else { return Vec::new() };
    let mut values = Vec::new();
    leaves(&given, &mut values);
    let kept = arguments_of(descriptor, raw).unwrap_or_default();
    let mut shown = Vec::new();
    leaves(&kept, &mut shown);
    values.retain(|value| !shown.contains(value));
    // the longest first: a value may stand within another
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values
}

fn leaves(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => into.push(number.to_string()),
        Value::String(text) => {
            // a result is JSON text, in which a value may be escaped
            let spelled = value.to_string();
            let spelled = spelled.trim_matches('"');
            if spelled != text {
                into.push(spelled.to_owned());
            }
            into.push(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| leaves(field, into)),
    }
    into.retain(|value| value.chars().count() >= SHORTEST);
}

/// `text` without these values.
pub(crate) fn scrub(text: &str, values: &[String]) -> String {
    values.iter().fold(text.to_owned(), |text, value| text.replace(value, WITHHELD))
}

/// What may be kept of the arguments; sensitive and undeclared values are withheld in place.
fn arguments_of(descriptor: &Descriptor, raw: &RawArguments) -> Option<Value> {
    if !keeps_arguments(descriptor.category()) || raw.as_str().len() > MAX_ARGUMENT_BYTES {
        return None;
    }
    serde_json::from_str(&redact(raw, &descriptor.arguments)).ok()
}
