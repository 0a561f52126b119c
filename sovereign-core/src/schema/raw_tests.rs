use super::*;
use std::fmt::Write as _;

fn code(bytes: &[u8]) -> &'static str {
    RawArguments::parse(bytes).map_or_else(|malformed| malformed.code(), |_| "ok")
}

fn problem(bytes: &[u8]) -> &'static str {
    match RawArguments::parse(bytes) {
        Err(Malformed::NotOneJsonObject { problem, .. }) => problem,
        Err(_) | Ok(_) => "",
    }
}

fn nested(levels: usize) -> String {
    let inner = levels.saturating_sub(1);
    format!("{{\"a\":{}{}}}", "[".repeat(inner), "]".repeat(inner))
}

#[test]
fn malformed_arguments_never_parse() {
    for (text, want) in [
        ("", "nothing where an object should start"),
        ("  ", "nothing where an object should start"),
        ("\n", "nothing where an object should start"),
        ("null", "no object"),
        ("0", "no object"),
        ("false", "no object"),
        ("garbage", "no object"),
        ("\u{feff}{}", "no object"),
        ("[]", "an array where an object should start"),
        ("[1]", "an array where an object should start"),
        (r#"[{"a":1}]"#, "an array where an object should start"),
        (r#""""#, "a string where an object should start"),
        (r#""{\"a\":1}""#, "a string where an object should start"),
        (r#"{"path":"#, "no value before the end"),
        (r#"{"path":"/tmp/a","mode":"ap"#, "an unfinished string"),
        (r#"{"path":"/tmp/a""#, "an unfinished array or object"),
        (r#"{"a":1}{"b":2}"#, "more after the end of the value"),
        (r#"{}{"a":1}"#, "more after the end of the value"),
        ("{} x", "more after the end of the value"),
        ("{\"a\":\"\u{7}\"}", "a raw control character in a string"),
        ("{\"a\":\"\n\"}", "a raw control character in a string"),
        (r#"{"a":"\ud83d"}"#, "a lone surrogate in a string"),
        (r#"{"a":"\ud83dx"}"#, "a lone surrogate in a string"),
        (r#"{"a":"\ud83d\u0041"}"#, "a lone surrogate in a string"),
        (r#"{"a":"\ude00"}"#, "a lone surrogate in a string"),
        (r#"{"\ud83d":1}"#, "a lone surrogate in a string"),
        (r#"{"a":"\x"}"#, "an unknown escape in a string"),
        (r#"{"a":"\u00g0"}"#, "an unknown escape in a string"),
        (r#"{"a":01}"#, "a malformed number"),
        (r#"{"a":-}"#, "a malformed number"),
        (r#"{"a":1.}"#, "a malformed number"),
        (r#"{"a":1e}"#, "a malformed number"),
        (r#"{"a":1e400}"#, "a number that no finite float can hold"),
        (r#"{"a":.5}"#, "no value where one should be"),
        (r#"{"a":+1}"#, "no value where one should be"),
        (r#"{"a":NaN}"#, "no value where one should be"),
        (r#"{"a":nul}"#, "a word that is not `true`, `false` or `null`"),
        (r#"{"a":1,}"#, "no key where one should be"),
        (r#"{,"a":1}"#, "no key where one should be"),
        (r"{a:1}", "no key where one should be"),
        (r"{'a':1}", "no key where one should be"),
        (r#"{"a" 1}"#, "no colon after a key"),
        (r#"{"a":[1,]}"#, "no value where one should be"),
        (r#"{"a":[1 2]}"#, "neither a comma nor a closing bracket"),
        (r#"{"a":1]"#, "neither a comma nor a closing bracket"),
        (r#"{"a":1 /* b */}"#, "neither a comma nor a closing bracket"),
    ] {
        assert_eq!(code(text.as_bytes()), "not_one_json_object", "{text}");
        assert_eq!(problem(text.as_bytes()), want, "{text}");
    }
}

#[test]
fn one_object_is_frozen_exactly_as_received() {
    for text in [
        "{}",
        " \t\r\n{ } \n",
        r#"{"a":{"a":{"a":[{"a":1},{"a":2}]}}}"#,
        r#"{"b":1,"a":-0,"c":1e3,"d":10.0,"e":0.5E-2}"#,
        r#"{"a":"\ud83d\ude00 é \" \\ \/ \b\f\n\r\t\u0000"}"#,
        r#"{"name":"t","parameters":{"x":null,"y":[true,false]}}"#,
    ] {
        let raw = RawArguments::parse(text.as_bytes()).expect(text);
        assert_eq!(raw.as_str(), text);
    }
}

#[test]
fn duplicate_keys_are_refused_at_every_depth_after_unescaping() {
    for text in [
        r#"{"path":"/tmp/a","path":"/etc"}"#,
        r#"{"path":"/tmp/a","p\u0061th":"/etc"}"#,
        r#"{"":1,"":1}"#,
        r#"{"a":{"b":1,"b":1}}"#,
        r#"{"a":[[{"b":[{"c":1,"d":2,"c":3}]}]]}"#,
        r#"{"/":1,"\/":2}"#,
        r#"{"😀":1,"\ud83d\ude00":2}"#,
        r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"i":11}"#,
        r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"a":11}"#,
    ] {
        assert_eq!(code(text.as_bytes()), "duplicate_key", "{text}");
    }
    let apart = r#"{"a":{"a":1},"A":[{"a":1},{"a":1}],"é":1,"e\u0301":2}"#;
    assert_eq!(code(apart.as_bytes()), "ok", "one key in two objects is no duplicate");
}

#[test]
fn the_last_of_thousands_of_keys_is_still_compared_with_all() {
    let mut text = String::from("{");
    for i in 0..6_000 {
        write!(text, "\"k{i:04}\":0,").expect("a string");
    }
    let wide = format!("{text}\"last\":0}}");
    assert!(wide.len() < RawArguments::MAX_BYTES);
    assert_eq!(code(wide.as_bytes()), "ok");
    let twice = format!("{text}\"k5999\":0}}");
    assert_eq!(code(twice.as_bytes()), "duplicate_key");
}

#[test]
fn one_byte_over_the_size_limit_is_refused_with_both_numbers() {
    let limit = RawArguments::MAX_BYTES;
    let filled = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes.saturating_sub(8)));
    assert_eq!(filled(limit).len(), limit);
    assert_eq!(code(filled(limit).as_bytes()), "ok");
    let refused = RawArguments::parse(filled(65_537).as_bytes()).expect_err("too large");
    assert_eq!(refused, Malformed::TooLarge { bytes: 65_537, limit: 65_536 });
    assert_eq!(refused.code(), "arguments_too_large");
    assert_eq!(refused.to_string(), "the arguments are 65537 bytes long, and the limit is 65536");
}

#[test]
fn one_level_over_the_depth_limit_is_refused() {
    assert_eq!(code(nested(64).as_bytes()), "ok");
    assert_eq!(code(nested(65).as_bytes()), "arguments_too_deep");
    assert_eq!(code(format!("{{\"a\":{}", "[".repeat(60_000)).as_bytes()), "arguments_too_deep");
    assert_eq!(code("{\"a\":".repeat(10_000).as_bytes()), "arguments_too_deep");
}

#[test]
fn bytes_that_are_not_utf8_are_refused_wherever_they_are() {
    for (bytes, at) in [
        (&b"{\"a\":\"\xff\"}"[..], 6),
        (b"{\"\xc3\":1}", 2),
        (b"{\"a\":\"\xed\xa0\x80\"}", 6),
        (b"{\"a\":\"\xc0\xaf\"}", 6),
        (b"{}\x80", 2),
    ] {
        assert_eq!(RawArguments::parse(bytes), Err(Malformed::NotUtf8 { at }));
    }
}

#[test]
fn a_cut_object_is_refused_with_the_byte_count_and_the_limit() {
    let cut = format!("{{\"body\":\"{}", "x".repeat(59_991));
    let refused = RawArguments::parse(cut.as_bytes()).expect_err("cut");
    assert_eq!(
        refused.to_string(),
        "the arguments are not exactly one JSON object: an unfinished string at byte 60000 of 60000 (the limit is 65536)"
    );
}

#[test]
fn debug_and_refusals_show_nothing_of_the_arguments() {
    let raw = RawArguments::parse(br#"{"seed":"abandon"}"#).expect("an object");
    assert_eq!(format!("{raw:?}"), "RawArguments(18 bytes)");
    for bytes in [&br#"{"seed":"abandon"#[..], br#"{"seed":1,"seed":2}"#, br#""abandon""#] {
        let refused = RawArguments::parse(bytes).expect_err("malformed");
        let shown = format!("{refused} {refused:?}");
        assert!(!shown.contains("abandon") && !shown.contains("seed"), "{shown}");
    }
}

#[test]
fn every_prefix_and_every_changed_byte_is_judged_as_serde_judges_it() {
    let good = r#"{"a":[1,-2.5e3,true,null],"é":{"\u00e9":"\ud83d\ude00"},"z":"0123456789"}"#;
    assert_eq!(code(good.as_bytes()), "ok");
    for cut in 0..good.len() {
        assert_ne!(code(good.as_bytes().get(..cut).expect("a prefix")), "ok", "{cut}");
    }
    for at in 0..good.len() {
        for byte in 0..=255 {
            let mut bytes = good.as_bytes().to_vec();
            *bytes.get_mut(at).expect("in range") = byte;
            let theirs = serde_json::from_slice::<serde_json::Map<_, Value>>(&bytes);
            let ours = code(&bytes);
            // serde_json keeps the last of two keys
            assert_eq!(ours == "ok" || ours == "duplicate_key", theirs.is_ok(), "{at} {byte}");
        }
    }
}
