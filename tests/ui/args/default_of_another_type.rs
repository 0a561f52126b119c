use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(default = true)]
    what: u8,
}

fn main() {}
