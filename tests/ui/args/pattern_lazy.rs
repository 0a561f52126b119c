use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = "^a+?$")]
    what: String,
}

fn main() {}
