use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(sensitve)]
    what: String,
}

fn main() {}
