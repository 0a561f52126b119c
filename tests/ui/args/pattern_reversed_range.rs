use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = "^[z-a]$")]
    what: String,
}

fn main() {}
