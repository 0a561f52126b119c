//! What an author may write. Compiling is half of each test; the other half looks at what came out.
mod above_and_below;
mod another_crate;
mod by_hand;
mod from_macro;
mod generic;
mod names;
mod recursive;
mod results;
mod shapes;
mod tagged;
mod values;

use std::sync::Arc;

use serde_json::Value;
use sovereign_core::capability::Capability;
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;

/// What ran, through the real executor.
pub async fn outcome<C: Capability + Run>(
    plugin: &'static Plugin<C::State>,
    state: Arc<C::State>,
    arguments: Value,
) -> Value
where
    C::State: Sized,
{
    let lab = Harness::install(plugin, state).build();
    let outcome = lab.call::<C>(&arguments.to_string()).approved().await;
    serde_json::to_value(&outcome).unwrap()
}
