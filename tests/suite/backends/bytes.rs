//! The properties of the coverage-guided targets for wires, on seeded bytes: random ones, the seed
//! corpus, and the corpus mutated. `SOVEREIGN_LONG=1` runs many more.
#[path = "../../fuzz/wires.rs"]
mod property;

use super::hostile::Random;
use crate::source::root;
use std::fs;

type Property = fn(&[u8]);

/// A property by the name of its target.
const TARGETS: [(&str, Property); 6] = [
    ("sse", property::sse),
    ("ndjson", property::ndjson),
    ("openai", property::openai),
    ("claude", property::claude),
    ("ollama", property::ollama),
    ("cashu_token", property::cashu_token),
];

/// Pieces that change what a byte string means.
const TOKENS: [&str; 30] = [
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "data: ",
    "data:",
    "event: ",
    ": ping\n\n",
    "[DONE]",
    "\u{feff}",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
    "0",
    "1e999",
    "\\ud83d",
    "é",
    "\"tool_calls\":[",
    "\"arguments\":\"",
    "\"name\":\"a\"",
    "\"index\":0,",
    "\"done\":true",
    "\"stop_reason\":\"max_tokens\"",
    "\"error\":\"x\"",
    "cashuA",
];

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

/// One to three changes.
fn mutated(random: &mut Random, seeds: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].1.clone();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => {
                let other = &seeds[random.below(seeds.len())].1;
                let from = random.below(other.len() + 1);
                let piece = other[from..].iter().copied().take(60).collect::<Vec<_>>();
                bytes.splice(at..at, piece);
            }
            _ => drop(bytes.splice(at..at, TOKENS[random.below(TOKENS.len())].bytes())),
        }
    }
    bytes
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
fn every_seed_of_a_wire_keeps_its_properties() {
    for (target, property) in TARGETS {
        let seeds = seeds(target);
        assert!(seeds.len() >= 10, "{target} has only {} seeds", seeds.len());
        for (name, bytes) in seeds {
            holds(&format!("{target}/{name}"), property, &bytes);
        }
    }
}

#[test]
fn random_bytes_keep_the_properties_of_every_wire() {
    let mut random = Random(0x5eed_0b17_e500_0001);
    for _ in 0..cases(300, 30_000) {
        let bytes: Vec<u8> = (0..random.below(120)).map(|_| random.below(256) as u8).collect();
        TARGETS.iter().for_each(|(target, property)| holds(target, *property, &bytes));
    }
}

#[test]
fn mutated_seeds_keep_the_properties_of_every_wire() {
    for (target, property) in TARGETS {
        let (seeds, mut random) = (seeds(target), Random(0x5eed_0b17_e500_0002));
        for _ in 0..cases(600, 60_000) {
            holds(target, property, &mutated(&mut random, &seeds));
        }
    }
}
