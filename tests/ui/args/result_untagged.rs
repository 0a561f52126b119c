use sovereign_core::prelude::*;

#[derive(serde::Serialize, Schema)]
#[serde(untagged)]
enum Some {
    This(String),
    That(u8),
}

fn main() {}
