//! What holds for every byte string. The coverage-guided targets and the seeded tests call the same
//! functions; a breach is a panic.
#![allow(dead_code, reason = "each target calls one of the three")]

use super::strict;
use serde::Serialize;
use serde_json::Value;
use sovereign_core::Arg;
use sovereign_core::schema::{
    Arg, MAX_VIOLATIONS, Malformed, Node, RawArguments, Schema, Violation, check, code,
};

/// Some of everything that arguments can hold.
#[derive(Debug, Serialize, Arg)]
struct Call {
    /// A bounded text.
    #[arg(length(min = 1, max = 12))]
    path: String,
    /// A bounded number.
    #[arg(range(min = -5, max = 100))]
    n: Option<i64>,
    /// A wide number.
    wide: Option<u64>,
    /// A float.
    #[arg(range(min = -0.5, max = 1.0e3))]
    ratio: Option<f64>,
    /// A single.
    single: Option<f32>,
    /// A word.
    mode: Option<Mode>,
    /// Yes or no.
    force: Option<bool>,
    /// Nothing.
    nothing: Option<Vec<()>>,
    /// Texts.
    #[arg(length(max = 3))]
    tags: Option<Vec<String>>,
    /// A tree.
    tree: Option<Tree>,
}

/// A word.
#[derive(Debug, Serialize, Arg)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Append,
    WriteOver,
}

/// A tree.
#[derive(Debug, Serialize, Arg)]
struct Tree {
    /// Its value.
    v: u8,
    /// Below it.
    kids: Vec<Tree>,
    /// Beside it.
    left: Option<Box<Tree>>,
}

/// Takes nothing.
#[derive(Debug, Serialize, Arg)]
struct Nothing {}

/// More fields than one word of bits counts.
#[derive(Debug, Serialize, Arg)]
struct Numbers {
    /// 8
    a: u8,
    /// 8
    b: Option<i8>,
    /// 16
    c: Option<u16>,
    /// 16
    d: Option<i16>,
    /// 32
    e: Option<u32>,
    /// 32
    f: Option<i32>,
    /// 64
    g: Option<u64>,
    /// 64
    h: Option<i64>,
}

/// [`RawArguments`] takes exactly what serde reads as one object, less keys that stand twice in one
/// object and what is too long or too deep; and it keeps the bytes.
pub(crate) fn raw_arguments(bytes: &[u8]) {
    let ours = RawArguments::parse(bytes);
    let theirs = strict::object(bytes);
    assert_eq!(ours.is_ok(), theirs.is_some(), "{ours:?}");
    match ours {
        Ok(raw) => assert_eq!(raw.as_str().as_bytes(), bytes, "nothing is rewritten"),
        Err(malformed) => {
            let large = matches!(malformed, Malformed::TooLarge { .. });
            assert_eq!(large, bytes.len() > RawArguments::MAX_BYTES, "{malformed:?}");
            assert!(malformed.to_string().len() < 200, "{malformed}");
        }
    }
}

/// The decoder ends on every input, agrees with the check, lists at most so many violations, and what
/// it yields is decoded to the same again.
pub(crate) fn decode(bytes: &[u8]) {
    decoded::<Call>(bytes);
    decoded::<Tree>(bytes);
    decoded::<Nothing>(bytes);
    decoded::<Numbers>(bytes);
}

fn decoded<T: Arg + Serialize>(bytes: &[u8]) {
    let checked = check(bytes, &T::NODE);
    if let Err(violations) = &checked {
        bounded(violations);
    }
    let Ok(raw) = RawArguments::parse(bytes) else {
        let large = bytes.len() > RawArguments::MAX_BYTES;
        assert!(large || checked.is_err(), "accepted what is no object");
        return;
    };
    let typed = sovereign_core::schema::decode::<T>(&raw);
    assert_eq!(typed.as_ref().err(), checked.as_ref().err());
    let Ok(typed) = typed else { return };
    let written = serde_json::to_vec(&typed).expect("what was read can be written");
    if let Ok(raw) = RawArguments::parse(&written) {
        let again = sovereign_core::schema::decode::<T>(&raw).expect("read once, read again");
        let again = serde_json::to_vec(&again).expect("what was read can be written");
        assert_eq!(again, written);
    }
}

/// The check of results ends on every input, lists at most so many violations, and takes only JSON.
pub(crate) fn check_result(bytes: &[u8]) {
    for node in [
        Call::NODE,
        Tree::NODE,
        Nothing::NODE,
        <Vec<Option<Tree>>>::NODE,
        <Vec<Mode>>::NODE,
        f64::NODE,
        f32::NODE,
        u64::NODE,
        i8::NODE,
        String::NODE.length(2, 4),
        <()>::NODE,
        bool::NODE,
    ] {
        checked(bytes, &node);
    }
}

fn checked(bytes: &[u8], node: &Node) {
    match check(bytes, node) {
        Ok(()) => {
            let value: Result<Value, _> = serde_json::from_slice(bytes);
            assert!(value.is_ok(), "accepted what is no JSON: {value:?}");
        }
        Err(violations) => bounded(&violations),
    }
}

/// At most so many, the cap said at the end and nowhere else, every pointer well formed, every text
/// short: none of them grows with the input.
fn bounded(violations: &[Violation]) {
    assert!(!violations.is_empty() && violations.len() <= MAX_VIOLATIONS + 1);
    let more = violations.iter().position(|v| v.code == code::MORE);
    assert!(more.is_none_or(|at| at == MAX_VIOLATIONS), "{more:?}");
    for violation in violations {
        assert!(violation.at.is_empty() || violation.at.starts_with('/'), "{violation:?}");
        assert!(violation.expected.len() < 400, "{violation:?}");
    }
}
