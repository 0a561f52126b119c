//! An entry of the lock, and the lines that two of them are compared by.
use crate::capability::Descriptor;
use crate::schema::{Node, Profile, render};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Everything that is published of one capability, as the lock file holds it.
pub(super) fn entry(d: &Descriptor) -> Value {
    let bounds = d.declaration.bounds;
    sorted(json!({
        "description": d.description(),
        "category": d.category().to_string(),
        "side_effect": d.side_effect,
        "network": d.network,
        "loopback": d.reaches_loopback(),
        "timeout": written(bounds.timeout),
        "max_result": bounds.max_result,
        "max_per_turn": bounds.max_per_turn,
        "arguments": full(&d.arguments),
        "result": full(&d.result),
    }))
}

/// All that is enforced, also what a provider is not told.
fn full(node: &Node) -> Value {
    // INVARIANT: the renderer writes JSON; `null` would be a difference to every lock.
    serde_json::from_str(&render(node, Profile::Full)).unwrap_or_default()
}

fn written(time: Duration) -> String {
    match time.as_nanos().checked_rem(1_000_000) {
        Some(0) => format!("{} ms", time.as_millis()),
        _ => format!("{} ns", time.as_nanos()),
    }
}

/// With the keys of every object in order, whichever map `serde_json` was built with.
pub(super) fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let map: BTreeMap<_, _> = map.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            Value::Object(map.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        scalar => scalar,
    }
}

/// An entry as lines `place = value`: what callers rely on, and apart from it the texts. The order
/// of fields, variants and definitions, and the names of definitions, are neither.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) contract: BTreeSet<String>,
    pub(super) texts: BTreeMap<String, String>,
}

impl Lines {
    pub(super) fn of(entry: &Map<String, Value>) -> Self {
        let mut lines = Self::default();
        for (key, value) in entry {
            match (key.as_str(), value) {
                ("description", text) => lines.text(key.clone(), text),
                ("arguments" | "result", Value::Object(schema)) => lines.root(key, schema),
                (_, value) => lines.line(key, value),
            }
        }
        lines
    }

    fn root(&mut self, at: &str, schema: &Map<String, Value>) {
        let mut referred = Vec::new();
        self.schema(at, schema, &mut referred);
        let definitions = schema.get("$defs").and_then(Value::as_object);
        let mut next = 0;
        // a definition may refer to more of them
        while let Some(name) = referred.get(next).cloned() {
            next = next.saturating_add(1);
            if let Some(body) = definitions.and_then(|d| d.get(&name)).and_then(Value::as_object) {
                self.schema(&format!("{at}/definition {next}"), body, &mut referred);
            }
        }
    }

    fn schema(&mut self, at: &str, schema: &Map<String, Value>, referred: &mut Vec<String>) {
        for (key, value) in sorted_keys(schema) {
            let place = format!("{at}/{key}");
            match (key, value) {
                ("$defs", _) => {}
                // a value, and not a schema
                ("default" | "const", value) => self.line(&place, value),
                ("description", text) => self.text(place, text),
                ("$ref", Value::String(target)) => {
                    let name = target.rsplit('/').next().unwrap_or_default();
                    let known = referred.iter().position(|r| r == name);
                    let number = known.unwrap_or_else(|| {
                        referred.push(name.to_owned());
                        referred.len().saturating_sub(1)
                    });
                    self.line(&place, &format!("definition {}", number.saturating_add(1)).into());
                }
                // below these the keys are names, and a field may be called `description`
                ("properties" | "patternProperties", Value::Object(named)) => {
                    for (name, value) in sorted_keys(named) {
                        self.value(&format!("{place}/{name}"), value, referred);
                    }
                }
                (_, value) => self.value(&place, value, referred),
            }
        }
    }

    fn value(&mut self, at: &str, value: &Value, referred: &mut Vec<String>) {
        match value {
            Value::Object(schema) => {
                let before = self.contract.len();
                self.schema(at, schema, referred);
                if self.contract.len() == before {
                    self.line(at, &"anything".into());
                }
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                for (i, item) in items.iter().enumerate() {
                    self.value(&format!("{at}/{i}"), item, referred);
                }
            }
            // `required`, `enum`, `type`: sets
            Value::Array(items) => {
                items.iter().for_each(|item| self.line(&format!("{at}[]"), item));
            }
            scalar => self.line(at, scalar),
        }
    }

    fn line(&mut self, at: &str, value: &Value) {
        self.contract.insert(format!("{at} = {value}"));
    }

    fn text(&mut self, at: String, text: &Value) {
        self.texts.insert(at, text.to_string());
    }
}

fn sorted_keys(map: &Map<String, Value>) -> BTreeMap<&str, &Value> {
    map.iter().map(|(key, value)| (key.as_str(), value)).collect()
}
