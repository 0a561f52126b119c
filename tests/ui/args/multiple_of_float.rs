use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(multiple_of = 5)]
    what: f64,
}

fn main() {}
