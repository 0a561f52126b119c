use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[cfg_attr(all(), serde(alias = "which"))]
    what: u8,
}

fn main() {}
