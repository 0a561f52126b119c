//! Values as JSON text, for defaults that are no literals.

pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `None` when an item cannot be written.
pub(super) fn list(items: impl Iterator<Item = Option<String>>) -> Option<String> {
    items.collect::<Option<Vec<_>>>().map(|items| format!("[{}]", items.join(",")))
}

pub(crate) fn member(key: &str, value: Option<String>) -> Option<String> {
    value.map(|value| format!("{}:{value}", quoted(key)))
}

/// One order, whatever the hashes are.
pub(super) fn sorted(items: impl Iterator<Item = Option<String>>) -> Option<Vec<String>> {
    let mut items = items.collect::<Option<Vec<_>>>()?;
    items.sort_unstable();
    Some(items)
}
