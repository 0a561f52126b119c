//! What an approval is bound to. Compared once more when the call resumes: a decision that was made
//! about anything else never runs.

use super::slip::Slip;
use crate::caller::CallerScope;
use crate::id::{ConversationId, InvocationId, TurnId};
use crate::registry::Slot;
use crate::schema::RawArguments;
use sha2::{Digest as _, Sha256};

#[derive(PartialEq, Eq)]
pub(crate) struct Binding {
    scope: CallerScope,
    conversation: ConversationId,
    /// Holds the boot id as well.
    turn: TurnId,
    invocation: InvocationId,
    capability: (&'static str, u32),
    descriptor: [u8; 32],
    arguments: [u8; 32],
}

impl Binding {
    pub(crate) fn of(slip: &Slip, slot: &Slot, arguments: &RawArguments) -> Self {
        let d = slot.descriptor();
        Self {
            scope: slip.turn.scope().clone(),
            conversation: slip.turn.conversation(),
            turn: slip.turn.turn(),
            invocation: slip.id,
            capability: (d.name(), d.version()),
            descriptor: slot.digest,
            arguments: Sha256::digest(arguments.as_bytes()).into(),
        }
    }
}

#[cfg(test)]
#[path = "binding_tests.rs"]
mod tests;
