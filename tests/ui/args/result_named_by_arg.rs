use sovereign_core::prelude::*;

#[derive(serde::Serialize, Schema)]
#[arg(rename_all = "camelCase")]
struct Some {
    what_for: u8,
}

fn main() {}
