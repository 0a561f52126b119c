use std::cell::Cell;

use sovereign_core::prelude::*;

/// Says one.
#[capability(name = "a.one", side_effect = mutating, network = local, category = system)]
struct One;

impl Run for One {
    type State = Cell<u8>;
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> {
        Ok(1)
    }
}

static PLUGIN: Plugin<Cell<u8>> = Plugin::new("a", &[One::ENTRY]);

fn main() {}
