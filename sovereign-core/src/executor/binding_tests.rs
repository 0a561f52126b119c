use super::Binding;
use crate::caller::CallerScope;
use crate::executor::slip::Slip;
use crate::executor::{Executor, Proposal};
use crate::policy::Policy;
use crate::prelude::*;
use crate::registry::Registry;
use crate::schema::RawArguments;
use crate::testing::MemoryAudit;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// Changes a note.
#[capability(name = "notes.write", side_effect = mutating, network = local, category = notes)]
struct Write {
    /// The text.
    text: String,
}

impl Run for Write {
    type State = ();
    type Output = Changed<()>;
    async fn run(self, _: Call<'_, Self>) -> Result<Changed<()>, Failure> {
        drop(self.text);
        Ok(Changed::yes(()))
    }
}

static NOTES: Plugin<()> = Plugin::new("notes", &[Write::ENTRY]);

#[test]
fn a_binding_holds_everything_that_a_decision_was_about() {
    let registry = Registry::builder().install(&NOTES, Arc::default()).build().unwrap();
    let policy = Policy::granting(|_| crate::caller::Categories::NONE);
    let audit = Arc::new(MemoryAudit::default());
    let executor = Executor::builder(registry, policy, audit).build().unwrap();
    let scope = CallerScope::operator("me", "1");
    let turn = executor.open_turn(scope.clone(), executor.open_conversation());
    let bytes = br#"{"text":"a"}"#;
    let slip = Slip::open(&executor.core, &turn, &Proposal::new("notes.write", 1, bytes));
    let slot = executor.core.registry.lookup("notes.write", 1).unwrap();
    let arguments = RawArguments::parse(bytes).unwrap();
    let held = Binding {
        scope,
        conversation: turn.conversation(),
        turn: turn.turn(),
        invocation: slip.id,
        capability: ("notes.write", 1),
        descriptor: slot.digest,
        arguments: Sha256::digest(bytes).into(),
    };
    assert!(held == Binding::of(&slip, slot, &arguments));
    assert!(slot.digest != [0; 32]);
    let spaced = RawArguments::parse(br#"{"text": "a"}"#).unwrap();
    assert!(held != Binding::of(&slip, slot, &spaced), "the bytes are bound, not their meaning");
}

#[test]
fn a_change_of_any_one_part_of_a_binding_is_seen() {
    let ids = crate::id::IdSource::new(&crate::testing::CountedEntropy::default()).unwrap();
    let (conversation, turn, invocation) = (ids.conversation(), ids.turn(), ids.invocation());
    let base = || Binding {
        scope: CallerScope::operator("me", "1"),
        conversation,
        turn,
        invocation,
        capability: ("notes.write", 1),
        descriptor: [1; 32],
        arguments: [2; 32],
    };
    assert!(base() == base());
    let changed = [
        Binding { scope: CallerScope::operator("me", "2"), ..base() },
        Binding { scope: CallerScope::operator("you", "1"), ..base() },
        Binding { conversation: ids.conversation(), ..base() },
        Binding { turn: ids.turn(), ..base() },
        Binding { invocation: ids.invocation(), ..base() },
        Binding { capability: ("notes.write", 2), ..base() },
        Binding { capability: ("notes.read", 1), ..base() },
        Binding { descriptor: [3; 32], ..base() },
        Binding { arguments: [3; 32], ..base() },
    ];
    for (n, other) in changed.iter().enumerate() {
        assert!(*other != base(), "change {n} goes unseen");
    }
}
