use sovereign_core::prelude::*;

const MOST: u8 = 9;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(max = 3))]
    what: u8,
    /// How many.
    #[arg(range(max = 5), default = MOST)]
    many: u8,
}

fn main() {}
