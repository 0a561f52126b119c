use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[serde(with = "module")]
    what: u8,
}

fn main() {}
