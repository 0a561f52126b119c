use sovereign_core::prelude::*;

/// Some.
#[derive(Arg)]
struct Some(u8, u8);

fn main() {}
