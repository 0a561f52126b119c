use sovereign_core::prelude::*;

#[derive(serde::Serialize, Arg)]
#[serde(tag = "kind")]
enum Some {
    This,
    That {
        /// What.
        what: u8,
    },
}

fn main() {}
