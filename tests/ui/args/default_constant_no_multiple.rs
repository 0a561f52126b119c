use sovereign_core::prelude::*;

const MOST: i32 = -9;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(multiple_of = 5, default = MOST)]
    what: i32,
}

fn main() {}
