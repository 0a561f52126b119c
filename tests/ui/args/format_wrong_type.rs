use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(format = "date")]
    what: u8,
}

fn main() {}
