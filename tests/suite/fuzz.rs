//! The properties of the coverage-guided targets on seeded bytes: random ones, the seed corpus, and
//! the corpus mutated. `SOVEREIGN_LONG=1` runs many more.

#[path = "../fuzz/property.rs"]
mod property;
use crate::schema::strict;

use crate::source::root;
use std::fs;

type Property = fn(&[u8]);

/// A property by the name of its target.
const TARGETS: [(&str, Property); 3] = [
    ("raw_arguments", property::raw_arguments),
    ("decode", property::decode),
    ("check_result", property::check_result),
];

/// Pieces that change what a byte string means.
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

/// SplitMix64: small, seeded, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.next() as u8).collect()
    }

    /// One to three changes: a letter or digit, a byte, a bit, a piece cut out, doubled, or put in
    /// from elsewhere.
    fn mutated(&mut self, seeds: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].1.clone();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(12)).min(bytes.len());
            match self.below(12) {
                6.. => {
                    if let Some(byte) = bytes.get_mut(at).filter(|b| b.is_ascii_alphanumeric()) {
                        *byte = b"0179aefnrtu"[self.below(11)];
                    }
                }
                0 if at < bytes.len() => bytes[at] = self.next() as u8,
                1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..end)),
                3 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                4 => {
                    let other = &seeds[self.below(seeds.len())].1;
                    let from = self.below(other.len() + 1);
                    let piece = other[from..].iter().copied().take(40).collect::<Vec<_>>();
                    bytes.splice(at..at, piece);
                }
                _ => drop(bytes.splice(at..at, TOKENS[self.below(TOKENS.len())].bytes())),
            }
        }
        bytes
    }
}

fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("tests/fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("a seed corpus");
    let read = entries.map(|entry| {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(&path).expect("a seed"))
    });
    let mut seeds: Vec<_> = read.collect();
    seeds.sort();
    seeds
}

fn cases(short: usize, long: usize) -> usize {
    if std::env::var_os("SOVEREIGN_LONG").is_some_and(|v| v == "1") { long } else { short }
}

/// Runs a property and shows the bytes that broke it.
fn holds(target: &str, property: Property, bytes: &[u8]) {
    let caught = std::panic::catch_unwind(|| property(bytes));
    assert!(caught.is_ok(), "{target} is broken by {:?}", String::from_utf8_lossy(bytes));
}

#[test]
fn every_seed_of_the_corpus_keeps_the_properties() {
    for (target, property) in TARGETS {
        let seeds = seeds(target);
        assert!(seeds.len() >= 20, "{target} has only {} seeds", seeds.len());
        for (name, bytes) in seeds {
            holds(&format!("{target}/{name}"), property, &bytes);
        }
    }
}

#[test]
fn random_bytes_keep_the_properties() {
    let mut chance = Chance(3);
    for _ in 0..cases(10_000, 1_000_000) {
        let bytes = chance.bytes(120);
        TARGETS.iter().for_each(|(target, property)| holds(target, *property, &bytes));
    }
}

#[test]
fn mutated_seeds_keep_the_properties() {
    for (target, property) in TARGETS {
        let (seeds, mut chance) = (seeds(target), Chance(33));
        for _ in 0..cases(20_000, 3_000_000) {
            holds(target, property, &chance.mutated(&seeds));
        }
    }
}

#[test]
fn mutation_makes_objects_as_well_as_garbage() {
    let (seeds, mut chance) = (seeds("raw_arguments"), Chance(33));
    let parsed = |bytes: &[u8]| sovereign_core::schema::RawArguments::parse(bytes).is_ok();
    let accepted = (0..2_000).filter(|_| parsed(&chance.mutated(&seeds))).count();
    assert!((100..1_900).contains(&accepted), "{accepted} of 2000 are arguments");
}
