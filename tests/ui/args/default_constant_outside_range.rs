use sovereign_core::prelude::*;

const MOST: u8 = 9;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(max = 5), default = MOST)]
    what: u8,
}

fn main() {}
