//! Items that come out of a `macro_rules!`: literals, types and whole items in invisible groups.
use std::sync::Arc;

use serde_json::json;
use sovereign_core::prelude::*;

use super::outcome;

macro_rules! made {
    ($(#[$doc:meta])* $name:ident, $wire:literal, $max:literal, $category:ident, $field:ident: $ty:ty) => {
        $(#[$doc])*
        #[capability(name = $wire, side_effect = read_only, network = local, category = $category)]
        struct $name {
            /// A field.
            #[arg(range(max = $max))]
            $field: $ty,
        }
        impl Run for $name {
            type State = ();
            type Output = $ty;
            async fn run(self, _: Call<'_, Self>) -> Result<$ty, Failure> {
                Ok(self.$field)
            }
        }
    };
}
made!(
    /// Made by a macro.
    Made, "made.one", 5, system, place: u8
);

macro_rules! passed {
    ($item:item) => {
        #[derive(Clone)]
        $item
    };
}
passed! {
    /// Passed through a macro.
    #[capability(name = "made.two", side_effect = read_only, network = local, category = system)]
    struct Passed {
        /// A field named like a local of the generated code.
        __object: Option<u8>,
        /// Another.
        reader: Option<u8>,
    }
}

impl Run for Passed {
    type State = ();
    type Output = Vec<Option<u8>>;
    async fn run(self, _: Call<'_, Self>) -> Result<Vec<Option<u8>>, Failure> {
        Ok(vec![self.__object, self.reader])
    }
}

static MADE: Plugin<()> = Plugin::new("made", &[Made::ENTRY, Passed::ENTRY]);

#[tokio::test]
async fn a_made_item_keeps_its_constraint() {
    let fits = outcome::<Made>(&MADE, Arc::default(), json!({ "place": 5 })).await;
    assert_eq!(fits["result"], 5, "{fits}");
    let too_much = outcome::<Made>(&MADE, Arc::default(), json!({ "place": 6 })).await;
    assert_eq!(too_much["code"], "invalid_arguments", "{too_much}");
}

#[tokio::test]
async fn names_of_generated_locals_are_free() {
    let given = json!({ "__object": 1, "reader": 2 });
    let outcome = outcome::<Passed>(&MADE, Arc::default(), given).await;
    assert_eq!(outcome["result"], json!([1, 2]), "{outcome}");
}
