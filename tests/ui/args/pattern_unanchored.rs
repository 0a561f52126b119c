use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = "[a-z]+")]
    what: String,
}

fn main() {}
