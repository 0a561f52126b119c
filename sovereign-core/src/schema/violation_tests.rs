use super::*;

const NAMES: &[Field] = &[
    Field::new("limit", "", Node::BOOL),
    Field::new("query", "", Node::BOOL),
    Field::new("x", "", Node::BOOL),
];

#[test]
fn pointers_escape_tilde_and_slash_outermost_first() {
    let mut findings = Findings::EMPTY;
    findings.add(code::TYPE, Received::Null, || "a string".into());
    findings.prefix(0, Segment::Key("a/b~c"));
    findings.prefix(0, Segment::Index(3));
    findings.prefix(0, Segment::Key("~1"));
    findings.add(code::TYPE, Received::Null, || "a string".into());
    findings.prefix(1, Segment::Key("other"));
    let pointers: Vec<_> = findings.into_violations().into_iter().map(|v| v.at).collect();
    assert_eq!(pointers, ["/~01/3/a~1b~0c", "/other"]);
}

#[test]
fn the_list_is_capped_and_says_so_without_building_more_text() {
    for (count, want) in [(15, 15), (16, 16), (17, 17), (5_000, 17)] {
        let mut findings = Findings::EMPTY;
        let mut built = 0;
        for _ in 0..count {
            findings.add(code::TYPE, Received::Null, || {
                built += 1;
                "a string".into()
            });
        }
        let violations = findings.into_violations();
        assert_eq!(violations.len(), want);
        assert!(built <= MAX_VIOLATIONS);
        let last = violations.last().expect("some");
        assert_eq!(last.code == code::MORE, count > MAX_VIOLATIONS);
    }
}

#[test]
fn a_near_miss_is_suggested_and_anything_else_only_lists_the_fields() {
    let list = "only the fields `limit`, `query`, `x`";
    for (key, suggestion) in [
        ("limt", Some("limit")),
        ("Limit", Some("limit")),
        ("qury", Some("query")),
        ("queryy1", Some("query")),
        ("offset", None),
        ("", None),
        ("y", None),
        ("\u{202e}query", None),
    ] {
        let text = known_fields(key, NAMES);
        match suggestion {
            Some(name) => assert_eq!(text, format!("{list}; perhaps `{name}` was meant"), "{key}"),
            None => assert_eq!(text, list, "{key}"),
        }
    }
    assert_eq!(known_fields(&"limit".repeat(10_000), NAMES), list);
    assert_eq!(known_fields("a", &[]), "no fields at all");
}

#[test]
fn distance_is_the_number_of_edits() {
    for (a, b, want) in
        [("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)]
    {
        assert_eq!(distance(a.as_bytes(), b.as_bytes()), want, "{a} {b}");
        assert_eq!(distance(b.as_bytes(), a.as_bytes()), want, "{b} {a}");
    }
}

#[test]
fn a_violation_reads_as_one_line_and_serialises_with_stable_words() {
    let violation = Violation {
        at: "/limit".into(),
        code: code::RANGE,
        expected: "an integer from 1 to 9".into(),
        received: Received::Number,
    };
    assert_eq!(
        violation.to_string(),
        "`/limit`: range: expected an integer from 1 to 9, received a number"
    );
    assert_eq!(
        serde_json::to_string(&violation).expect("JSON"),
        r#"{"at":"/limit","code":"range","expected":"an integer from 1 to 9","received":"number"}"#
    );
}
