use sovereign_core::prelude::*;

/// Some.
#[derive(serde::Serialize, Arg)]
struct Some {
    /// What.
    #[serde(rename(serialize = "what", deserialize = "which"))]
    what: u8,
}

fn main() {}
