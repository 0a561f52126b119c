use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(lenght(max = 5))]
    what: String,
}

fn main() {}
