use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
#[arg(rename_all = "camel_case")]
struct Some {
    /// What.
    what: u8,
}

fn main() {}
