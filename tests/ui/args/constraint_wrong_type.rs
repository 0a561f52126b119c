use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(length(max = 5))]
    what: Option<u8>,
    /// Which.
    #[arg(range(max = 5))]
    which: String,
}

fn main() {}
