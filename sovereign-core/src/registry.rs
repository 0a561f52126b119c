//! Everything that is installed. Closed after `build()`.
//!
//! Owns name and version lookup, wire names and rendered schemas. What a caller sees of it is the
//! [`catalog`](crate::catalog).

use crate::capability::{Descriptor, Entry, Network, Outbound, Plugin, Prepared};
use crate::schema::{
    Profile, Published, RawArguments, Unsound, Violation, render, sound, sound_result,
};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// An entry with its state: what resolve finds.
pub(crate) trait Installed: Send + Sync {
    fn descriptor(&self) -> &'static Descriptor;
    fn prepare(&self, raw: &RawArguments) -> Result<Box<dyn Prepared>, Vec<Violation>>;
}

struct Bound<S: ?Sized + 'static> {
    entry: &'static Entry<S>,
    state: Arc<S>,
    outbound: Option<Arc<dyn Outbound>>,
}

impl<S: ?Sized + Send + Sync + 'static> Installed for Bound<S> {
    fn descriptor(&self) -> &'static Descriptor {
        self.entry.descriptor
    }

    fn prepare(&self, raw: &RawArguments) -> Result<Box<dyn Prepared>, Vec<Violation>> {
        (self.entry.prepare)(raw, &self.state, self.outbound.as_ref())
    }
}

/// Plugins that do not fit together or do not fit their reach.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two plugins hold one name and version.
    #[error(
        "`{name}` version {version} is in plugin `{first}` and in plugin `{second}`: install one of them"
    )]
    Duplicate {
        /// The name both hold.
        name: &'static str,
        /// The version both hold.
        version: u32,
        /// The plugin that was installed first.
        first: &'static str,
        /// The other one.
        second: &'static str,
    },
    /// A capability reaches out, its plugin was installed without a way.
    #[error("`{name}` reaches out: install plugin `{plugin}` with `install_reaching`")]
    NoWayOut {
        /// The capability.
        name: &'static str,
        /// Its plugin.
        plugin: &'static str,
    },
    /// What a capability takes or gives cannot be offered.
    #[error("`{name}` version {version}: {problem}")]
    Unsound {
        /// The capability.
        name: &'static str,
        /// Its version.
        version: u32,
        /// What is wrong with its schemas.
        problem: Unsound,
    },
    /// A capability is local, its plugin's way goes beyond this device.
    #[error(
        "`{name}` is `network = local(loopback)`, but the way given to plugin `{plugin}` goes beyond loopback"
    )]
    TooFar {
        /// The capability.
        name: &'static str,
        /// Its plugin.
        plugin: &'static str,
    },
}

/// One installed capability.
pub(crate) struct Slot {
    plugin: &'static str,
    loopback_only: Option<bool>,
    pub(crate) installed: Arc<dyn Installed>,
    pub(crate) wire_name: Arc<str>,
    pub(crate) schema: Published,
    /// Over everything that was declared: an approval holds for exactly this.
    pub(crate) digest: [u8; 32],
}

impl Slot {
    pub(crate) fn descriptor(&self) -> &'static Descriptor {
        self.installed.descriptor()
    }
}

/// Collects plugins; see [`Registry::builder`].
#[derive(Default)]
pub struct RegistryBuilder {
    slots: Vec<Arc<Slot>>,
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.slots.iter().map(|s| s.descriptor().name())).finish()
    }
}

