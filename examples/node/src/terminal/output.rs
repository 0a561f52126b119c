use serde::Serialize;
use sovereign_core::display::escape_json;
use std::fmt::Display;
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
    Ok(format!("{}\n", escape_json(&serde_json::to_string(value)?)))
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn json_holds_no_hidden_character_and_means_the_same() {
        let text = "a\u{7f}\u{1b}[2K\u{9b}\u{202e}\u{e0041}\u{feff}\\ \"é\" 日本\n";
        let shown = json(&text).unwrap();
        assert_eq!(
            shown,
            "\"a\\u007f\\u001b[2K\\u009b\\u202e\\udb40\\udc41\\ufeff\\\\ \\\"é\\\" 日本\\n\"\n"
        );
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
