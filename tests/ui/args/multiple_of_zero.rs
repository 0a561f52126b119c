use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(multiple_of = 0)]
    what: u8,
}

fn main() {}
