use sovereign_core::prelude::*;

/// Some.
#[derive(serde::Serialize, Arg)]
#[arg(rename_all = "camelCase")]
#[serde(rename_all = "kebab-case")]
struct Some {
    /// What.
    what_for: u8,
    /// Which.
    which_one: u8,
}

fn main() {}
