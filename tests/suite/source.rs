//! The project's own files as text, for the tests that check its shape.

use std::fs;
use std::path::{Path, PathBuf};

/// The top of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate is inside the workspace")
}

/// Reads a file named from the top of the workspace.
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every file below `directory` with this extension, named from the top of the workspace, sorted.
/// Build output and hidden folders are left out.
pub fn files(directory: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(directory)];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.expect("a folder entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path.strip_prefix(root()).expect("below the top").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Whether a file holds tests only: a sibling `tests.rs`, `…_tests.rs`, or anything in a `tests` folder.
pub fn is_test_file(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem == "tests"
        || stem.ends_with("_tests")
        || path.components().any(|part| part.as_os_str() == "tests")
}

/// Rust text with comments, strings and characters blanked out, so that what is left is code.
/// Line breaks stay where they were.
pub fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => 1 + quoted(&rest[1..]),
            '\'' => character(rest),
            'r' | 'b' | 'c' if !ends_in_word(&out) => prefixed_string(rest),
            _ => 0,
        };
        if taken == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.extend(rest[..taken].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[taken..];
        }
    }
    out
}

/// The words of some code: identifiers, keywords and numbers, with where they start.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + code[at..].find(is_word)?;
        let end = code[start..].find(|c| !is_word(c)).map_or(code.len(), |n| start + n);
        at = end;
        Some((start, &code[start..end]))
    })
}

/// Code without its `#[cfg(test)]` modules that are written in place.
pub fn without_test_modules(code: &str) -> String {
    let mut out = code.to_owned();
    while let Some(start) = out.find("#[cfg(test)]") {
        let Some(brace) = out[start..].find(['{', ';']).map(|n| start + n) else { break };
        let end =
            if out[brace..].starts_with('{') { brace + braces(&out[brace..]) } else { brace + 1 };
        out.replace_range(start..end, "");
    }
    out
}

/// How long the braced group at the start of `code` is.
pub fn braces(code: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_word)
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Up to and with the closing quote.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character literal; nothing for a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), Some(_)) => text[3..].find('\'').map_or(text.len(), |n| 3 + n + 1),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// `r"…"`, `r#"…"#`, `b"…"`, `c"…"`, `br"…"`; nothing for a word that only starts like one.
fn prefixed_string(text: &str) -> usize {
    let prefix = text.find(|c| !matches!(c, 'r' | 'b' | 'c')).unwrap_or(text.len());
    let is_raw = text[..prefix].contains('r');
    let hashes = text[prefix..].bytes().take_while(|b| *b == b'#').count();
    let body = prefix + hashes + 1;
    match text[prefix + hashes..].starts_with('"') {
        true if is_raw => {
            let close = format!("\"{}", "#".repeat(hashes));
            text[body..].find(&close).map_or(text.len(), |n| body + n + close.len())
        }
        true if hashes == 0 => body + quoted(&text[body..]),
        _ => 0,
    }
}

#[test]
fn code_keeps_no_comment_string_or_character() {
    let text = r####"a /* x /* y */ z */ b // c
        "d \" e" f r#"g " h"# b"i" 'j' '\'' '\u{1F600}' k<'l>(m) br##"n"# o"## p"####;
    let left = code(text);
    assert_eq!(left.split_whitespace().collect::<Vec<_>>(), ["a", "b", "f", "k<'l>(m)", "p"]);
    assert_eq!(left.lines().count(), text.lines().count());
}

#[test]
fn code_loses_its_test_modules_and_nothing_else() {
    let text = "a; #[cfg(test)] mod tests { b { c } } d; #[cfg(test)] mod more; e";
    assert_eq!(without_test_modules(text).split_whitespace().collect::<String>(), "a;d;e");
}
