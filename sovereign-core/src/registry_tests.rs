use super::*;
use crate::caller::Category;
use crate::capability::{Bounds, Call, Failure, Run, SideEffect};
use crate::prelude::capability;
use crate::schema::render;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = notes)]
struct One;

impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> {
        Ok(1)
    }
}

static PLUGIN: Plugin<()> = Plugin::new("a", &[One::ENTRY]);

#[test]
fn another_definition_under_the_same_version_is_another_digest() {
    let registry = Registry::builder().install(&PLUGIN, Arc::default()).build().unwrap();
    let d = *registry.descriptors().next().unwrap();
    let schema = render(&d.arguments, Profile::Full);
    let same = digest(&d, &schema);
    assert_eq!(registry.slots().next().unwrap().digest, same);
    let mut others = Vec::new();
    let changes: [fn(&mut Descriptor); 6] = [
        |d| d.declaration.description = "Says two.",
        |d| d.declaration.category = Category::Files,
        |d| d.declaration.loopback = true,
        |d| d.declaration.bounds = Bounds { max_per_turn: 2, ..Bounds::DEFAULT },
        |d| d.side_effect = SideEffect::Mutating,
        |d| d.network = Network::External,
    ];
    for change in changes {
        let mut changed = d;
        change(&mut changed);
        others.push(digest(&changed, &schema));
    }
    others.push(digest(&d, "null"));
    others.push(same);
    let different: std::collections::BTreeSet<_> = others.iter().collect();
    assert_eq!(different.len(), others.len());
}
