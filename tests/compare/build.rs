//! Writes the hundred capabilities that the catalog is measured with.

#[path = "generate.rs"]
mod generate;

use std::path::Path;
use std::{env, fs};

const CAPABILITIES: usize = 100;

fn main() {
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    for (name, text) in
        [("ours.rs", generate::ours(CAPABILITIES)), ("theirs.rs", generate::theirs(CAPABILITIES))]
    {
        fs::write(Path::new(&folder).join(name), text).expect("the build folder can be written");
    }
    println!("cargo::rerun-if-changed=generate.rs");
}
