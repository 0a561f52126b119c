//! Text that somebody else wrote, made safe to show a person.
//!
//! Owns the visible form of hidden characters. Terminal, disclosure and model envelope share it.

use std::fmt::{self, Write as _};
use unicode_general_category::{GeneralCategory, get_general_category};

/// Shows untrusted text so that it cannot move a cursor, change colours, reorder what is read, or
/// hide: controls, format and bidi characters, separators, private-use and unassigned ones appear as
/// `\u{…}`, a backslash as `\\`. The form is reversible and holds no line break.
///
/// # Example
/// ```
/// use sovereign_core::display::Visible;
/// assert_eq!(Visible("a\u{1b}[2Kb").to_string(), r"a\u{1b}[2Kb");
/// assert_eq!(Visible("pay \u{202e}01").to_string(), r"pay \u{202e}01");
/// assert_eq!(Visible("naïve 日本").to_string(), "naïve 日本");
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a view of one text")]
pub struct Visible<'a>(pub &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\\' => f.write_str("\\\\")?,
                c if is_hidden(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Prose of several lines for a terminal: line breaks and tabs stay, everything else is as in
/// [`Visible`], and a backslash stays one.
///
/// # Example
/// ```
/// use sovereign_core::display::Prose;
/// assert_eq!(Prose("one\ntwo\u{1b}[1A\r").to_string(), "one\ntwo\\u{1b}[1A\\u{d}");
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a view of one text")]
pub struct Prose<'a>(pub &'a str);

impl fmt::Display for Prose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' | '\t' => f.write_char(c)?,
                c if is_hidden(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// JSON text with every hidden character as a `\u` escape. They occur in JSON only inside strings,
/// so the text means the same, and a terminal or a model that it is shown to sees all of it.
///
/// # Example
/// ```
/// use sovereign_core::display::escape_json;
/// assert_eq!(escape_json("{\"a\":\"\u{202e}\u{7f}é\"}"), r#"{"a":"\u202e\u007fé"}"#);
/// ```
#[must_use]
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // of ASCII, JSON's own white space stays, and only DEL is left unescaped by JSON
        if (c.is_ascii() && c != '\u{7f}') || !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // writing to a String cannot fail
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Whether a person would not see this character for what it is.
fn is_hidden(c: char) -> bool {
    if matches!(c, ' '..='~') {
        return false;
    }
    // what draws nothing though it is a letter or a mark: Hangul fillers, the empty Braille pattern,
    // variation selectors, the grapheme joiner
    let blank = matches!(
        c,
        '\u{115f}' | '\u{2800}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{34f}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
    );
    blank
        || matches!(
            get_general_category(c),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse
                | GeneralCategory::Surrogate
                | GeneralCategory::Unassigned
        )
}

#[cfg(test)]
mod tests;
