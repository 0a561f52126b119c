use sovereign_core::prelude::*;

#[derive(Arg)]
enum Some {
    #[arg(length(max = 5))]
    This,
}

fn main() {}
