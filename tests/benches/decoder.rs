//! The decoder beside serde, the way through a `Value`, and the catalog of one request. The ratios
//! that the book quotes are made by `tests/compare`, which takes turns; these are for regressions.

use criterion::{Criterion, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sovereign_core::Arg;
use sovereign_core::schema::{Profile, RawArguments, Schema, check, decode, render};
use sovereign_tests::lab;
use std::hint::black_box;

/// What a search takes.
#[derive(Serialize, Deserialize, Arg)]
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
#[derive(Serialize, Deserialize, Arg)]
struct Nested {
    /// A number.
    a: u8,
    /// A flag.
    b: Option<bool>,
}

const SMALL: &[u8] = br#"{"query":"rust const generics","limit":20,"tags":["lang","compile-time","schema"],"nested":{"a":7,"b":true}}"#;

fn arguments(c: &mut Criterion) {
    let schema: Value =
        serde_json::from_str(&render(&Search::NODE, Profile::Full)).expect("a schema");
    let oracle = jsonschema::draft202012::new(&schema).expect("a schema");
    let raw = RawArguments::parse(SMALL).expect("an object");
    let mut group = c.benchmark_group("small_arguments");
    group.bench_function("serde_bare_struct", |b| {
        b.iter(|| serde_json::from_slice::<Search>(black_box(SMALL)).expect("valid"));
    });
    group.bench_function("decode", |b| {
        b.iter(|| decode::<Search>(black_box(&raw)).expect("valid"));
    });
    group.bench_function("parse_and_decode", |b| {
        b.iter(|| {
            let raw = RawArguments::parse(black_box(SMALL)).expect("an object");
            decode::<Search>(&raw).expect("valid")
        });
    });
    group.bench_function("check", |b| {
        b.iter(|| check(black_box(SMALL), &Search::NODE).expect("valid"));
    });
    group.bench_function("value_jsonschema_from_value", |b| {
        b.iter(|| {
            let value: Value = serde_json::from_slice(black_box(SMALL)).expect("JSON");
            assert!(oracle.is_valid(&value));
            serde_json::from_value::<Search>(value).expect("valid")
        });
    });
    group.finish();
}

fn refusal(c: &mut Criterion) {
    let bad = RawArguments::parse(br#"{"query":"","limit":900,"tags":["a",5],"nested":{"c":1}}"#);
    let bad = bad.expect("an object");
    c.bench_function("five_violations", |b| {
        b.iter(|| decode::<Search>(black_box(&bad)).map(|_| ()).expect_err("wrong"));
    });
}

fn catalog(c: &mut Criterion) {
    let (lab, _) = lab();
    c.bench_function("catalog_snapshot", |b| b.iter(|| lab.executor.catalog(&lab.scope)));
}

criterion_group!(benches, arguments, refusal, catalog);
criterion_main!(benches);
