use sovereign_core::prelude::*;

/// Some.
#[derive(Schema)]
struct Some {
    what: u8,
    #[serde(flatten)]
    rest: Vec<u8>,
}

fn main() {}
