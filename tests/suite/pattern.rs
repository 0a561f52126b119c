//! Patterns against an engine that is not ours: what the author wrote, what is published and what is
//! enforced are one set of texts.
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest::{collection, prop_assert_eq, sample};
use serde_json::{Value, json};
use sovereign_core::prelude::*;
use sovereign_core::schema::{Node, Profile, check, render};
use std::cell::Cell;

/// Each pattern once for the macro and once as text.
macro_rules! patterns {
    ($($name:ident = $pattern:literal;)*) => {
        $(
            #[derive(Arg)]
            struct $name(#[arg(pattern = $pattern)] String);
        )*
        const PATTERNS: &[(&str, Node)] = &[$(($pattern, $name::NODE)),*];
    };
}
patterns! {
    Alternatives = "^a|b|cc$";
    Nested = "^((a|b)c?)+$";
    Digits = r"^\d{2,4}$";
    Words = r"^\w+([-.]\w+)*$";
    Others = "^[^ab0-9]{1,3}$";
    Ranges = r"^[a-cA-C_\-]+$";
    Escapes = r"^\[\^\$\.\*\+\?\(\)\{\}\|\\\]$";
    Punctuation = r"^[\[\]\^\\$.-]*$";
    Least = "^a{2,}b*$";
    Optional = "^(ab)?(0|1)?$";
    Stars = "^(a*b*)*$";
    Empty = "^(a*)*$";
    Lines = r"^[a\n]+\t?$";
    Unicode = "^[é-ü]+ß?$";
    Group = "^(?:a|b0){1,2}-$";
    Dates = r"^\d{2}-(0[1-9]|1[0-2])$";
}

/// Pieces that are near to what the patterns want.
const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "cc",
    "ab",
    "b0",
    "0",
    "1",
    "9",
    "12",
    "07",
    "A",
    "Z",
    "_",
    "-",
    ".",
    "^",
    "$",
    "[",
    "]",
    "\\",
    "*",
    "+?(){}|",
    "[^$.*+?(){}|\\]",
    "\n",
    "\t",
    " ",
    "é",
    "ö",
    "ü",
    "ß",
    "😀",
    "\u{0}",
    "aa",
    "12-07",
    "12-1",
    "a-",
    "b0-",
    "b0a-",
];

#[test]
fn what_is_written_published_and_enforced_is_one_set_of_texts() {
    let config = Config {
        cases: crate::seeded::cases(2_000, 100_000),
        failure_persistence: None,
        ..Config::default()
    };
    let accepts = |pattern: &Value| {
        jsonschema::draft202012::new(&json!({ "pattern": pattern })).expect("a pattern")
    };
    for (written, node) in PATTERNS {
        let schema: Value = serde_json::from_str(&render(node, Profile::Full)).expect("JSON");
        let (source, published) = (accepts(&json!(written)), accepts(&schema["pattern"]));
        // `^a|b$` is two halves to an engine; the published one is not, and says what was meant
        let grouped = accepts(&json!(format!("^({})$", &written[1..written.len() - 1])));
        let source = if written.contains('|') { grouped } else { source };
        let seed = *b"sovereign: one seed, one verdict";
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let (yes, no) = (Cell::new(0u32), Cell::new(0u32));
        let texts = collection::vec(sample::select(PIECES), 0..5);
        TestRunner::new_with_rng(config.clone(), rng)
            .run(&texts, |pieces| {
                let text = json!(pieces.concat());
                let ours = check(text.to_string().as_bytes(), node).is_ok();
                prop_assert_eq!(ours, published.is_valid(&text), "{} on {}", schema, text);
                prop_assert_eq!(ours, source.is_valid(&text), "{} on {}", written, text);
                let count = if ours { &yes } else { &no };
                count.set(count.get() + 1);
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert!(yes.get() > 0 && no.get() > 0, "{written}: {} and {}", yes.get(), no.get());
    }
}
