//! The schema module against two independent readers: the `jsonschema` crate for what our published
//! schema accepts, and `serde_json` for what is JSON at all.
//!
//! Inputs grow from entropy bytes with a fixed seed, so a failure shrinks and repeats.
//! `SOVEREIGN_LONG=1` runs many more, `SOVEREIGN_SEED=7` runs others.
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::{Value, json};
use sovereign_core::schema::{Malformed, Profile, RawArguments, Schema, check, code, decode};
use std::cell::Cell;
use std::collections::BTreeSet;

mod agree;
mod composed;
mod generate;
pub(crate) mod strict;
mod suite;
mod tagged;
mod types;
mod wide;
mod words;

use crate::seeded::{Random, cases};
use agree::{Sent, agree, by_serde, published};
use composed::Composed;
use generate::Entropy;
use tagged::{HoldsAround, HoldsBeside, HoldsInside};
use types::{Empty, Floats, Integers, Lists, Search, Texts, Tree};
use wide::{Fixed, FormatTexts, Formats, Free, Maps, Patterned, Ruled, Sets};

/// The same unless another one is asked for.
fn seed() -> u64 {
    let asked = std::env::var("SOVEREIGN_SEED").ok();
    asked.map_or(1, |seed| seed.parse().expect("`SOVEREIGN_SEED` is a number"))
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes(seed(), 32));
    TestRunner::new_with_rng(config, rng)
}

fn run(cases: u32, length: usize, test: impl Fn(&mut Entropy<'_>) -> Result<(), TestCaseError>) {
    // One number for all bytes is far cheaper than a number for each; a failure shrinks by length.
    let outcome = runner(cases).run(&(any::<u64>(), 0..length), |(seed, length)| {
        test(&mut Entropy::new(&bytes(seed, length)))
    });
    if let Err(failure) = outcome {
        panic!("with SOVEREIGN_SEED={}: {failure}", seed());
    }
}

fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut random = Random(seed);
    std::iter::repeat_with(|| random.next().to_le_bytes()).flatten().take(length).collect()
}

#[test]
fn search_is_judged_as_its_published_schema_says() {
    agree::<Search>(Sent::Same, Some(by_serde));
}

#[test]
fn integers_are_judged_as_their_published_schema_says() {
    agree::<Integers>(Sent::Same, Some(by_serde));
}

#[test]
fn floats_are_judged_as_their_published_schema_says() {
    agree::<Floats>(Sent::Same, Some(by_serde));
}

#[test]
fn texts_are_judged_as_their_published_schema_says() {
    agree::<Texts>(Sent::Same, Some(by_serde));
}

#[test]
fn lists_are_judged_as_their_published_schema_says() {
    agree::<Lists>(Sent::Same, Some(by_serde));
}

#[test]
fn recursive_types_are_judged_as_their_published_schema_says() {
    agree::<Tree>(Sent::Same, Some(by_serde));
}

#[test]
fn an_object_without_fields_is_judged_as_its_published_schema_says() {
    agree::<Empty>(Sent::Same, None);
}

#[test]
fn ruled_integers_are_judged_as_their_published_schema_says() {
    agree::<Ruled>(Sent::Same, Some(by_serde));
}

#[test]
fn sets_are_judged_as_their_published_schema_says() {
    agree::<Sets>(Sent::Sets, Some(by_serde));
}

#[test]
fn maps_are_judged_as_their_published_schema_says() {
    agree::<Maps>(Sent::Same, Some(by_serde));
}

#[test]
fn tuples_and_arrays_are_judged_as_their_published_schema_says() {
    agree::<Fixed>(Sent::Same, Some(by_serde));
}

#[test]
fn formats_are_judged_as_their_published_schema_says() {
    agree::<Formats>(Sent::Formats, Some(by_serde));
}

#[test]
fn texts_of_a_format_are_judged_as_their_published_schema_says() {
    agree::<FormatTexts>(Sent::Same, Some(by_serde));
}

#[test]
fn patterns_are_judged_as_their_published_schema_says() {
    agree::<Patterned>(Sent::Same, Some(by_serde));
}

#[test]
fn free_values_are_judged_as_their_published_schema_says() {
    agree::<Free>(Sent::Same, None);
}

#[test]
fn internal_tags_are_judged_as_their_published_schema_says() {
    agree::<HoldsInside>(Sent::Same, Some(by_serde));
}

#[test]
fn external_tags_are_judged_as_their_published_schema_says() {
    agree::<HoldsAround>(Sent::Same, Some(by_serde));
}

