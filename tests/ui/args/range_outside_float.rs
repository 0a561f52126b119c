use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(max = 1e39))]
    what: f32,
}

fn main() {}
