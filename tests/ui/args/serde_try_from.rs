use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
#[serde(try_from = "String")]
struct Some {
    /// What.
    what: u8,
}

fn main() {}
