use sovereign_core::prelude::*;

#[derive(Arg)]
#[arg(tag = "kind")]
enum Some {
    This {
        /// What.
        kind: u8,
    },
    That,
}

fn main() {}
