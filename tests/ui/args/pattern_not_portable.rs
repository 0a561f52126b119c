use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = r"^\s+$")]
    what: String,
}

fn main() {}
