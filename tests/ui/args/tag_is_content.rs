use sovereign_core::prelude::*;

#[derive(Arg)]
#[arg(tag = "kind", content = "kind")]
enum Some {
    This(u8),
    That,
}

fn main() {}
