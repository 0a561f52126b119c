//! The properties of the coverage-guided targets on seeded bytes: random ones, the seed corpus, and
//! the corpus mutated. `SOVEREIGN_LONG=1` runs many more.

#[path = "../fuzz/property.rs"]
mod property;
use crate::schema::strict;
use crate::seeded::{Mutation, Property, Random, cases, corpora_hold, corpus, holds};

/// A property by the name of its target.
const TARGETS: [(&str, Property); 3] = [
    ("raw_arguments", property::raw_arguments),
    ("decode", property::decode),
    ("check_result", property::check_result),
];

const MUTATION: Mutation = Mutation { tokens: &TOKENS, letters: 6 };

const TOKENS: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\ude00",
    "\\u0061",
    "null",
    "true",
    "-",
    "0",
    ".0",
    "1e3",
    "1e400",
    "\u{7}",
    "é",
    "\"path\":",
    "\"v\":1",
    "\"kids\":[]",
];

#[test]
fn every_seed_of_the_corpus_keeps_the_properties() {
    corpora_hold(&TARGETS, 20);
}

#[test]
fn random_bytes_keep_the_properties() {
    let mut random = Random(3);
    for _ in 0..cases(10_000, 1_000_000) {
        let bytes = random.bytes(120);
        TARGETS.iter().for_each(|(target, property)| holds(target, *property, &bytes));
    }
}

#[test]
fn mutated_seeds_keep_the_properties() {
    for (target, property) in TARGETS {
        let (seeds, mut random) = (corpus(target), Random(33));
        for _ in 0..cases(20_000, 3_000_000) {
            holds(target, property, &MUTATION.of(&mut random, &seeds));
        }
    }
}

#[test]
fn mutation_makes_objects_as_well_as_garbage() {
    let (seeds, mut random) = (corpus("raw_arguments"), Random(33));
    let parsed = |bytes: &[u8]| sovereign_core::schema::RawArguments::parse(bytes).is_ok();
    let accepted = (0..2_000).filter(|_| parsed(&MUTATION.of(&mut random, &seeds))).count();
    assert!((100..1_900).contains(&accepted), "{accepted} of 2000 are arguments");
}
