use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[serde(default)]
    what: u8,
}

fn main() {}
