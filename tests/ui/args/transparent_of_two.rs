use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
#[arg(transparent)]
struct Some {
    /// What.
    what: u8,
    /// Which.
    which: u8,
}

fn main() {}
