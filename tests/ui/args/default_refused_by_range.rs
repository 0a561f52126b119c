use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(max = 5), default = 9)]
    what: u8,
}

fn main() {}
