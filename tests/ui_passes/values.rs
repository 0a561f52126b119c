//! Keys of `#[arg]` on fields: each decides what is accepted or what the struct receives.
use std::collections::BTreeMap;

use sovereign_core::prelude::*;
use sovereign_core::schema::{RawArguments, decode};

pub fn read<T: Arg>(json: &str) -> Result<T, String> {
    let raw = RawArguments::parse(json.as_bytes()).map_err(|e| e.to_string())?;
    decode(&raw).map_err(|all| all.iter().map(|v| v.code).collect::<Vec<_>>().join(","))
}

const ROUNDS: u16 = 3;

/// Everything.
#[derive(Debug, PartialEq, Arg)]
#[arg(rename_all = "camelCase")]
struct Everything {
    /// A word.
    #[arg(length(min = 2, max = 4), pattern = r"^[a-z]+(-\d)?$")]
    first_word: String,
    /// A day.
    #[arg(format = "date", rename = "on")]
    day: Option<String>,
    /// A step.
    #[arg(range(min = -10, max = 10), multiple_of = 5)]
    step: i8,
    /// Names.
    #[arg(length(max = 2), inner(length(min = 1), pattern = "^[A-Z][a-z]*$"))]
    names: Vec<String>,
    /// Shares.
    #[arg(inner(range(min = 0.0, max = 1.0)))]
    shares: Option<BTreeMap<String, f64>>,
    /// How often.
    #[arg(default = ROUNDS)]
    rounds: u16,
    /// How much.
    #[arg(range(max = 1.0), default = -0.5)]
    weight: f32,
    /// In which language.
    #[arg(default = "en", examples("de", "en"))]
    language: String,
    /// Whether it matters.
    #[arg(default)]
    matters: bool,
    /// What for.
    #[arg(default = Purpose::FreeTime)]
    purpose: Purpose,
    /// A secret.
    #[arg(sensitive, length(min = 8))]
    secret: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Arg)]
#[arg(rename_all = "SCREAMING_SNAKE_CASE")]
enum Purpose {
    FreeTime,
    #[arg(rename = "job")]
    Work,
}

const GOOD: &str = r#"{"firstWord":"ab-1","step":-5,"names":["Ada","Bo"]}"#;

#[test]
fn what_is_left_out_gets_its_default() {
    let read: Everything = read(GOOD).unwrap();
    let expected = Everything {
        first_word: "ab-1".into(),
        day: None,
        step: -5,
        names: vec!["Ada".into(), "Bo".into()],
        shares: None,
        rounds: 3,
        weight: -0.5,
        language: "en".into(),
        matters: false,
        purpose: Purpose::FreeTime,
        secret: None,
    };
    assert_eq!(read, expected);
}

#[test]
fn null_is_the_same_as_left_out() {
    let nulls = r#""rounds":null,"weight":null,"language":null,"matters":null,"purpose":null"#;
    let with = format!("{},{nulls}}}", GOOD.trim_end_matches('}'));
    assert_eq!(read::<Everything>(&with), read(GOOD));
}

#[test]
fn each_rule_refuses_what_it_says() {
    for (from, to, code) in [
        ("ab-1", "a", "length"),
        ("ab-1", "AB", "pattern"),
        ("ab-1", "ab\\n", "pattern"),
        ("-5", "-15", "range"),
        ("-5", "-4", "multiple_of"),
        ("\"Bo\"", "\"\"", "length"),
        ("\"Bo\"", "\"bo\"", "pattern"),
        ("\"Bo\"", "\"Bo\",\"Cy\"", "length"),
        ("firstWord", "first_word", "unknown_field,missing_field"),
        ("\"names\"", "\"on\":\"2026-02-30\",\"names\"", "format"),
        ("\"names\"", "\"day\":\"2026-02-28\",\"names\"", "unknown_field"),
        ("\"names\"", "\"shares\":{\"a\":1.5},\"names\"", "range"),
        ("\"names\"", "\"purpose\":\"WORK\",\"names\"", "choice"),
        ("\"names\"", "\"secret\":\"short\",\"names\"", "sensitive"),
    ] {
        let refused = read::<Everything>(&GOOD.replace(from, to)).expect_err(to);
        assert_eq!(refused, code, "{to}");
    }
    for (from, to) in [
        ("\"names\"", "\"on\":\"2026-02-28\",\"names\""),
        ("\"names\"", "\"purpose\":\"FREE_TIME\",\"names\""),
        ("\"names\"", "\"purpose\":\"job\",\"names\""),
        ("\"names\"", "\"shares\":{\"a\":1,\"\":0.5},\"names\""),
    ] {
        let json = GOOD.replace(from, to);
        assert!(read::<Everything>(&json).is_ok(), "{to}: {:?}", read::<Everything>(&json));
    }
}

