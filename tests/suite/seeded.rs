//! Seeded bytes for properties: random ones, a seed corpus, and the corpus mutated.
use crate::source::root;
use std::fs;

pub type Property = fn(&[u8]);

/// A seed by the name of its file.
pub type Seed = (String, Vec<u8>);

/// `SOVEREIGN_LONG=1` runs many more.
pub fn cases<T>(short: T, long: T) -> T {
    if std::env::var_os("SOVEREIGN_LONG").is_some_and(|v| v == "1") { long } else { short }
}

/// The seed corpus of a target.
pub fn corpus(target: &str) -> Vec<Seed> {
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

/// Runs a property and shows the bytes that broke it.
pub fn holds(target: &str, property: Property, bytes: &[u8]) {
    let caught = std::panic::catch_unwind(|| property(bytes));
    assert!(caught.is_ok(), "{target} is broken by {:?}", String::from_utf8_lossy(bytes));
}

/// Every seed of each target, of which there are at least so many.
pub fn corpora_hold(targets: &[(&str, Property)], least: usize) {
    for (target, property) in targets {
        let seeds = corpus(target);
        assert!(seeds.len() >= least, "{target} has only {} seeds", seeds.len());
        for (name, bytes) in seeds {
            holds(&format!("{target}/{name}"), *property, &bytes);
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.next() as u8).collect()
    }
}

/// How a seed is changed.
pub struct Mutation {
    /// Pieces that change what a byte string means.
    pub tokens: &'static [&'static str],
    /// Beside six changes of other kinds, how many change a letter or digit to another.
    pub letters: usize,
}

impl Mutation {
    /// One to three changes: a letter or digit, a byte, a bit, a piece cut out, doubled, or put in
    /// from elsewhere.
    pub fn of(&self, random: &mut Random, seeds: &[Seed]) -> Vec<u8> {
        let mut bytes = seeds[random.below(seeds.len())].1.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() + 1);
            let end = (at + random.below(12)).min(bytes.len());
            match random.below(6 + self.letters) {
                6.. => {
                    if let Some(byte) = bytes.get_mut(at).filter(|b| b.is_ascii_alphanumeric()) {
                        *byte = b"0179aefnrtu"[random.below(11)];
                    }
                }
                0 if at < bytes.len() => bytes[at] = random.next() as u8,
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
                _ => {
                    let token = self.tokens[random.below(self.tokens.len())];
                    bytes.splice(at..at, token.bytes());
                }
            }
        }
        bytes
    }
}
