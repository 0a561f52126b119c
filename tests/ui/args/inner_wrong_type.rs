use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(inner(length(max = 5)))]
    what: Vec<u8>,
}

fn main() {}
