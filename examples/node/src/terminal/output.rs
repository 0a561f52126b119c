use serde::Serialize;
use sovereign_core::display::Visible;
use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};

/// Why nothing could be printed.
pub(crate) type Output = io::Result<()>;

/// Writes `text` to standard output at once.
pub(crate) fn print(text: &str) -> Output {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Tells an operator something beside the output.
pub(crate) fn note(text: impl Display) {
    // whoever closed standard error wants no notes
    drop(writeln!(io::stderr().lock(), "sovereign-node: {text}"));
}

/// One JSON document on one line. Hidden characters are `\u` escapes: they occur only inside strings,
/// so the document means the same, and a terminal that it is printed on does nothing strange.
pub(crate) fn json(value: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string(value)?;
    let mut out = String::with_capacity(text.len().saturating_add(1));
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // writing to a String cannot fail
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out.push('\n');
    Ok(out)
}

fn is_hidden(c: char) -> bool {
    let mut one = [0; 4];
    let text: &str = c.encode_utf8(&mut one);
    c != '\\' && Visible(text).to_string() != text
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn json_holds_no_hidden_character_and_means_the_same() {
        let text = "a\u{1b}[2K\u{9b}\u{202e}\u{e0041}\u{feff}\\ \"é\" 日本\n";
        let shown = json(&text).unwrap();
        assert_eq!(
            shown,
            "\"a\\u001b[2K\\u009b\\u202e\\udb40\\udc41\\ufeff\\\\ \\\"é\\\" 日本\\n\"\n"
        );
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
