//! Enums with data, in the three forms, as arguments and as results.
use serde::Serialize;
use sovereign_core::prelude::*;
use sovereign_core::schema::{Profile, check, render};

use super::values::read;

/// A place.
#[derive(Debug, PartialEq, Serialize, Arg)]
struct Place {
    /// Its name.
    name: String,
}

/// Beside each other.
#[derive(Debug, PartialEq, Serialize, Arg)]
#[arg(tag = "kind", rename_all_fields = "camelCase")]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Internal {
    /// Everywhere.
    AllOver,
    /// At a place.
    At(Place),
    Around {
        /// How far.
        #[arg(range(min = 1, max = 9), default = 3)]
        far_away: u8,
        /// What is there.
        what: Option<Box<Self>>,
    },
}

#[derive(Debug, PartialEq, Serialize, Arg)]
#[serde(rename_all = "snake_case")]
enum External {
    AllOver,
    At(#[arg(length(max = 3))] String),
    Around {
        /// How far.
        far: u8,
    },
}

#[derive(Debug, PartialEq, Serialize, Arg)]
#[arg(tag = "t", content = "c")]
#[serde(tag = "t", content = "c", rename_all = "snake_case")]
enum Adjacent {
    AllOver,
    At(Vec<u8>),
    Around {
        /// How far.
        far: u8,
    },
}

/// All three.
#[derive(Debug, PartialEq, Serialize, Arg)]
struct All {
    /// One.
    a: Internal,
    /// Two.
    b: External,
    /// Three.
    c: Adjacent,
}

/// Reads, and writes again by serde, whose form has to fit the same schema.
fn back(a: &str, b: &str, c: &str) -> Result<All, String> {
    let all: All = read(&format!(r#"{{"a":{a},"b":{b},"c":{c}}}"#))?;
    let written = serde_json::to_vec(&all).unwrap();
    check(&written, &All::NODE).map_err(|all| format!("{all:?}"))?;
    Ok(all)
}

#[test]
fn each_form_is_read_and_is_the_one_that_serde_writes() {
    let all = back(r#"{"kind":"all_over"}"#, "\"all_over\"", r#"{"t":"all_over"}"#);
    let expected = All { a: Internal::AllOver, b: External::AllOver, c: Adjacent::AllOver };
    assert_eq!(all, Ok(expected));
    let all = back(r#"{"name":"Bern","kind":"at"}"#, r#"{"at":"abc"}"#, r#"{"c":[1,2],"t":"at"}"#);
    let expected = All {
        a: Internal::At(Place { name: "Bern".into() }),
        b: External::At("abc".into()),
        c: Adjacent::At(vec![1, 2]),
    };
    assert_eq!(all, Ok(expected));
    let all = back(
        r#"{"kind":"around","what":{"kind":"around","farAway":1}}"#,
        r#"{"around":{"far":2}}"#,
        r#"{"t":"around","c":{"far":2}}"#,
    );
    let inner = Internal::Around { far_away: 1, what: None };
    let expected = All {
        a: Internal::Around { far_away: 3, what: Some(Box::new(inner)) },
        b: External::Around { far: 2 },
        c: Adjacent::Around { far: 2 },
    };
    assert_eq!(all, Ok(expected));
}

#[test]
fn what_is_no_variant_is_refused() {
    let (a, b, c) = (r#"{"kind":"all_over"}"#, "\"all_over\"", r#"{"t":"all_over"}"#);
    for bad in [
        "\"all_over\"",
        "{}",
        r#"{"kind":"nowhere"}"#,
        r#"{"kind":"AllOver"}"#,
        r#"{"kind":"all_over","more":1}"#,
        r#"{"kind":"at"}"#,
        r#"{"kind":"at","name":"x","kind":"at"}"#,
        r#"{"kind":"around","farAway":10}"#,
        r#"{"kind":"around","far_away":1}"#,
        "null",
    ] {
        assert!(back(bad, b, c).is_err(), "{bad}");
    }
    for bad in
        ["\"at\"", r#"{"at":"abcd"}"#, r#"{"at":"a","around":{"far":1}}"#, r#"{"all_over":null}"#]
    {
        assert!(back(a, bad, c).is_err(), "{bad}");
    }
    for bad in
        [r#"{"t":"at"}"#, r#"{"c":[1]}"#, r#"{"t":"all_over","c":[]}"#, r#"{"t":"at","c":["x"]}"#]
    {
        assert!(back(a, b, bad).is_err(), "{bad}");
    }
}

/// Only written.
#[derive(Serialize, Schema)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "SCREAMING-KEBAB-CASE")]
enum Said {
    NothingAtAll,
    #[serde(rename = "line")]
    OneLine {
        the_line: String,
        #[serde(skip)]
        _more: std::cell::Cell<u8>,
    },
    Place(Named),
}

#[derive(Serialize, Schema)]
#[serde(transparent)]
struct Named {
    place: Place,
}

#[derive(Serialize, Schema)]
struct Nothing;

#[test]
fn a_result_is_described_in_the_form_that_serde_writes() {
    for said in [
        Said::NothingAtAll,
        Said::OneLine { the_line: "a".into(), _more: 1.into() },
        Said::Place(Named { place: Place { name: "b".into() } }),
    ] {
        let json = serde_json::to_vec(&said).unwrap();
        assert_eq!(check(&json, &Said::NODE), Ok(()), "{}", String::from_utf8_lossy(&json));
    }
    assert_eq!(check(&serde_json::to_vec(&Nothing).unwrap(), &Nothing::NODE), Ok(()));
    assert!(check(br#"{"type":"line","the_line":"a"}"#, &Said::NODE).is_err());
}

#[test]
fn the_tag_comes_first_in_every_branch() {
    let schema = render(&Internal::NODE, Profile::Portable);
    for word in ["all_over", "at", "around"] {
        let tag = format!(r#""properties":{{"kind":{{"type":"string","enum":["{word}"]}}"#);
        assert!(schema.contains(&tag), "{schema}");
    }
}
