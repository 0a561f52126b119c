use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(default = std::process::id())]
    what: u32,
}

fn main() {}
