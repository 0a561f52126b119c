use sovereign_core::prelude::*;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct One;

impl Run for One {
    type State = u8;
    type Output = u8;
    async fn run(self, call: Call<'_, Self>) -> Result<u8, Failure> {
        *call.state() = 1;
        Ok(1)
    }
}

static PLUGIN: Plugin<u8> = Plugin::new("a", &[One::ENTRY]);

fn main() {}
