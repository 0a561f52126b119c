use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
#[arg(rename_all_fields = "camelCase")]
struct Some {
    /// What.
    what: u8,
}

fn main() {}
