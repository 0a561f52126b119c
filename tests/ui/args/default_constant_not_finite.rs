use sovereign_core::prelude::*;

const MOST: f64 = f64::INFINITY;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(min = 0.5), default = MOST)]
    what: f64,
}

fn main() {}
