use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some {
    #[doc = concat!("a", "b")]
    what: u8,
}

fn main() {}
