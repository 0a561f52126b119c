use sovereign_core::prelude::*;

const NONE: Vec<u8> = Vec::new();

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(min = 1), default = NONE)]
    what: Vec<u8>,
}

fn main() {}
