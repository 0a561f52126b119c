use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(sensitive = true)]
    what: String,
}

fn main() {}
