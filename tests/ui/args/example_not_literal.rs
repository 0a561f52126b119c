use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(examples(String::new()))]
    what: String,
}

fn main() {}
