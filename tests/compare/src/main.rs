//! Ratios of our parsing, validation, decoding and catalog to what others do. All variants of a table
//! run in turns in one process, so that a busy machine slows them alike.
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use sovereign_core::Arg;
use sovereign_core::caller::{CallerScope, GrantsFile};
use sovereign_core::catalog::CatalogEntry;
use sovereign_core::files;
use sovereign_core::policy::{Policy, PolicyFile};
use sovereign_core::schema::{Profile, RawArguments, Schema as _, decode, render};
use sovereign_core::testing::Harness;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

mod ours {
    include!(concat!(env!("OUT_DIR"), "/ours.rs"));
}
mod theirs {
    include!(concat!(env!("OUT_DIR"), "/theirs.rs"));
}

/// What a search takes.
#[derive(Serialize, Arg)]
struct Search {
    /// What to look for.
    #[arg(length(min = 1, max = 4000))]
    query: String,
    /// How many.
    #[arg(range(min = 1, max = 100))]
    limit: i64,
    /// Marks.
    #[arg(length(max = 8))]
    tags: Vec<String>,
    /// Where.
    nested: Nested,
}

/// Where.
#[derive(Serialize, Arg)]
struct Nested {
    /// A number.
    a: u8,
    /// A flag.
    b: Option<bool>,
}

/// The same for serde and schemars.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BareSearch {
    /// What to look for.
    #[schemars(length(min = 1, max = 4000))]
    query: String,
    /// How many.
    #[schemars(range(min = 1, max = 100))]
    limit: i64,
    /// Marks.
    #[schemars(length(max = 8))]
    tags: Vec<String>,
    /// Where.
    nested: BareNested,
}

/// Where.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BareNested {
    /// A number.
    a: u8,
    /// A flag.
    b: Option<bool>,
}

type Variant<'a> = (&'a str, Box<dyn Fn() + 'a>);

const ROUNDS: usize = 401;

/// Runs the variants in turns of about 200 µs and prints the median of each, and its ratio to the
/// first: the median of the ratios within one turn.
fn table(title: &str, variants: &[Variant<'_>]) {
    let once = |run: &dyn Fn(), times: u32| {
        let start = Instant::now();
        (0..times).for_each(|_| run());
        start.elapsed().as_nanos() as f64 / f64::from(times)
    };
    let times: Vec<u32> = variants
        .iter()
        .map(|(_, run)| (200_000.0 / once(run, 50).max(1.0)).max(1.0) as u32)
        .collect();
    let mut samples = vec![Vec::new(); variants.len()];
    let mut ratios = vec![Vec::new(); variants.len()];
    for _ in 0..ROUNDS {
        let turn: Vec<f64> =
            variants.iter().zip(&times).map(|((_, run), times)| once(run, *times)).collect();
        for (i, time) in turn.iter().enumerate() {
            samples[i].push(*time);
            ratios[i].push(time / turn[0]);
        }
    }
    println!("\n{title}\n");
    println!("| variant | ns, median | ns, 5th percentile | ratio |\n|---|---:|---:|---:|");
    for (i, (name, _)) in variants.iter().enumerate() {
        let (low, middle, ratio) =
            (part(&mut samples[i], 20), part(&mut samples[i], 2), part(&mut ratios[i], 2));
        println!("| {name} | {middle:.0} | {low:.0} | {ratio:.2} |");
    }
}

/// The value below which one part of so many lies.
fn part(values: &mut [f64], parts: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / parts]
}

fn arguments() {
    let small = br#"{"query":"rust const generics","limit":20,"tags":["lang","compile-time","schema"],"nested":{"a":7,"b":true}}"#;
    let spaced = br#"{ "nested" : { "b" : true, "a" : 7 }, "tags" : [ "lang", "compile-time", "schema" ], "limit" : 20, "query" : "rust const generics" }"#;
    let lines: String = (0..40)
        .map(|i| format!("line {i}: the quick brown fox jumps over the lazy dog\\n"))
        .collect();
    let long = format!(
        r#"{{"query":"{lines}","limit":20,"tags":["lang","compile-time","schema"],"nested":{{"a":7,"b":true}}}}"#
    );
    let own = serde_json::from_str(&render(&Search::NODE, Profile::Full)).expect("a schema");
    let own = jsonschema::validator_for(&own).expect("a schema");
    let foreign = serde_json::to_value(schemars::schema_for!(BareSearch)).expect("a schema");
    let foreign = jsonschema::validator_for(&foreign).expect("a schema");
    for (name, bytes) in [
        ("small arguments", &small[..]),
        ("the same, other order and white space", &spaced[..]),
        ("a long text with escapes", long.as_bytes()),
    ] {
        let raw = RawArguments::parse(bytes).expect("an object");
        let read = serde_json::to_value(decode::<Search>(&raw).expect("valid")).expect("JSON");
        let bare: BareSearch = serde_json::from_slice(bytes).expect("valid");
        assert_eq!(read, serde_json::to_value(&bare).expect("JSON"));
        assert!(own.is_valid(&read) && foreign.is_valid(&read));
        let through = |validator: &jsonschema::Validator| {
            let value: Value = serde_json::from_slice(black_box(bytes)).expect("JSON");
            assert!(validator.is_valid(&value));
            black_box(serde_json::from_value::<BareSearch>(value).expect("valid"));
        };
        table(
            &format!("{name}, {} bytes", bytes.len()),
            &[
                (
                    "(a) serde into the bare struct, no constraint checked",
                    Box::new(|| {
                        black_box(
                            serde_json::from_slice::<BareSearch>(black_box(bytes)).expect("valid"),
                        );
                    }),
                ),
                (
                    "ours: check and decode in one pass",
                    Box::new(|| {
                        black_box(decode::<Search>(black_box(&raw)).expect("valid"));
                    }),
                ),
                (
                    "ours with the pass of `RawArguments`",
                    Box::new(|| {
                        let raw = RawArguments::parse(black_box(bytes)).expect("an object");
                        black_box(decode::<Search>(&raw).expect("valid"));
                    }),
                ),
                ("(b) `Value`, jsonschema, `from_value`", Box::new(|| through(&own))),
                ("(c) the same with the schemars schema", Box::new(|| through(&foreign))),
            ],
        );
    }
}

