use super::{Prose, Visible, escape_json};

#[test]
fn every_scalar_value_is_printable_or_escaped() {
    for c in '\0'..=char::MAX {
        let shown = Visible(c.encode_utf8(&mut [0; 4])).to_string();
        let hostile = shown.chars().any(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}'));
        assert!(!hostile, "U+{:04X} shows as {shown:?}", u32::from(c));
    }
}

#[test]
fn tags_bidi_and_zero_width_are_visible() {
    for hidden in [
        '\u{e0041}',
        '\u{202e}',
        '\u{200b}',
        '\u{feff}',
        '\u{2028}',
        '\u{9b}',
        '\u{3164}',
        '\u{2800}',
    ] {
        let shown = Visible(&hidden.to_string()).to_string();
        assert_eq!(shown, format!("\\u{{{:x}}}", u32::from(hidden)));
    }
}

#[test]
fn two_texts_never_show_alike() {
    assert_ne!(Visible(r"\u{1b}").to_string(), Visible("\u{1b}").to_string());
}

#[test]
fn prose_keeps_lines_and_nothing_else_that_moves_a_cursor() {
    assert_eq!(Prose("a\r\n\tb\u{1b}[2J\u{9b}1A").to_string(), "a\\u{d}\n\tb\\u{1b}[2J\\u{9b}1A");
}

#[test]
fn escaped_json_means_the_same() {
    let json = serde_json::to_string(&"a\u{e0041}\u{202e}é\u{10ffff}").unwrap();
    let escaped = escape_json(&json);
    assert!(escaped.is_ascii() || escaped.contains('é'));
    assert!(!escaped.contains('\u{e0041}') && !escaped.contains('\u{202e}'));
    let (a, b): (String, String) =
        (serde_json::from_str(&json).unwrap(), serde_json::from_str(&escaped).unwrap());
    assert_eq!(a, b);
}
