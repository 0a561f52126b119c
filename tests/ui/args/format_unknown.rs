use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(format = "dates")]
    what: String,
}

fn main() {}
