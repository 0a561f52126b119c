use sovereign_core::prelude::*;

type Perhaps = Option<u8>;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(default)]
    what: Perhaps,
}

fn main() {}
