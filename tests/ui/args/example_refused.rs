use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(multiple_of = 5, examples(5, 7))]
    what: u8,
}

fn main() {}
