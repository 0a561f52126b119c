use sovereign_core::prelude::*;

use std::collections::BTreeSet;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    what: BTreeSet<Vec<u8>>,
}

fn main() {}
