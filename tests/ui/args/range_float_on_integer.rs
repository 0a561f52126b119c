use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(max = 0.5))]
    what: u8,
}

fn main() {}
