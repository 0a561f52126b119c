//! The properties of the coverage-guided targets for wires, on seeded bytes: random ones, the seed
//! corpus, and the corpus mutated. `SOVEREIGN_LONG=1` runs many more.
#[path = "../../fuzz/wires.rs"]
mod property;

use crate::seeded::{Mutation, Property, Random, cases, corpora_hold, corpus, holds};

/// A property by the name of its target.
const TARGETS: [(&str, Property); 6] = [
    ("sse", property::sse),
    ("ndjson", property::ndjson),
    ("openai", property::openai),
    ("claude", property::claude),
    ("ollama", property::ollama),
    ("cashu_token", property::cashu_token),
];

const MUTATION: Mutation = Mutation { tokens: &TOKENS, letters: 0 };

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

#[test]
fn every_seed_of_a_wire_keeps_its_properties() {
    corpora_hold(&TARGETS, 10);
}

#[test]
fn random_bytes_keep_the_properties_of_every_wire() {
    let mut random = Random(0x5eed_0b17_e500_0001);
    for _ in 0..cases(300, 30_000) {
        let bytes = random.bytes(120);
        TARGETS.iter().for_each(|(target, property)| holds(target, *property, &bytes));
    }
}

#[test]
fn mutated_seeds_keep_the_properties_of_every_wire() {
    for (target, property) in TARGETS {
        let (seeds, mut random) = (corpus(target), Random(0x5eed_0b17_e500_0002));
        for _ in 0..cases(600, 60_000) {
            holds(target, property, &MUTATION.of(&mut random, &seeds));
        }
    }
}
