use sovereign_core::prelude::*;

#[derive(serde::Serialize, Schema)]
struct Some {
    #[arg(default = 5)]
    what: u8,
}

fn main() {}
