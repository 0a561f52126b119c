use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[serde(skip)]
    what: u8,
}

fn main() {}
