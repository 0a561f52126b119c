use sovereign_core::prelude::*;

#[derive(Arg)]
enum Some {}

fn main() {}
