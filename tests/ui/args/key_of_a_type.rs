use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(tag = "kind")]
    what: String,
}

fn main() {}
