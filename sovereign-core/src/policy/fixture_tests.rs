//! A registry to switch things in.
use crate::capability::{Call, Changed, Descriptor, Failure, Plugin, Reach, Run};
use crate::registry::Registry;
use crate::testing::Replies;
use std::sync::Arc;

macro_rules! capabilities {
    ($($kind:ident, $name:literal, $version:literal, $side_effect:ident, $network:ident, $output:ty, $result:expr;)*) => {$(
        /// Does nothing.
        #[crate::capability(
            name = $name,
            version = $version,
            side_effect = $side_effect,
            network = $network,
            category = search,
        )]
        pub(crate) struct $kind {}

        impl Run for $kind {
            type State = ();
            type Output = $output;
            async fn run(self, _: Call<'_, Self>) -> Result<$output, Failure> {
                Ok($result)
            }
        }
    )*};
}

capabilities! {
    Fetch1, "web.fetch", 1, read_only, external, bool, true;
    Fetch2, "web.fetch", 2, read_only, external, bool, true;
    Search, "web.search", 1, read_only, external, bool, true;
    Health, "system.health", 1, read_only, local, bool, true;
    Light, "home.light", 1, mutating, local, Changed<bool>, Changed::yes(true);
}

static WEB: Plugin<()> = Plugin::new("web", &[Fetch1::ENTRY, Fetch2::ENTRY, Search::ENTRY]);
static NODE: Plugin<()> = Plugin::new("node", &[Health::ENTRY, Light::ENTRY]);
/// `web.fetch@1` alone: what the device had before an update.
static OLD_WEB: Plugin<()> = Plugin::new("web", &[Fetch1::ENTRY]);

pub(crate) fn registry() -> Registry {
    let outbound = Arc::new(Replies::reaching(Reach::public()));
    Registry::builder()
        .install_reaching(&WEB, Arc::default(), outbound)
        .install(&NODE, Arc::default())
        .build()
        .unwrap()
}

pub(crate) fn old_registry() -> Registry {
    let outbound = Arc::new(Replies::reaching(Reach::public()));
    Registry::builder().install_reaching(&OLD_WEB, Arc::default(), outbound).build().unwrap()
}

pub(crate) fn descriptor(registry: &Registry, name: &str, version: u32) -> &'static Descriptor {
    registry.descriptors().find(|d| d.name() == name && d.version() == version).unwrap()
}
