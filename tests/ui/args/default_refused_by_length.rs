use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(max = 2), default = "long")]
    what: String,
}

fn main() {}
