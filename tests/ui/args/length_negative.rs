use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(min = -1))]
    what: String,
}

fn main() {}
