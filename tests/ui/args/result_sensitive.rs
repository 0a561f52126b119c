use sovereign_core::prelude::*;

#[derive(serde::Serialize, Schema)]
struct Some {
    #[arg(sensitive)]
    what: String,
}

fn main() {}
