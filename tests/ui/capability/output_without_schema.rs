use sovereign_core::prelude::*;

#[derive(serde::Serialize)]
struct Said;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct One;

impl Run for One {
    type State = ();
    type Output = Said;
    async fn run(self, _: Call<'_, Self>) -> Result<Said, Failure> {
        Ok(Said)
    }
}

static PLUGIN: Plugin<()> = Plugin::new("a", &[One::ENTRY]);

fn main() {}