impl RegistryBuilder {
    /// A plugin that reaches nothing. The state is an `Arc`, because something else usually holds it
    /// too; an `Arc<Handler>` becomes the plugin's `Arc<dyn Source>` here by itself.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an owned `Arc` coerces to `Arc<dyn Source>`"
    )]
    pub fn install<S: ?Sized + Send + Sync + 'static>(
        self,
        plugin: &'static Plugin<S>,
        state: Arc<S>,
    ) -> Self {
        self.add(plugin, &state, None)
    }

    /// A plugin that reaches out, with the one way that all its capabilities get.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an owned `Arc` coerces to `Arc<dyn Source>`"
    )]
    pub fn install_reaching<S: ?Sized + Send + Sync + 'static>(
        self,
        plugin: &'static Plugin<S>,
        state: Arc<S>,
        outbound: Arc<dyn Outbound>,
    ) -> Self {
        self.add(plugin, &state, Some(&outbound))
    }

    fn add<S: ?Sized + Send + Sync + 'static>(
        mut self,
        plugin: &'static Plugin<S>,
        state: &Arc<S>,
        outbound: Option<&Arc<dyn Outbound>>,
    ) -> Self {
        self.slots.extend(plugin.entries.iter().map(|entry| {
            let schema = Published::of(&entry.descriptor.arguments);
            Arc::new(Slot {
                plugin: plugin.name,
                loopback_only: outbound.map(|o| o.reach().is_loopback()),
                wire_name: wire_name(entry.descriptor).into(),
                digest: digest(entry.descriptor, schema.text(Profile::Full).get()),
                schema,
                installed: Arc::new(Bound {
                    entry,
                    state: Arc::clone(state),
                    outbound: outbound.cloned(),
                }),
            })
        }));
        self
    }

    /// Closes the registry.
    ///
    /// # Errors
    /// When two plugins hold one name and version, a plugin's way out does not fit what one of its
    /// capabilities declares, or arguments are too deep, too long or have a default that they refuse.
    pub fn build(mut self) -> Result<Registry, RegistryError> {
        // one order for everything that is shown, however the plugins were installed
        self.slots.sort_by(|a, b| a.wire_name.cmp(&b.wire_name));
        let mut by_name: HashMap<&'static str, BTreeMap<u32, usize>> = HashMap::new();
        let mut by_wire_name = HashMap::new();
        for (i, slot) in self.slots.iter().enumerate() {
            let d = slot.descriptor();
            let (name, plugin) = (d.name(), slot.plugin);
            match (d.network, d.reaches_loopback(), slot.loopback_only) {
                (Network::External, _, None) | (Network::Local, true, None) => {
                    return Err(RegistryError::NoWayOut { name, plugin });
                }
                (Network::Local, true, Some(false)) => {
                    return Err(RegistryError::TooFar { name, plugin });
                }
                _ => {}
            }
            let version = d.version();
            let unsound = |problem| RegistryError::Unsound { name, version, problem };
            sound(&d.arguments)
                .and_then(|()| slot.schema.fits())
                .and_then(|()| sound_result(&d.result))
                .map_err(unsound)?;
            if let Some(other) = by_name.entry(name).or_default().insert(version, i) {
                let first = self.slots.get(other).map_or("", |s| s.plugin);
                return Err(RegistryError::Duplicate { name, version, first, second: plugin });
            }
            by_wire_name.insert(Arc::clone(&slot.wire_name), i);
        }
        Ok(Registry { slots: self.slots, by_name, by_wire_name })
    }
}

/// Every installed capability, fixed for the program's life.
pub struct Registry {
    slots: Vec<Arc<Slot>>,
    by_name: HashMap<&'static str, BTreeMap<u32, usize>>,
    by_wire_name: HashMap<Arc<str>, usize>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.slots.iter().map(|s| &s.wire_name)).finish()
    }
}

impl Registry {
    /// Nothing is installed.
    pub(crate) fn empty() -> Self {
        Self { slots: Vec::new(), by_name: HashMap::new(), by_wire_name: HashMap::new() }
    }

    /// Starts with nothing installed.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Exact in name and version; never a near one (A07).
    pub(crate) fn lookup(&self, name: &str, version: u32) -> Option<&Arc<Slot>> {
        let slot = self.by_name.get(name)?.get(&version)?;
        self.slots.get(*slot)
    }

    /// Exact; a miss is not decoded.
    pub(crate) fn by_wire_name(&self, wire: &str) -> Option<&'static Descriptor> {
        self.by_wire_name.get(wire).and_then(|i| self.slots.get(*i)).map(|s| s.descriptor())
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().map(|s| &**s)
    }

    /// Everything installed, ordered by wire name.
    pub fn descriptors(&self) -> impl Iterator<Item = &'static Descriptor> {
        self.slots.iter().map(|s| s.descriptor())
    }
}

/// Dots become `__`, the version is always there: injective, since a segment holds no double
/// underscore.
fn wire_name(d: &Descriptor) -> String {
    format!("{}__v{}", d.name().replace('.', "__"), d.version())
}

fn digest(d: &Descriptor, schema: &str) -> [u8; 32] {
    let (declared, bounds) = (&d.declaration, &d.declaration.bounds);
    let classes = format!("{:?} {:?} {}", d.side_effect, d.network, declared.loopback);
    let mut hash = Sha256::new();
    for part in [
        declared.name,
        &declared.version.to_string(),
        declared.description,
        &declared.category.to_string(),
        &classes,
        &format!("{bounds:?}"),
        schema,
        &render(&d.result, Profile::Full),
    ] {
        hash.update(part);
        hash.update([0]);
    }
    hash.finalize().into()
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
