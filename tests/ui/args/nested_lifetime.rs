use sovereign_core::prelude::*;

#[derive(Schema)]
struct Some<'a> {
    what: &'a str,
}

fn main() {}
