//! A plugin: the const list of capabilities that are installed together.
use super::Entry;
use super::const_text::ConstText;

/// A const list of capabilities that share one state type `S`.
///
/// A plugin is data: nothing runs before it is installed into a registry, and it cannot grow
/// afterwards.
///
/// ```
/// use sovereign_core::prelude::*;
///
/// /// Says how many sides a die has.
/// #[capability(name = "die.sides", side_effect = read_only, network = local, category = custom("game"))]
/// pub struct Sides;
///
/// impl Run for Sides {
///     type State = u8;
///     type Output = u8;
///     async fn run(self, call: Call<'_, Self>) -> Result<u8, Failure> {
///         Ok(*call.state())
///     }
/// }
///
/// pub static GAME: Plugin<u8> = Plugin::new("game", &[Sides::ENTRY]);
/// assert_eq!(GAME.name(), "game");
/// ```
///
/// Two entries with one name and version do not compile:
///
/// ```compile_fail,E0080
/// # use sovereign_core::prelude::*;
/// # /// Says how many sides a die has.
/// # #[capability(name = "die.sides", side_effect = read_only, network = local, category = custom("game"))]
/// # pub struct Sides;
/// # impl Run for Sides {
/// #     type State = u8;
/// #     type Output = u8;
/// #     async fn run(self, call: Call<'_, Self>) -> Result<u8, Failure> { Ok(*call.state()) }
/// # }
/// pub static GAME: Plugin<u8> = Plugin::new("game", &[Sides::ENTRY, Sides::ENTRY]);
/// ```
pub struct Plugin<S: ?Sized + 'static> {
    pub(crate) name: &'static str,
    pub(crate) entries: &'static [Entry<S>],
}

impl<S: ?Sized> std::fmt::Debug for Plugin<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.entries.iter().map(|e| e.descriptor.declaration.name);
        f.debug_struct("Plugin")
            .field("name", &self.name)
            .field("capabilities", &names.collect::<Vec<_>>())
            .finish()
    }
}

impl<S: ?Sized + 'static> Plugin<S> {
    /// The plugin `name` with these entries, each the `ENTRY` of a capability.
    ///
    /// # Panics
    /// In a `static` or `const`, which is where a plugin belongs, this is a compile error: two
    /// entries with one name and version.
    #[track_caller]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    pub const fn new(name: &'static str, entries: &'static [Entry<S>]) -> Self {
        let mut rest = entries;
        while let [first, tail @ ..] = rest {
            let mut others = tail;
            while let [other, more @ ..] = others {
                if first.key == other.key && first.is_same_as(other) {
                    let a = &first.descriptor.declaration;
                    let text = ConstText::new()
                        .text("two capabilities of this plugin are `")
                        .text(a.name)
                        .text("` version ")
                        .number(a.version)
                        .text(": rename one or give it another `version`");
                    panic!("{}", text.as_str());
                }
                others = more;
            }
            rest = tail;
        }
        Self { name, entries }
    }

    /// The plugin's own name, for start-up errors and listings; no part of its capabilities' names.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}
