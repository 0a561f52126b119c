use sovereign_core::prelude::*;

#[derive(Schema)]
union Some {
    this: u8,
    that: i8,
}

fn main() {}
