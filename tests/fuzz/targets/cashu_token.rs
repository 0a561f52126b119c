#![no_main]
#[path = "../wires.rs"]
mod wires;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wires::cashu_token(bytes));
