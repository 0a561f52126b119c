use super::Recalled;
use crate::executor::Outcome;
use crate::schema::{Malformed, RawArguments};
use std::fmt;

/// What a model is sent, oldest first. Nothing here can hold a confirmation token.
///
/// Each `Assistant` message with proposals is followed by exactly one `Outcome` per proposal, in the
/// same order; a call and its outcome are kept or dropped together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Message {
    /// What the person wrote.
    User(String),
    /// One reply of a model: prose, proposals, or both (A10).
    Assistant {
        /// The prose; may be empty.
        text: String,
        /// What it asked for, in its order.
        proposals: Vec<Proposed>,
    },
    /// What became of one proposal. Adapters send [`Outcome::envelope`], which marks it as untrusted
    /// data.
    Outcome {
        /// The proposal it answers.
        call: CallId,
        /// What it came to.
        outcome: Outcome,
    },
    /// What the device recorded of earlier turns, or of earlier rounds that were folded to fit.
    /// Adapters send [`Recalled::envelope`] on the user's side, never as system text.
    Recalled(Recalled),
}

/// One proposal as a model made it, for the history that it is sent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Proposed {
    /// Ours, unique in the conversation (C-11).
    pub call: CallId,
    /// The provider's own id, for that provider's wire only; may be missing or repeated.
    pub wire_id: Option<String>,
    /// The name on the wire, as the model wrote it.
    pub wire_name: String,
    /// The arguments as received.
    pub arguments: Result<RawArguments, Malformed>,
}

impl Proposed {
    /// The arguments as JSON text for a wire; `{}` stands in for malformed ones, since their outcome
    /// says that they were.
    #[must_use]
    pub fn arguments_text(&self) -> &str {
        self.arguments.as_ref().map_or("{}", RawArguments::as_str)
    }
}

/// Names one proposal of a conversation: turn, round, index (`c3_0_1`); nine to sixteen characters of
/// `[a-z0-9_]`, legal as a call id at every provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallId {
    turn: u32,
    round: u16,
    index: u16,
}

impl CallId {
    /// The `index`-th proposal of that round of that turn.
    #[must_use]
    pub const fn new(turn: u32, round: u16, index: u16) -> Self {
        Self { turn, round, index }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call_{}_{}_{}", self.turn, self.round, self.index)
    }
}
