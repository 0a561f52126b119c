use super::Pattern;

fn compiled(written: &str) -> Pattern {
    Pattern::compile(written).unwrap_or_else(|why| panic!("{written}: {why}"))
}

#[test]
fn a_pattern_matches_the_whole_text() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("^a$", &["a"], &["", "aa", "ba", "a\n"]),
        ("^a|b$", &["a", "b"], &["ab", "ax", "xb"]),
        ("^(ab|cd)+$", &["ab", "abcd"], &["", "abc"]),
        (r"^\d{2,3}$", &["12", "123"], &["1", "1234", "1a"]),
        (r"^\w+(-\w+)*$", &["a", "a-b", "A_9-0"], &["", "-", "a-", "a--b", "é"]),
        ("^[^a-c]?$", &["", "d", "é"], &["a", "dd"]),
        ("^(?:x{2,})$", &["xx", "xxxx"], &["x"]),
        (r"^[\]\-a]\.$", &["].", "-.", "a."], &["b.", "]x"]),
        ("^(a*)*$", &["", "aaa"], &["b"]),
        ("^[a-]$", &["a", "-"], &["b"]),
        (r"^a\\$", &["a\\"], &["a", "a$"]),
    ];
    for (written, good, bad) in cases {
        let pattern = compiled(written);
        for text in *good {
            assert!(pattern.admits(text), "{written} on {text:?}");
        }
        for text in *bad {
            assert!(!pattern.admits(text), "{written} on {text:?}");
        }
    }
}

#[test]
fn the_published_text_has_one_form() {
    for (written, published) in [
        (r"^\d+$", "^[0-9]+$"),
        (r"^\w$", "^[0-9A-Z_a-z]$"),
        ("^a|b$", "^(a|b)$"),
        ("^(?:a|b)c$", "^(a|b)c$"),
        ("^(((a)))$", "^a$"),
        ("^((ab)+)?$", "^((ab)+)?$"),
        ("^[cab]$", "^[a-c]$"),
        ("^[ab]$", "^[ab]$"),
        ("^[a]$", "^a$"),
        (r"^\.\/[.\]]$", r"^\.\/[.\]]$"),
        ("^[^\n]{3,3}$", r"^[^\n]{3}$"),
        (r"^[\w.-]{1,64}$", r"^[\-.0-9A-Z_a-z]{1,64}$"),
        ("^(a{2}){3}$", "^(a{2}){3}$"),
        ("^(a{1}){3}$", "^a{3}$"),
    ] {
        let once = compiled(written);
        assert_eq!(once.text, published, "{written}");
        let twice = compiled(&once.text);
        assert_eq!(twice.text, published, "{written}, read again");
        assert_eq!(twice.steps, once.steps, "{written}, read again");
    }
}

#[test]
fn what_engines_read_differently_is_refused() {
    for (written, words) in [
        ("a$", "starts with `^`"),
        ("^a", "ends with `$`"),
        (r"^a\$", "ends with `$`"),
        ("", "starts with `^`"),
        ("^", "starts with `^`"),
        ("^a(?=b)$", "lookaround"),
        ("^(?<!b)a$", "lookaround"),
        ("^(?<year>a)$", "name or a flag"),
        ("^(?i)a$", "name or a flag"),
        (r"^(a)\1$", "refers back"),
        ("^a+?$", "lazy"),
        ("^a{2}{3}$", "lazy"),
        ("^a.b$", "`.` differs"),
        (r"^\s$", r"`\s` differs"),
        (r"^\bword$", r"`\b` differs"),
        (r"^\p{L}$", r"`\p` differs"),
        (r"^\h$", "not an escape"),
        ("^[z-a]$", "write `a-z`"),
        ("^[\\d-z]$", "from one character"),
        ("^[]$", "without characters"),
        ("^[a$", "not closed"),
        ("^[[a]$", "not portable"),
        ("^(a$", "not closed"),
        ("^a)$", "closes nothing"),
        ("^*a$", "repeats or closes nothing"),
        ("^a{x}$", "not a repetition"),
        ("^a{3,2}$", "reversed"),
        ("^a{0}$", "repeats nothing"),
        ("^a{2$", "not closed"),
        ("^a||b$", "empty text"),
        ("^$", "empty text"),
        ("^a^b$", "cannot stand inside"),
        ("^a{128}$", "more than 127 steps"),
        ("^(((a{99}){99}){99}){99}$", "more than 127 steps"),
    ] {
        match Pattern::compile(written) {
            Err(why) => assert!(why.contains(words), "{written}: {why}"),
            Ok(pattern) => panic!("{written} became {}", pattern.text),
        }
    }
    assert_eq!(compiled("^a{127}$").steps.len(), 128);
}
