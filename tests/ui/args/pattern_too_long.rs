use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = "^[a-z]{200}$")]
    what: String,
}

fn main() {}
