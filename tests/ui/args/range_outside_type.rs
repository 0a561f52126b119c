use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(min = -1))]
    what: u8,
}

fn main() {}
