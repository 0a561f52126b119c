use sovereign_core::prelude::*;

#[derive(Arg)]
struct Some(#[arg(default = 5)] u8);

fn main() {}
