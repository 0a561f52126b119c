//! The core of Sovereign: capabilities, the six-stage executor, confirmation, audit and the turn loop.
//!
//! A capability author needs the [`prelude`]; a program around the core needs [`host`] besides. A
//! proposal's way through the crate is the order of its modules:
//! [`backend`] brings it, [`conversation`] takes each alone and in order, [`executor`] resolves,
//! validates ([`schema`]), asks [`policy`], asks a person ([`confirmation`]), executes the
//! [`mod@capability`] within its bounds, and [`audit`] writes down what became of it.
//!
//! The crate opens no socket, knows no provider and no terminal, and holds no `unsafe`.
#[cfg(panic = "abort")]
compile_error!("sovereign-core catches panics of capabilities: build it with `panic = \"unwind\"`");

#[cfg_attr(
    not(test),
    expect(unused_extern_crates, reason = "the macros name the crate by its own name, here too")
)]
extern crate self as sovereign_core;

pub mod audit;
pub mod backend;
pub mod caller;
pub mod capability;
pub mod catalog;
pub mod clock;
pub mod confirmation;
pub mod conversation;
pub mod display;
pub mod entropy;
pub mod executor;
pub mod files;
pub mod history;
pub mod id;
pub mod policy;
pub mod registry;
pub mod schema;
#[cfg(feature = "testing")]
pub mod testing;

pub use sovereign_macros::{Arg, Schema, capability};

/// A future on the heap, as trait objects need it.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a capability author needs: the three macros, and what their code and `impl Run` name.
///
/// ```
/// use sovereign_core::prelude::*;
/// ```
pub mod prelude {
    pub use sovereign_macros::{Arg, Schema, capability};

    pub use crate::capability::{
        Call, Changed, Citation, Cited, Failure, NotAllowed, OrFail, Plugin, Run,
    };
    pub use crate::schema::{Arg, Schema};
}

/// What a program around the core needs besides.
pub mod host {
    pub use crate::backend::Backend;
    pub use crate::caller::{CallerScope, Categories, Category};
    pub use crate::confirmation::{ConfirmationRequest, ConfirmationToken, Decision, NotOpen};
    pub use crate::conversation::{
        Busy, Conversation, Event, Followed, Pause, Receipt, Report, Turn, TurnLimits,
    };
    pub use crate::executor::{Executor, Outcome, Proposal, Submitted};
    pub use crate::history::Histories;
    pub use crate::policy::Policy;
    pub use crate::registry::Registry;
}

/// What generated code names. No part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use std::time::Duration;

    pub use crate::caller::Category;
    pub use crate::capability::{
        Bounds, Capability, Declaration, Entry, External, Loopback, Run, class,
    };
    pub use crate::schema::judged::{Judged, Unseen};
    use crate::schema::spell;
    pub use crate::schema::{
        Arg, Body, Field, Fields, Format, Inside, Node, Object, Pattern, Reader, Schema, Slot,
        Step, Stop, Tagging, Union, Variant,
    };
    pub use sovereign_macros::__Capability;

    /// The entry of `C`. A missing `impl Run` is a fault in the constant `RUNS` alone: whatever names
    /// an entry then holds that fault already, and rustc does not report it there again.
    pub type EntryOf<C, const RUNS: bool> = Entry<<Known<C, RUNS> as Behaving>::State>;

    pub const fn runs<C: Run>() -> bool {
        true
    }

    #[derive(Debug)]
    pub struct Known<C, const RUNS: bool>(std::marker::PhantomData<C>);

    pub trait Behaving {
        type State: ?Sized + 'static;
        const ENTRY: Entry<Self::State>;
    }

    impl<C: Capability + Run + 'static> Behaving for Known<C, true> {
        type State = C::State;
        const ENTRY: Entry<C::State> = Entry::of::<C>();
    }

    /// All that a struct asks of an argument field's type.
    #[derive(Debug)]
    pub struct Argument<T> {
        pub node: Node,
        pub required: bool,
        pub slot: for<'a> fn(&'a mut Option<T>) -> &'a mut dyn Slot,
        pub spelled: fn(&T) -> Option<String>,
    }

    /// The one place that needs `T: Arg`: an unsupported field type is then one message.
    pub const fn argument<T: Arg>() -> Argument<T> {
        Argument { node: T::NODE, required: !T::OPTIONAL, slot: |slot| slot, spelled: T::spelled }
    }

    /// The JSON text of an object with these members.
    #[must_use]
    pub fn spelled<const N: usize>(members: [(&str, Option<String>); N]) -> Option<String> {
        let members = members.into_iter().map(|(key, value)| spell::member(key, value));
        members.collect::<Option<Vec<_>>>().map(|members| format!("{{{}}}", members.join(",")))
    }

    /// The JSON text of a word of a closed list.
    #[must_use]
    pub fn spelled_word(word: &str) -> Option<String> {
        Some(spell::quoted(word))
    }

    /// All that a struct asks of a result field's type.
    #[derive(Debug)]
    pub struct Described {
        pub node: Node,
        pub required: bool,
    }

    pub const fn described<T: Schema>() -> Described {
        Described { node: T::NODE, required: !T::OPTIONAL }
    }

    /// What `inner(…)` narrows: the node of the items of a list or a map.
    #[track_caller]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    pub const fn items<T: Schema>() -> Node {
        match T::ITEMS {
            Some(items) => items,
            None => panic!("`#[arg(inner)]` applies to lists and maps, not to this field's type"),
        }
    }

    /// Serde may leave out only what the schema does not require.
    #[track_caller]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    pub const fn left_out(required: bool) {
        if required {
            panic!("`skip_serializing_if` leaves the field out, so its type must be an `Option`");
        }
    }

    /// A default is for a type that has none of its own.
    #[track_caller]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    pub const fn defaulted(required: bool) {
        if !required {
            panic!(
                "`#[arg(default)]`: this type has a default, which is `None`: take the `Option` away, or the default"
            );
        }
    }

    /// The macro has checked the name.
    pub const fn custom_category(name: &'static str) -> Category {
        Category::Custom(name)
    }
}
