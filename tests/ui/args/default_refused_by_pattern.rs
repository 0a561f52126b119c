use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = "^[a-z]+$", default = "A1")]
    what: String,
}

fn main() {}
