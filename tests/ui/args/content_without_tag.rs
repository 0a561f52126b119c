use sovereign_core::prelude::*;

#[derive(Arg)]
#[arg(content = "value")]
enum Some {
    This(u8),
    That,
}

fn main() {}
