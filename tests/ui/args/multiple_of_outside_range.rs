use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(min = 1, max = 4), multiple_of = 5)]
    what: u8,
}

fn main() {}
