//! Foreign text in our own one-line reasons.
use std::fmt::Write as _;

/// How many characters of it are shown.
const LONGEST: usize = 200;

/// Printable ASCII as it is, all else escaped, cut with `…`: whatever a server writes stays one
/// harmless line.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut line = String::new();
    for (shown, c) in text.trim().chars().enumerate() {
        if shown == LONGEST {
            line.push('…');
            break;
        }
        if c == ' ' || c.is_ascii_graphic() {
            line.push(c);
        } else {
            // writing to a String cannot fail
            write!(line, "{}", c.escape_default()).unwrap_or_default();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn foreign_text_is_one_printable_bounded_line() {
        let hostile = "busy\r\n\u{1b}[2J\u{202e}\u{e0041}\0".as_bytes();
        assert_eq!(quoted(hostile), r"busy\r\n\u{1b}[2J\u{202e}\u{e0041}\u{0}");
        let long = quoted(&[b'x'; 10_000]);
        assert_eq!(long.chars().count(), 201);
        assert!(quoted(&[0xff, b'a']).is_ascii());
    }
}
