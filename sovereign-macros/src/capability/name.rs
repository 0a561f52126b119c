//! The grammar of names: what a capability may be called, on the wire and to a person.
use crate::suggest::list;

/// Words of the surface where a person decides. No capability may end in one, so that nothing a
/// model proposes can pass for a decision.
const RESERVED: &[&str] = &["confirm", "approve", "deny", "grant", "revoke"];

/// What providers take as a function name.
const MAX_WIRE: usize = 64;

/// `[a-z][a-z0-9]*(_[a-z0-9]+)*`
pub(super) fn is_segment(text: &str) -> bool {
    let word =
        |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.split('_').all(word)
}

/// What is wrong with this name at this version, if anything.
pub(super) fn objection(name: &str, version: u32) -> Option<String> {
    if !name.split('.').all(is_segment) {
        return Some(format!(
            "`{name}` is not a capability name: lower-case words joined by `_`, parts joined by dots, such as `{}`",
            repaired(name).unwrap_or_else(|| "notes.find_all".into()),
        ));
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if RESERVED.contains(&last) {
        return Some(format!(
            "no capability may end in `{last}`: {} belong to the confirmation surface, where a person decides; choose another last word",
            list(RESERVED),
        ));
    }
    let wire = wire(name, version);
    (wire.len() > MAX_WIRE).then(|| {
        format!(
            "`{name}` is too long: providers see `{wire}`, which has {} bytes of at most {MAX_WIRE}",
            wire.len(),
        )
    })
}

/// `web.fetch` version 2 travels as `web__fetch__v2`.
fn wire(name: &str, version: u32) -> String {
    format!("{}__v{version}", name.replace('.', "__"))
}

/// The name as it was probably meant, if that can be guessed.
pub(super) fn repaired(name: &str) -> Option<String> {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            'A'..='Z' => {
                if out.ends_with(|p: char| p.is_ascii_alphanumeric()) {
                    out.push('_');
                }
                out.push(c.to_ascii_lowercase());
            }
            '-' | ' ' | '_' if !out.ends_with(['_', '.']) => out.push('_'),
            '-' | ' ' | '_' => {}
            '/' | ':' | '.' if !out.ends_with('.') => out.push('.'),
            '/' | ':' | '.' => {}
            other => out.push(other),
        }
    }
    let out = out.trim_matches(['_', '.']).replace("_.", ".");
    out.split('.').all(is_segment).then_some(out)
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
