use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
#[arg(tag = "kind")]
struct Some {
    /// What.
    what: u8,
}

fn main() {}