/// As a node has it: both files are read at each ask.
fn policy_in_files() -> Policy {
    let folder = std::env::current_exe().expect("a program has a path").with_file_name("policy");
    files::create_private_dir(&folder).expect("the folder can be made");
    let (grants, policy) = (folder.join("grants.json"), folder.join("policy.json"));
    let write = |path: &Path, text: &[u8]| files::write_private(path, text).expect("a file");
    write(&grants, br#"{"version": 1, "operator": ["system", "notes"], "mesh": []}"#);
    write(&policy, br#"{"version": 1}"#);
    Policy::new(Arc::new(GrantsFile::at(grants)), Arc::new(PolicyFile::at(policy)))
}

fn catalog() {
    let policy = policy_in_files();
    let lab = Harness::install(&ours::ALL, Arc::new(())).policy(policy).build();
    let scope = CallerScope::operator("bench", "bench");
    let of_ours = || -> Vec<Value> {
        let snapshot = lab.executor.catalog(&scope);
        let entries = snapshot.entries().iter();
        entries
            .map(|e| json!({"name": &*e.wire_name, "description": e.description, "parameters": e.arguments.value()}))
            .collect()
    };
    let of_theirs = || -> Vec<Value> {
        let entries = theirs::ALL.iter();
        entries.map(|(name, schema, _)| json!({"name": name, "parameters": schema()})).collect()
    };
    let bytes = serde_json::to_vec(&of_ours()).expect("JSON");
    println!(
        "\ncatalog bytes: ours {}, schemars {}",
        bytes.len(),
        serde_json::to_vec(&of_theirs()).expect("JSON").len()
    );
    assert_eq!((of_ours().len(), of_theirs().len()), (100, 100));
    let call = br#"{"text":"a","limit":1,"tags":[],"ratio":0.5}"#;
    assert!(theirs::ALL.iter().all(|(_, _, handler)| handler(call).is_ok()));
    let one = lab.executor.registry().descriptors().next().expect("a hundred");
    let write = |entries: &[CatalogEntry]| {
        let entries = entries.iter().map(|e| Sent {
            name: &e.wire_name,
            description: e.description,
            parameters: e.arguments.text(Profile::Portable),
        });
        to_raw_value(&entries.collect::<Vec<_>>())
    };
    table(
        "catalog of 100 capabilities, per request",
        &[
            (
                "copying the bytes",
                Box::new(|| {
                    black_box(black_box(&bytes).clone());
                }),
            ),
            (
                "ours: the snapshot, both files of policy read",
                Box::new(|| {
                    black_box(lab.executor.catalog(black_box(&scope)));
                }),
            ),
            (
                "ours: the snapshot and its bytes",
                Box::new(|| {
                    let snapshot = lab.executor.catalog(black_box(&scope));
                    let text = snapshot.written("bench", Profile::Portable, write).expect("JSON");
                    black_box(text.get().as_bytes().to_vec());
                }),
            ),
            (
                "reading the two files alone",
                Box::new(|| {
                    black_box(lab.executor.policy().explain(&scope, one));
                }),
            ),
            (
                "schemars per request, written as JSON",
                Box::new(|| {
                    black_box(serde_json::to_vec(&of_theirs()).expect("JSON"));
                }),
            ),
        ],
    );
}

/// What an adapter sends of an entry.
#[derive(Serialize)]
struct Sent<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

fn main() {
    let only = std::env::args().nth(1);
    if only.as_deref() != Some("catalog") {
        arguments();
    }
    if only.as_deref() != Some("arguments") {
        catalog();
    }
}
