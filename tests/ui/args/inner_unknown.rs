use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    #[arg(inner(lenght(max = 5)))]
    what: Vec<String>,
}

fn main() {}
