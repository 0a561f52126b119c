use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    what: Option<Option<u8>>,
}

fn main() {}
