use sovereign_core::prelude::*;

#[derive(serde::Serialize, Arg)]
#[serde(untagged)]
enum Some {
    This(u8),
    That(String),
}

fn main() {}
