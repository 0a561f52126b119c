use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[serde(alias = "which")]
    what: u8,
}

fn main() {}
