//! Types that contain themselves, each other, or say `Self`.
use std::sync::Arc;

use serde_json::json;
use sovereign_core::prelude::*;

use super::outcome;

/// A tree.
#[derive(Arg)]
struct Tree {
    /// Its children.
    children: Vec<Self>,
    /// A link to somewhere else.
    link: Option<Box<Link>>,
}

/// A way back.
#[derive(Arg)]
struct Link {
    /// Where it leads.
    tree: Tree,
}

/// Counts the trees.
#[capability(name = "tree.count", side_effect = read_only, network = local, category = notes)]
struct Count {
    /// The tree.
    tree: Tree,
}

fn count(tree: &Tree) -> u32 {
    let below: u32 = tree.children.iter().map(count).sum();
    1 + below + tree.link.as_ref().map_or(0, |link| count(&link.tree))
}

impl Run for Count {
    type State = ();
    type Output = u32;
    async fn run(self, _: Call<'_, Self>) -> Result<u32, Failure> {
        Ok(count(&self.tree))
    }
}

static TREES: Plugin<()> = Plugin::new("tree", &[Count::ENTRY]);

#[tokio::test]
async fn a_type_may_contain_itself() {
    let leaf = json!({ "children": [] });
    let tree = json!({ "children": [leaf, leaf], "link": { "tree": leaf } });
    let outcome = outcome::<Count>(&TREES, Arc::default(), json!({ "tree": tree })).await;
    assert_eq!(outcome["result"], 4, "{outcome}");
}
