use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(pattern = r"^(a|b)\1$")]
    what: String,
}

fn main() {}
