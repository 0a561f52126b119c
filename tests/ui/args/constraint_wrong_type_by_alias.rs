use sovereign_core::prelude::*;

type Word = bool;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(max = 5))]
    what: Word,
}

fn main() {}
