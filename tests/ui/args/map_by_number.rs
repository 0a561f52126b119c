use sovereign_core::prelude::*;

use std::collections::BTreeMap;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    what: BTreeMap<u8, u8>,
}

fn main() {}
