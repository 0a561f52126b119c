use sovereign_core::prelude::*;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = system)]
struct One;

static PLUGIN: Plugin<()> = Plugin::new("a", &[One::ENTRY]);

fn main() {}
