use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(range(max = u8::MAX))]
    what: u8,
}

fn main() {}
