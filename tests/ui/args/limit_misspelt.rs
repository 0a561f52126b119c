use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(mx = 5))]
    what: String,
}

fn main() {}
