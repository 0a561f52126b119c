//! Field types and constraints, from arguments to the run and back.
#![forbid(unsafe_code)]
use std::sync::Arc;

use serde_json::{Value, json};
use sovereign_core::prelude::*;

use super::outcome;

/// Requiredness follows the type, not its spelling.
type Perhaps<T> = Option<T>;

/// How far back.
#[derive(Debug, Clone, Copy, Arg, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Range {
    LastDay,
    LastWeek,
}

/// A part of the map.
#[derive(Debug, Arg, serde::Serialize)]
struct Area {
    /// Degrees north.
    #[arg(range(min = -90, max = 90))]
    latitude: i16,
    /// What to look for.
    #[arg(length(min = 1, max = 2))]
    topics: Vec<String>,
}

/// Gives back what it was given.
#[capability(name = "shape.echo", side_effect = read_only, network = local, category = system)]
struct Echo {
    /// Yes or no.
    flag: bool,
    /// Any finite number.
    #[arg(range(min = -0.5))]
    ratio: f64,
    /// A word.
    #[arg(length(equal = 3))]
    word: String,
    /// May be absent.
    range: Perhaps<Range>,
    /// On the heap.
    area: Box<Area>,
    #[cfg(any())]
    gone: std::time::SystemTime,
    /// A keyword.
    r#type: Option<u64>,
}

/// What was given.
#[derive(serde::Serialize, Schema)]
struct Given {
    flag: bool,
    ratio: f64,
    word: String,
    range: Option<Range>,
    area: Box<Area>,
    r#type: Option<u64>,
}

impl Run for Echo {
    type State = ();
    type Output = Given;
    async fn run(self, _: Call<'_, Self>) -> Result<Given, Failure> {
        let Self { flag, ratio, word, range, area, r#type } = self;
        Ok(Given { flag, ratio, word, range, area, r#type })
    }
}

static SHAPE: Plugin<()> = Plugin::new("shape", &[Echo::ENTRY]);

async fn echo(arguments: Value) -> Value {
    outcome::<Echo>(&SHAPE, Arc::default(), arguments).await
}

fn given() -> Value {
    json!({
        "flag": true, "ratio": 0.25, "word": "ößü", "range": "last_week", "type": 7,
        "area": { "latitude": -45, "topics": ["cafe"] },
    })
}

#[tokio::test]
async fn every_field_arrives_and_returns_under_its_published_name() {
    let outcome = echo(given()).await;
    assert_eq!(outcome["result"], given(), "{outcome}");
}

#[tokio::test]
async fn an_alias_of_option_may_be_absent() {
    let mut less = given();
    let fields = less.as_object_mut().unwrap();
    fields.remove("range");
    fields.remove("type");
    let outcome = echo(less).await;
    assert_eq!(outcome["result"]["range"], Value::Null, "{outcome}");
}

#[tokio::test]
async fn a_constraint_holds_at_any_depth() {
    for (pointer, value) in [
        ("/word", json!("four")),
        ("/word", json!("")),
        ("/area/latitude", json!(91)),
        ("/area/latitude", json!(-91)),
        ("/area/topics", json!([])),
        ("/area/topics", json!(["a", "b", "c"])),
        ("/range", json!("LastWeek")),
    ] {
        let mut wrong = given();
        *wrong.pointer_mut(pointer).unwrap() = value;
        let outcome = echo(wrong).await;
        assert_eq!(outcome["code"], "invalid_arguments", "{pointer}: {outcome}");
        assert_eq!(outcome["violations"][0]["at"], pointer, "{outcome}");
    }
}
