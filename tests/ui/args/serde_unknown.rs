use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[serde(brand_new)]
    what: u8,
}

fn main() {}
