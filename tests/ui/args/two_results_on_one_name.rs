use sovereign_core::prelude::*;

/// Some.
#[derive(Schema)]
struct Some {
    first: u8,
    #[serde(rename = "first")]
    second: u8,
}

fn main() {}