#[test]
fn adjacent_tags_are_judged_as_their_published_schema_says() {
    agree::<HoldsBeside>(Sent::Same, Some(by_serde));
}

#[test]
fn types_put_together_are_judged_as_their_published_schema_says() {
    agree::<Composed>(Sent::Same, Some(by_serde));
}

/// Keywords of every subschema; below `properties` and `$defs` the keys are names.
fn keywords(schema: &Value, found: &mut BTreeSet<String>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        found.insert(keyword.clone());
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values().for_each(|schema| keywords(schema, found));
            }
            ("default", _) => {}
            ("anyOf" | "prefixItems", Value::Array(branches)) => {
                branches.iter().for_each(|schema| keywords(schema, found));
            }
            (_, value) => keywords(value, found),
        }
    }
}

#[test]
fn published_schemas_are_of_draft_2020_12_and_use_no_keyword_that_a_provider_refuses() {
    let keywords_of = |profile: Profile| {
        let mut found = BTreeSet::new();
        for schema in [
            published::<Search>(profile),
            published::<Integers>(profile),
            published::<Floats>(profile),
            published::<Texts>(profile),
            published::<Lists>(profile),
            published::<Tree>(profile),
            published::<Empty>(profile),
            published::<Ruled>(profile),
            published::<Sets>(profile),
            published::<Maps>(profile),
            published::<Fixed>(profile),
            published::<Formats>(profile),
            published::<Patterned>(profile),
            published::<Free>(profile),
            published::<HoldsInside>(profile),
            published::<HoldsAround>(profile),
            published::<HoldsBeside>(profile),
            published::<Composed>(profile),
        ] {
            assert_eq!(schema["type"], "object");
            assert!(schema["properties"].is_object());
            if profile != Profile::Ollama {
                assert_eq!(schema["additionalProperties"], false);
                assert!(schema["required"].is_array());
            }
            keywords(&schema, &mut found);
        }
        found.into_iter().collect::<Vec<_>>().join(" ")
    };
    for (profile, want) in [
        (
            Profile::Full,
            "$defs $ref additionalProperties anyOf description enum format items maxItems maxLength \
             maxProperties maximum minItems minLength minProperties minimum multipleOf pattern \
             prefixItems properties required type uniqueItems",
        ),
        (
            Profile::Portable,
            "$defs $ref additionalProperties anyOf description enum format items maxItems maxLength \
             maximum minItems minLength minimum multipleOf pattern properties required type",
        ),
        (
            Profile::OpenAiStrict,
            "$defs $ref additionalProperties anyOf description enum format items maxItems maximum \
             minItems minimum multipleOf pattern properties required type",
        ),
        (
            Profile::AnthropicStrict,
            "$defs $ref additionalProperties anyOf description enum format items minItems properties \
             required type",
        ),
        (
            Profile::Gemini,
            "$defs $ref additionalProperties anyOf description enum format items maxItems maximum \
             minItems minimum properties required type",
        ),
        (Profile::Ollama, "anyOf description enum items properties required type"),
        (
            Profile::Llama,
            "$defs $ref additionalProperties anyOf description enum format items maxItems maxLength \
             maximum minItems minLength minimum pattern properties required type",
        ),
    ] {
        assert_eq!(keywords_of(profile), want, "{profile:?}");
    }
}

#[test]
fn arguments_are_accepted_exactly_when_serde_reads_one_object_without_duplicates() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\":",
        "\"a\":",
        "{\"a\":",
        "\"",
        "\\",
        "\\u0041",
        "\\ud834\\udd1e",
        "\\ud834",
        "\\udd1e",
        "1",
        "-",
        "0",
        "01",
        "1.",
        ".5",
        "1.5",
        "1e5",
        "1e",
        "e",
        "true",
        "false",
        "null",
        "nul",
        " ",
        "\n",
        "\u{1}",
        "é",
        "{}",
        "[]",
        "1e999",
        "-0",
        "\"\\q\"",
        "\u{feff}",
        "//",
        "'",
        "\"\\u0061\":",
        "1}",
        "2}",
    ];
    let accepted = Cell::new(0u32);
    let total = cases(20_000, 1_000_000);
    run(total, 40, |entropy| {
        let mut text = Vec::new();
        let object = entropy.chance(60);
        if object {
            text.extend_from_slice(b"{\"k\":");
        }
        while !entropy.is_empty() {
            match entropy.below(12) {
                0 => text.push(entropy.byte()),
                _ => text.extend_from_slice(PIECES[entropy.below(PIECES.len())].as_bytes()),
            }
            if object && entropy.chance(20) {
                break;
            }
        }
        if object {
            text.push(b'}');
        }
        let ours = RawArguments::parse(&text);
        let theirs = strict::object(&text);
        let shown = String::from_utf8_lossy(&text);
        prop_assert_eq!(ours.is_ok(), theirs.is_some(), "{:?} on {}", ours, shown);
        accepted.set(accepted.get() + u32::from(ours.is_ok()));
        Ok(())
    });
    assert!(accepted.get() > total / 100, "only {} of {total} are accepted", accepted.get());
}

