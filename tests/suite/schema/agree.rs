//! One verdict of everyone who judges an input, and one value of everyone who reads it.
use super::{cases, generate, run, seed, strict};
use proptest::{prop_assert, prop_assert_eq};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sovereign_core::schema::{
    Arg, Profile, RawArguments, Schema, Violation, check, code, decode, decode_value, render,
};
use std::cell::Cell;

/// The schema as JSON, when it is one of draft 2020-12.
pub(crate) fn published<T: Schema>(profile: Profile) -> Value {
    let text = render(&T::NODE, profile);
    let schema = serde_json::from_str(&text).unwrap_or_else(|e| panic!("no JSON ({e}): {text}"));
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of draft 2020-12");
    schema
}

/// The oracle, which checks formats too.
pub(crate) fn oracle(schema: &Value) -> jsonschema::Validator {
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    options.build(schema).expect("a schema")
}

/// Every pointer leads somewhere in the value; a missing field's, to where it would be. What is
/// wrong with a value in a map is said of the map.
fn resolves(violation: &Violation, value: &Value) -> bool {
    let at = violation.at.as_str();
    if violation.code == code::MISSING_FIELD && !violation.expected.contains(" (in ") {
        let parent = at.rsplit_once('/').and_then(|(parent, _)| value.pointer(parent));
        return parent.is_some_and(Value::is_object) && value.pointer(at).is_none();
    }
    value.pointer(at).is_some()
}

/// Whether the typed value says what was sent: absent is `null`, a number is its value, and a set
/// has no order.
fn equal(typed: &Value, sent: &Value, sets: bool) -> bool {
    match (typed, sent) {
        (Value::Object(typed), Value::Object(sent)) => {
            let keys = typed.keys().chain(sent.keys());
            keys.into_iter().all(|key| {
                let of = |map: &serde_json::Map<_, _>| map.get(key).cloned().unwrap_or_default();
                equal(&of(typed), &of(sent), sets)
            })
        }
        (Value::Array(typed), Value::Array(sent)) if sets => {
            typed.len() == sent.len()
                && typed.iter().all(|t| sent.iter().any(|s| equal(t, s, sets)))
        }
        (Value::Array(typed), Value::Array(sent)) => {
            typed.len() == sent.len() && typed.iter().zip(sent).all(|(t, s)| equal(t, s, sets))
        }
        (Value::Number(typed), Value::Number(sent)) if !typed.is_f64() && !sent.is_f64() => {
            typed == sent
        }
        (Value::Number(typed), Value::Number(sent)) => {
            let (typed, sent) = (typed.as_f64().unwrap_or(0.0), sent.as_f64().unwrap_or(1.0));
            // an `f32` field is allowed its own precision
            (typed - sent).abs() <= sent.abs() * 1e-7
        }
        (typed, sent) => typed == sent,
    }
}

/// Without members that are `null` and need not be there: the way to leave out a field for a reader
/// that has no `null`.
fn without_nulls(value: &Value, schema: &Value, root: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("a definition");
        return without_nulls(value, target, root);
    }
    if let (Some(branches), Value::Null) = (schema["anyOf"].as_array(), &schema["type"]) {
        let fits = |branch: &&Value| {
            let required = branch["required"].as_array().map_or(&[][..], Vec::as_slice);
            let named = |key: &Value| {
                let key = key.as_str().unwrap_or_default();
                value.get(key).is_some_and(|value| match &branch["properties"][key]["enum"] {
                    Value::Array(only) => only.contains(value),
                    _ => true,
                })
            };
            branch["$ref"].is_string() && !value.is_null()
                || branch["type"] == "object" && value.is_object() && required.iter().all(named)
        };
        let branch = branches.iter().find(fits);
        return branch.map_or(value.clone(), |branch| without_nulls(value, branch, root));
    }
    match value {
        Value::Object(members) => {
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let kept = members.iter().filter(|(key, value)| {
                let optional = schema["properties"].get(key).is_some()
                    && !required.iter().any(|name| name == key.as_str());
                !(optional && value.is_null())
            });
            kept.map(|(key, value)| {
                let own = schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
                (key.clone(), without_nulls(value, own, root))
            })
            .collect()
        }
        Value::Array(items) => {
            let own = |at: usize| match &schema["prefixItems"] {
                Value::Array(own) => &own[at],
                _ => &schema["items"],
            };
            items.iter().enumerate().map(|(at, v)| without_nulls(v, own(at), root)).collect()
        }
        other => other.clone(),
    }
}

