use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(default = 5)]
    what: Option<u8>,
}

fn main() {}
