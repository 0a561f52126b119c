use sovereign_core::prelude::*;
use sovereign_core::capability::{Bounds, Capability, Declaration, Entry, class};

/// Says one.
#[derive(Arg)]
struct One {}

impl Capability for One {
    const DECLARATION: Declaration = Declaration {
        name: "One", version: 1, description: "Says one.", loopback: false,
        category: sovereign_core::caller::Category::System, bounds: Bounds::DEFAULT,
    };
    type SideEffect = class::ReadOnly;
    type Network = class::Local;
}
impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> { Ok(1) }
}
static PLUGIN: Plugin<()> = Plugin::new("a", &[Entry::of::<One>()]);

fn main() {}
