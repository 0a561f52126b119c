use sovereign_core::prelude::*;

#[derive(Arg)]
struct Some(#[arg(length(max = 5))] u8);

fn main() {}
