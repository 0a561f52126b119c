use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = "^(?=a)[a-z]+$")]
    what: String,
}

fn main() {}
