use sovereign_core::prelude::*;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct One;
impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> { Ok(1) }
}

/// Says two.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct Two;
impl Run for Two {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> { Ok(2) }
}

static PLUGIN: Plugin<()> = Plugin::new("a", &[One::ENTRY, Two::ENTRY]);

fn main() {}
