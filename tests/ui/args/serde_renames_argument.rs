use sovereign_core::prelude::*;

/// Some.
#[derive(Arg, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Some {
    /// First.
    first_one: u8,
    /// Second.
    second_one: u8,
}

fn main() {}
