use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(min = 5, max = -5))]
    what: i8,
}

fn main() {}
