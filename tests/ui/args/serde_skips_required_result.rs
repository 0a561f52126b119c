use sovereign_core::prelude::*;

/// Some.
#[derive(serde::Serialize, Schema)]
struct Some {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what: Vec<u8>,
}

fn main() {}
