use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    what: u8,
    /// Which.
    #[arg(rename = "what")]
    which: u8,
}

fn main() {}
