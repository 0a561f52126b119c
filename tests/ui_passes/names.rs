//! Surroundings that shadow what generated code names.
#![allow(dead_code, non_upper_case_globals)]
use sovereign_core::prelude::{Arg, capability};

struct Option;
struct Result;
struct String;
struct Vec;
const v: u8 = 0;
const node: u8 = 0;
mod core {}
mod std {}

/// Some.
#[derive(Arg)]
struct Some {
    /// What.
    v: u8,
    /// A word.
    #[arg(length(max = 5))]
    node: ::std::string::String,
}

/// Says nothing.
#[derive(Arg)]
enum None {
    Ok,
    Err,
}

/// Shadowed.
#[capability(name = "a.shadowed", side_effect = read_only, network = local(loopback), category = system)]
struct Shadowed {
    /// What.
    some: Some,
    /// Which.
    none: None,
}

impl sovereign_core::capability::Run for Shadowed {
    type State = ();
    type Output = u8;
    async fn run(
        self,
        call: sovereign_core::capability::Call<'_, Self>,
    ) -> ::std::result::Result<u8, sovereign_core::capability::Failure> {
        let _ = call.loopback();
        ::std::result::Result::Ok(self.some.v)
    }
}

pub static PLUGIN: sovereign_core::capability::Plugin<()> =
    sovereign_core::capability::Plugin::new("a", &[Shadowed::ENTRY]);

#[test]
fn generated_code_names_everything_in_full() {
    assert_eq!(PLUGIN.name(), "a");
}
