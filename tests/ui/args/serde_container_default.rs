use sovereign_core::prelude::*;

/// Some.
#[derive(serde::Deserialize, Default, Arg)]
#[serde(default)]
struct Some {
    /// What.
    what: u8,
}

fn main() {}
