use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(min = 1))]
    #[arg(length(max = 5))]
    what: String,
}

fn main() {}
