use super::*;

fn parse(line: &str) -> Option<(String, String)> {
    let Message { peer, text } = Message::parse(line.as_bytes())?;
    Some((peer.as_str().to_owned(), text))
}

#[test]
fn message_is_one_object_with_two_strings() {
    let read = Some(("!a1".to_owned(), "hi\n\"}".to_owned()));
    assert_eq!(parse(r#"{"peer":"!a1","text":"hi\n\"}"}"#), read);
    assert_eq!(parse(" {\"text\": \"hi\\n\\\"}\", \"peer\": \"!a1\"}\r"), read);
}

#[test]
fn whatever_is_not_exactly_a_message_is_none() {
    for line in [
        "",
        " ",
        "null",
        "0",
        "\"hi\"",
        "{}",
        r#"["!a1","hi"]"#,
        r#"{"peer":"!a1"}"#,
        r#"{"peer":"!a1","text":""}"#,
        r#"{"peer":"!a1","text":" \n"}"#,
        r#"{"peer":"!a1","text":null}"#,
        r#"{"peer":"!a1","text":["hi"]}"#,
        r#"{"peer":1,"text":"hi"}"#,
        r#"{"peer":"!a1","text":"hi","scope":"operator"}"#,
        r#"{"peer":"!a1","text":"hi","peer":"!b2"}"#,
        r#"{"peer":"!a1","text":"hi","p\u0065er":"!b2"}"#,
        r#"{"peer":"!a1","text":"hi"}{"peer":"!b2","text":"hi"}"#,
        r#"{"peer":"!a1","text":"hi"} x"#,
        r#"{"peer":"!a1","text":"hi""#,
        r#"{"peer":"!a1","text":"\ud800"}"#,
        r#"{"peer":"","text":"hi"}"#,
        r#"{"peer":"!a 1","text":"hi"}"#,
        r#"{"peer":"!a1\n","text":"hi"}"#,
        r#"{"peer":"!а1","text":"hi"}"#,
        "{\"peer\":\"!a1\",\"text\":\"a\u{1}b\"}",
    ] {
        assert_eq!(parse(line), None, "{line}");
    }
    let long = format!(r#"{{"peer":"{}","text":"hi"}}"#, "a".repeat(65));
    assert_eq!(parse(&long), None);
    assert_eq!(Message::parse(b"{\"peer\":\"!a1\",\"text\":\"\xff\"}"), None);
}

#[test]
fn answer_is_one_line_whatever_is_in_it() {
    let peer = Peer::parse("!a1").ok();
    let line = Answer::refusal(peer, "busy", "one\ntwo").line();
    assert_eq!(line, b"{\"peer\":\"!a1\",\"text\":\"one\\ntwo\",\"code\":\"busy\"}\n");
    let line = Answer::refusal(None, "invalid_message", "").line();
    assert_eq!(line, b"{\"peer\":null,\"text\":\"\",\"code\":\"invalid_message\"}\n");
}
