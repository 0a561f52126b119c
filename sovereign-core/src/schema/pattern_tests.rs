use super::*;

/// `^(ab|a[0-9]*)+$`, as the derive compiles it.
static PATTERN: Pattern = Pattern {
    text: "^(ab|a[0-9]*)+$",
    program: &[
        Step::Split(1, 4),
        Step::Class(&[(97, 97)]),
        Step::Class(&[(98, 98)]),
        Step::Jump(8),
        Step::Class(&[(97, 97)]),
        Step::Split(6, 8),
        Step::Class(&[(48, 57)]),
        Step::Jump(5),
        Step::Split(0, 9),
        Step::Match,
    ],
};

#[test]
fn a_pattern_matches_whole_strings_only() {
    for (text, want) in [
        ("ab", true),
        ("a", true),
        ("a12ab", true),
        ("aba9a", true),
        ("", false),
        ("b", false),
        ("abb", false),
        ("xab", false),
        ("abx", false),
        ("ab\n", false),
        ("a٣", false),
    ] {
        assert_eq!(PATTERN.is_match(text), want, "{text}");
    }
}

#[test]
fn loops_that_read_nothing_end() {
    static LOOP: Pattern = Pattern {
        text: "^(()*)*$",
        program: &[Step::Split(1, 3), Step::Split(0, 2), Step::Jump(0), Step::Match],
    };
    assert!(LOOP.is_match(""));
    assert!(!LOOP.is_match("a"));
    assert!(PATTERN.is_match(&"a1".repeat(30_000)));
}

#[test]
fn a_program_that_is_none_matches_nothing_and_does_not_panic() {
    for program in [&[][..], &[Step::Jump(200)], &[Step::Split(7, 8)], &[Step::Class(&[(0, 9)])]] {
        assert!(!Pattern { text: "", program }.is_match("a"));
    }
    let many: &'static [Step] = Box::leak(vec![Step::Class(&[(97, 97)]); 300].into_boxed_slice());
    assert!(!Pattern { text: "", program: many }.is_match(&"a".repeat(300)));
}

#[test]
#[should_panic(expected = "leads out of the pattern")]
fn a_step_out_of_the_program_is_refused_in_a_constant() {
    static OUT: Pattern = Pattern { text: "", program: &[Step::Split(0, 2), Step::Match] };
    let _ = crate::schema::Node::TEXT.pattern(&OUT);
}
