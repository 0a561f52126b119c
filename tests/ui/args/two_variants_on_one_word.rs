use sovereign_core::prelude::*;

#[derive(Arg)]
#[allow(non_camel_case_types)]
enum Some {
    OnOff,
    On_off,
}

fn main() {}
