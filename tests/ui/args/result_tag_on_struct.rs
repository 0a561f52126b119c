use sovereign_core::prelude::*;

#[derive(serde::Serialize, Schema)]
#[serde(tag = "kind")]
struct Some {
    what: String,
}

fn main() {}
