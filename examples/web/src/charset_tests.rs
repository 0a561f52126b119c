use super::decode;

#[test]
fn the_mark_beats_the_header_the_header_the_page_and_the_page_the_guess() {
    for (body, content_type, text) in [
        (b"caf\xe9".as_slice(), "text/html; charset=iso-8859-1", "café"),
        (b"caf\xe9", "text/plain;charset=\"Windows-1252\"", "café"),
        (b"caf\xc3\xa9", "text/plain; charset=utf-8", "café"),
        (b"\xef\xbb\xbfcaf\xc3\xa9", "text/plain; charset=iso-8859-1", "café"),
        (b"\xff\xfec\0a\0", "text/plain; charset=utf-8", "ca"),
        (b"<meta charset=koi8-r>\xc4\xc1", "text/html", "<meta charset=koi8-r>да"),
        (b"<meta charset=koi8-r>\xc3\xa9", "text/html; charset=utf-8", "<meta charset=koi8-r>é"),
        (b"<meta charset=utf-16>\xc3\xa9", "text/html", "<meta charset=utf-16>é"),
        (b"<meta charset=koi8-r>\xc3\xa9", "text/plain", "<meta charset=koi8-r>é"),
        (b"\x93quoted\x94", "text/plain", "“quoted”"),
        (b"caf\xc3\xa9", "text/html", "café"),
        (b"\"\xe9\"", "application/json; charset=iso-8859-1", "\"\u{fffd}\""),
        (b"caf\xe9", "text/html; charset=no-such-thing", "café"),
    ] {
        assert_eq!(decode(body, content_type, false), text, "{content_type} {body:?}");
    }
}

#[test]
fn a_page_may_declare_its_character_set_the_old_way() {
    let body = b"<!-- <meta charset=utf-8> --><META http-equiv='Content-Type' content='text/html; charset=ISO-8859-2'>\xb1";
    assert!(decode(body, "text/html", false).ends_with('ą'));
}

#[test]
fn a_character_cut_in_two_is_left_out_only_where_the_body_was_cut() {
    assert_eq!(decode(b"ab\xc3", "text/plain", true), "ab");
    assert_eq!(decode(b"ab\xc3", "text/plain; charset=utf-8", false), "ab\u{fffd}");
}
