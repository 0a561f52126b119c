use sovereign_core::prelude::*;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct One {
    what: u8,
}

impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> {
        Ok(1)
    }
}

static PLUGIN: Plugin<()> = Plugin::new("a", &[One::ENTRY]);

fn main() {}