/// Newtypes.
#[derive(Debug, PartialEq, Arg)]
struct Wrapped {
    /// Who.
    id: Id,
    /// Which ones.
    #[arg(length(max = 2), inner(length(max = 3)))]
    tags: Tags,
    /// Perhaps.
    perhaps: Perhaps,
    /// A degree.
    #[arg(range(max = 50.0))]
    degree: Degree,
}

#[derive(Debug, PartialEq, Arg)]
struct Id(#[arg(pattern = "^[A-Z]{2}[0-9]+$")] String);

#[derive(Debug, PartialEq, Arg)]
struct Tags(Vec<String>);

#[derive(Debug, PartialEq, Arg)]
struct Perhaps(Option<u8>);

#[derive(Debug, PartialEq, Arg)]
#[arg(transparent)]
struct Degree {
    /// In Celsius.
    #[arg(range(min = -273.15))]
    celsius: f64,
}

#[test]
fn a_newtype_is_what_it_holds_with_its_own_rules() {
    let good = r#"{"id":"AB7","tags":["a"],"degree":20.5}"#;
    let expected = Wrapped {
        id: Id("AB7".into()),
        tags: Tags(vec!["a".into()]),
        perhaps: Perhaps(None),
        degree: Degree { celsius: 20.5 },
    };
    assert_eq!(read::<Wrapped>(good), Ok(expected));
    for (from, to, code) in [
        ("AB7", "AB", "pattern"),
        ("\"a\"", "\"abcd\"", "length"),
        ("\"a\"", "\"a\",\"b\",\"c\"", "length"),
        ("20.5", "50.5", "range"),
        ("20.5", "-300", "range"),
    ] {
        assert_eq!(read::<Wrapped>(&good.replace(from, to)), Err(code.into()), "{to}");
    }
}

type Maybe<T> = Option<T>;

/// Takes perhaps.
#[derive(Debug, PartialEq, Arg)]
struct Aliased {
    /// What.
    #[arg(range(max = 5))]
    what: Maybe<u8>,
}

#[test]
fn an_alias_of_option_may_be_left_out() {
    assert_eq!(read("{}"), Ok(Aliased { what: None }));
    assert_eq!(read(r#"{"what":5}"#), Ok(Aliased { what: Some(5) }));
    assert_eq!(read::<Aliased>(r#"{"what":6}"#), Err("range".into()));
}

const PAIR: (u8, bool) = (1, true);
const NONE: Vec<u8> = Vec::new();
const NO_SHARES: BTreeMap<String, f64> = BTreeMap::new();
const LEAST: std::num::NonZeroU8 = std::num::NonZeroU8::MIN;

/// Constants, of types that const evaluation judges and of others.
#[derive(Debug, PartialEq, Arg)]
struct Constants {
    /// At its limit.
    #[arg(range(max = 3), default = ROUNDS)]
    rounds: u16,
    /// Of a type that has no limit of its own.
    #[arg(range(min = 0.25), default = f32::MAX)]
    weight: f32,
    /// Not zero.
    #[arg(default = LEAST)]
    least: std::num::NonZeroU8,
    /// Empty.
    #[arg(length(max = 3), default = NONE)]
    marks: Vec<u8>,
    /// Empty too.
    #[arg(default = NO_SHARES)]
    shares: BTreeMap<String, f64>,
    /// Of two types.
    #[arg(default = PAIR)]
    pair: (u8, bool),
}

#[test]
fn a_constant_that_its_field_takes_compiles_whatever_its_type() {
    let (rounds, weight, least, pair) = (3, f32::MAX, LEAST, PAIR);
    let told = Constants { rounds, weight, least, marks: NONE, shares: NO_SHARES, pair };
    assert_eq!(read("{}"), Ok(told));
}
