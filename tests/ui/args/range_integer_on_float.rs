use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(max = 1))]
    what: f64,
}

fn main() {}
