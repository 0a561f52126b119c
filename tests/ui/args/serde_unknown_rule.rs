use sovereign_core::prelude::*;

/// Some.
#[derive(Schema)]
#[serde(rename_all = "camel_case")]
struct Some {
    what_now: u8,
}

fn main() {}
