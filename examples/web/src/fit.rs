//! How much text a result has room for.

/// The start of `text` that takes at most `room` bytes inside a JSON string, and whether that is not
/// all. Cut between two characters; control characters other than line ends and tabs are left out.
pub(crate) fn fit(text: &str, room: usize) -> (String, bool) {
    let mut kept = String::with_capacity(text.len().min(room));
    let mut left = room;
    for c in text.chars() {
        let size = match c {
            '\n' | '\t' | '"' | '\\' => 2,
            c if c.is_control() => continue,
            c => c.len_utf8(),
        };
        match left.checked_sub(size) {
            Some(rest) => left = rest,
            None => return (kept, true),
        }
        kept.push(c);
    }
    (kept, false)
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn what_is_kept_takes_no_more_room_in_json_than_there_is() {
        for text in ["plain", "é", "\"\\\n\t", "𝄞 clef", "\u{1}\u{7f}a", "日本語"] {
            let text = text.repeat(40);
            for room in 0..200 {
                let (kept, cut) = fit(&text, room);
                let json = serde_json::to_string(&kept).unwrap().len() - 2;
                assert!(json <= room, "{room} {json}");
                assert!(!cut || json + 4 > room, "room for another character: {room} {json}");
            }
        }
    }

    #[test]
    fn control_characters_are_left_out_and_nothing_else() {
        assert_eq!(fit("a\u{1b}[31m\r\nb\u{0}\t\u{9b}é", 100), ("a[31m\nb\té".into(), false));
    }
}
