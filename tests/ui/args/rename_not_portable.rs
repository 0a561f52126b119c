use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(rename = "what for")]
    what: String,
}

fn main() {}