/// What serde's own derive makes of the input, when the type has one.
pub(crate) type Serde<T> = Option<fn(&[u8]) -> Option<T>>;

pub(crate) fn by_serde<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    serde_json::from_slice(text).ok()
}

/// How a typed value relates to what was sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// Item by item.
    Same,
    /// Lists may have another order.
    Sets,
    /// Texts may be spelt in another way.
    Formats,
}

/// The published schema, the check and the decoder give one verdict on every input, parsed or not;
/// every profile accepts what is accepted.
pub(crate) fn agree<T: Arg + Serialize>(sent: Sent, serde: Serde<T>) {
    let full = published::<T>(Profile::Full);
    let judge = oracle(&full);
    let readers = Profile::ALL.map(|profile| (profile, oracle(&published::<T>(profile))));
    let (accepted, refused) = (Cell::new(0u32), Cell::new(0u32));
    let cases = cases(20_000, 200_000);
    run(cases, 400, |entropy| {
        let text = generate::text(&full, entropy);
        let raw = RawArguments::parse(&text);
        let shown = String::from_utf8_lossy(&text);
        let reference = strict::object(&text);
        prop_assert_eq!(raw.is_ok(), reference.is_some(), "{:?} on {}", raw, shown);
        let (Ok(raw), Some(value)) = (raw, reference) else { return Ok(()) };

        let decoded = decode::<T>(&raw).map(|typed| serde_json::to_value(typed).expect("JSON"));
        let checked = check(&text, &T::NODE);
        prop_assert_eq!(decoded.as_ref().err(), checked.as_ref().err(), "{}", shown);
        if !strict::is_plain(&shown) {
            return Ok(());
        }
        prop_assert_eq!(judge.is_valid(&value), decoded.is_ok(), "{:?} on {}", decoded, shown);
        let parsed = decode_value::<T>(&value);
        prop_assert_eq!(
            parsed.is_ok(),
            decoded.is_ok(),
            "{:?} parsed from {}",
            parsed.err(),
            shown
        );
        match decoded {
            Ok(typed) => {
                accepted.set(accepted.get() + 1);
                let sets = sent == Sent::Sets;
                if sent != Sent::Formats {
                    prop_assert!(equal(&typed, &value, sets), "{} became {}", shown, typed);
                }
                if let Some(theirs) = serde.and_then(|read| read(&text)) {
                    let theirs = serde_json::to_value(theirs).expect("JSON");
                    prop_assert!(equal(&typed, &theirs, sets), "{} became {}", shown, theirs);
                }
                for (profile, reader) in &readers {
                    let takes = match profile {
                        Profile::OpenAiStrict => reader.is_valid(&typed),
                        Profile::Ollama => reader.is_valid(&without_nulls(&value, &full, &full)),
                        _ => reader.is_valid(&value),
                    };
                    prop_assert!(takes, "{:?} is narrower: {}", profile, shown);
                }
            }
            Err(violations) => {
                refused.set(refused.get() + 1);
                prop_assert!((1..=17).contains(&violations.len()), "{:?}", violations);
                for violation in &violations {
                    prop_assert!(resolves(violation, &value), "{:?} on {}", violation, shown);
                }
            }
        }
        Ok(())
    });
    // A generator that only makes one kind of input would show nothing.
    let (accepted, refused) = (accepted.get(), refused.get());
    let (name, seed) = (std::any::type_name::<T>(), seed());
    println!("{name}: {cases} inputs of seed {seed}, {accepted} accepted, {refused} refused");
    assert!(accepted > cases / 20, "only {accepted} of {cases} inputs are valid");
    assert!(refused > cases / 50, "only {refused} of {cases} inputs are invalid");
}
