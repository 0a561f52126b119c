//! Words that mix writing systems: a Cyrillic letter in a Latin word reads as another word.

use crate::display::Visible;
use unicode_script::{Script, UnicodeScript as _};

/// How many such words are named; one is enough to look again.
const MAX_NAMED: usize = 8;

/// One sentence for each word of `text` that mixes scripts, such as Latin with Cyrillic. Scripts that
/// are written together (Latin, Han, kana, Hangul) are no mixture.
pub(super) fn mixed(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !is_part_of_word(c)).filter(|word| !word.is_ascii());
    let mixed = words.filter_map(|word| {
        let scripts = scripts(word);
        let mixes = scripts.len() > 1 && !scripts.iter().all(|s| written_together(*s));
        let names: Vec<_> = scripts.iter().map(|s| s.full_name()).collect();
        mixes.then(|| format!("`{}` mixes {}", Visible(word), names.join(" and ")))
    });
    mixed.take(MAX_NAMED).collect()
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c.script(), Script::Inherited)
}

/// In the order of their appearance; what all scripts share is left out.
fn scripts(word: &str) -> Vec<Script> {
    let mut seen = Vec::new();
    for script in word.chars().map(|c| c.script()) {
        let shared = matches!(script, Script::Common | Script::Inherited | Script::Unknown);
        if !shared && !seen.contains(&script) {
            seen.push(script);
        }
    }
    seen
}

const fn written_together(script: Script) -> bool {
    matches!(
        script,
        Script::Latin
            | Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Bopomofo
            | Script::Hangul
    )
}
