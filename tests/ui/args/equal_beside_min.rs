use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(min = 1, equal = 5))]
    what: String,
}

fn main() {}
