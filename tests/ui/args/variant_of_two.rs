use sovereign_core::prelude::*;

#[derive(Arg)]
enum Some {
    This(u8, u8),
    That,
}

fn main() {}
