//! What an author declares, as values and, for the two classes, as types.
use std::time::Duration;

use super::const_text::{ConstText, same};
use crate::caller::Category;

/// Whether running a capability changes anything outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a third class would change what every stage decides")]
pub enum SideEffect {
    /// Looks and changes nothing. `side_effect = read_only`.
    ReadOnly,
    /// Changes something. `side_effect = mutating`.
    Mutating,
}

/// How far a capability's calls may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a third class would change what every stage decides")]
pub enum Network {
    /// Stays on this device. `network = local` or `local(loopback)`.
    Local,
    /// May leave the device. `network = external`.
    External,
}

/// Whether a person is asked before a capability runs. Derived from the two classes, never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a third answer would change what every stage decides")]
pub enum Confirmation {
    /// Runs without asking: read-only and local.
    Automatic,
    /// A person decides each call: everything else.
    Required,
}

/// The two classes as types, so that handles and outputs can depend on them.
pub mod class {
    use super::{Network, SideEffect};

    mod sealed {
        pub trait Sealed {}
    }

    /// One of [`ReadOnly`] and [`Mutating`].
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a side-effect class",
        label = "there are two: `ReadOnly` and `Mutating`",
        note = "`#[capability(side_effect = read_only | mutating)]` writes this type"
    )]
    pub trait SideEffectClass: sealed::Sealed + Send + Sync + 'static {
        /// The class as a value.
        const VALUE: SideEffect;
    }

    /// One of [`Local`] and [`External`].
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a network class",
        label = "there are two: `Local` and `External`",
        note = "`#[capability(network = local | local(loopback) | external)]` writes this type"
    )]
    pub trait NetworkClass: sealed::Sealed + Send + Sync + 'static {
        /// The class as a value.
        const VALUE: Network;
    }

    macro_rules! class {
        ($($(#[$doc:meta])* $name:ident: $class:ident($of:ident);)*) => {$(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name(());
            impl sealed::Sealed for $name {}
            impl $class for $name {
                const VALUE: $of = $of::$name;
            }
        )*};
    }
    class! {
        /// `side_effect = read_only`, as a type.
        ReadOnly: SideEffectClass(SideEffect);
        /// `side_effect = mutating`, as a type.
        Mutating: SideEffectClass(SideEffect);
        /// `network = local` and `local(loopback)`, as a type.
        Local: NetworkClass(Network);
        /// `network = external`, as a type.
        External: NetworkClass(Network);
    }

    /// Stands in after a compile error, so that no second one follows.
    #[doc(hidden)]
    #[derive(Debug, Clone, Copy)]
    pub struct Unknown(());
    impl sealed::Sealed for Unknown {}
    impl SideEffectClass for Unknown {
        const VALUE: SideEffect = SideEffect::Mutating;
    }
}

/// Limits of one capability's executions. They can be set but not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// From the durable begin record to the result; at most [`Bounds::MAX_TIMEOUT`].
    pub timeout: Duration,
    /// Bytes of the result as JSON; at most [`Bounds::MAX_RESULT`].
    pub max_result: u32,
    /// Confirmations opened and executions started in one turn.
    pub max_per_turn: u16,
}

impl Bounds {
    /// What holds when nothing is written: 10 s, 64 KiB, once per turn.
    pub const DEFAULT: Self =
        Self { timeout: Duration::from_secs(10), max_result: 64 << 10, max_per_turn: 1 };
    /// The longest `timeout`: ten minutes, because a person waits for the answer.
    pub const MAX_TIMEOUT: Duration = Duration::from_secs(600);
    /// The largest `max_result`: 1 MiB, because a result has to fit into a model's context.
    pub const MAX_RESULT: u32 = 1 << 20;
}

/// Everything the attribute says; the generated half of a descriptor.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Segments joined by dots; with the version, what the model proposes.
    pub name: &'static str,
    /// From 1.
    pub version: u32,
    /// The first paragraph of the doc comment, on one line (A02).
    pub description: &'static str,
    /// Which grant it needs.
    pub category: Category,
    /// Limits of its executions.
    pub bounds: Bounds,
    /// `network = local(loopback)`: may talk to services on this device.
    pub loopback: bool,
}

/// Longest form that every provider takes as a function name.
const MAX_WIRE: usize = 64;

/// Words of the surface where a person decides.
const RESERVED: &[&str] = &["confirm", "approve", "deny", "grant", "revoke"];

impl Declaration {
    /// The declaration, or a compile error. `#[capability]` says the same with better spans; this
    /// holds for a declaration that was written by hand.
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    pub(crate) const fn checked(self) -> Self {
        if let Some(fault) = self.fault() {
            let text =
                ConstText::new().text("capability `").text(self.name).text("`: ").text(fault);
            panic!("{}", text.as_str());
        }
        self
    }

    pub(super) const fn fault(&self) -> Option<&'static str> {
        let name = self.name.as_bytes();
        if !is_name(name) {
            return Some("its name is not made of lower-case words joined by `_` and `.`");
        }
        if is_reserved(name) {
            return Some("its last word is reserved for the confirmation surface");
        }
        if wire_length(name, self.version) > MAX_WIRE {
            return Some("its wire form is longer than 64 bytes");
        }
        if self.version == 0 {
            return Some("versions count from 1");
        }
        if self.description.is_empty() {
            return Some("it has no description");
        }
        let Bounds { timeout, max_result, max_per_turn } = self.bounds;
        if timeout.as_nanos() == 0 || timeout.as_nanos() > Bounds::MAX_TIMEOUT.as_nanos() {
            return Some("its timeout is not above nothing and at most ten minutes");
        }
        if max_result == 0 || max_result > Bounds::MAX_RESULT {
            return Some("its result size is not between 1 byte and 1 MiB");
        }
        if max_per_turn == 0 {
            return Some("it may not run at all in a turn");
        }
        None
    }
}

/// Segments `[a-z][a-z0-9]*(_[a-z0-9]+)*` joined by dots.
const fn is_name(name: &[u8]) -> bool {
    let (mut rest, mut segment_starts, mut word_starts) = (name, true, true);
    while let [byte, more @ ..] = rest {
        match byte {
            b'a'..=b'z' => (segment_starts, word_starts) = (false, false),
            b'0'..=b'9' if !segment_starts => word_starts = false,
            b'_' if !word_starts => word_starts = true,
            b'.' if !word_starts => (segment_starts, word_starts) = (true, true),
            _ => return false,
        }
        rest = more;
    }
    !word_starts
}

const fn is_reserved(name: &[u8]) -> bool {
    let (mut rest, mut last) = (name, name);
    while let [byte, more @ ..] = rest {
        if *byte == b'.' {
            last = more;
        }
        rest = more;
    }
    let mut words = RESERVED;
    while let [word, more @ ..] = words {
        if same(word.as_bytes(), last) {
            return true;
        }
        words = more;
    }
    false
}

/// Bytes of `web__fetch__v2` for `web.fetch` version 2.
const fn wire_length(name: &[u8], version: u32) -> usize {
    let (mut rest, mut length) = (name, "__v".len());
    while let [byte, more @ ..] = rest {
        length = length.saturating_add(if *byte == b'.' { 2 } else { 1 });
        rest = more;
    }
    let digits = match version.checked_ilog10() {
        Some(log) => log.saturating_add(1),
        None => 1,
    };
    length.saturating_add(digits as usize)
}

#[cfg(test)]
#[path = "declaration_tests.rs"]
mod tests;
