#![no_main]
#[path = "../property.rs"]
mod property;
#[path = "../../suite/schema/strict.rs"]
mod strict;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| property::decode(bytes));