#[test]
fn random_bytes_never_panic_and_are_never_arguments() {
    run(cases(20_000, 1_000_000), 80, |entropy| {
        let bytes = entropy.rest();
        prop_assert_eq!(RawArguments::parse(bytes).is_ok(), strict::object(bytes).is_some());
        for node in [Search::NODE, Tree::NODE, Texts::NODE, Floats::NODE] {
            prop_assert!(check(bytes, &node).is_err(), "random bytes lack the required fields");
        }
        Ok(())
    });
}

#[test]
fn every_flipped_bit_of_a_valid_call_is_judged_as_the_published_schema_says() {
    let good = json!({
        "query": "né\n", "limit": 7, "tags": ["a", "😀"], "within": {"x": -3, "y": null},
        "time_range": "last_month"
    });
    let good = serde_json::to_vec(&good).expect("JSON");
    let oracle = agree::oracle(&published::<Search>(Profile::Full));
    assert!(decode::<Search>(&RawArguments::parse(&good).expect("an object")).is_ok());
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let ours = RawArguments::parse(&bytes).is_ok_and(|raw| decode::<Search>(&raw).is_ok());
            let theirs = strict::object(&bytes).is_some_and(|value| oracle.is_valid(&value));
            assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn a_decoded_value_is_the_one_that_was_sent() {
    let raw = RawArguments::parse(
        r#"{"within":{"y":-4,"x":1e1},"tags":["\u00e9"],"limit":7.0,"query":"a\tb"}"#.as_bytes(),
    )
    .expect("an object");
    let search: Search = decode(&raw).expect("valid");
    assert_eq!((search.query.as_str(), search.limit.0, search.tags), ("a\tb", 7, vec!["é".into()]));
    let within = search.within.expect("given");
    assert_eq!((within.x, within.y), (10, Some(-4)));
    assert!(search.time_range.is_none());
}

#[test]
fn a_refused_call_says_what_is_wrong_in_every_field_at_once() {
    let raw = RawArguments::parse(
        br#"{"query":"", "limit":"5", "tags":["a",2], "withn":{}, "time_range":"week"}"#,
    )
    .expect("an object");
    let lines: Vec<_> =
        decode::<Search>(&raw).expect_err("all wrong").iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "`/query`: length: expected a string of 1 to 8 characters, received a string",
            "`/limit`: type: expected an integer from 1 to 100, received a string",
            "`/tags/1`: type: expected a string, received a number",
            "`the whole value`: unknown_field: expected only the fields `query`, `limit`, `tags`, `within`, `time_range`; perhaps `within` was meant, received an object",
            "`/time_range`: choice: expected one of `day`, `last_month`, `year` or null, received a string",
        ]
    );
}

#[test]
fn hostile_shapes_are_refused_with_their_own_code() {
    let wide = |n: usize| {
        let keys: Vec<_> = (0..n).map(|i| format!("\"{i}\":0")).collect();
        format!("{{{}}}", keys.join(","))
    };
    for (text, want) in [
        ("{\"a\":".repeat(12_000), "arguments_too_deep"),
        (format!("{{\"a\":{}", "[".repeat(60_000)), "arguments_too_deep"),
        (format!("{{\"a\":\"{}\"}}", "x".repeat(70_000)), "arguments_too_large"),
        (format!("{}{}", wide(6_000), "}"), "not_one_json_object"),
        (wide(6_000).replace("\"5999\"", "\"0\""), "duplicate_key"),
    ] {
        let code = RawArguments::parse(text.as_bytes()).err().map(|malformed| malformed.code());
        assert_eq!(code, Some(want));
    }
    let raw = RawArguments::parse(wide(6_000).as_bytes()).expect("wide, but an object");
    let violations = decode::<Search>(&raw).expect_err("6,000 unknown fields");
    assert_eq!(violations.len(), 17);
    assert_eq!(violations.last().map(|v| v.code), Some(code::MORE));
    let large = RawArguments::parse(&vec![b' '; 65_537]).expect_err("large");
    assert_eq!(large, Malformed::TooLarge { bytes: 65_537, limit: RawArguments::MAX_BYTES });
}
