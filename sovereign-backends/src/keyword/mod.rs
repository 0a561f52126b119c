//! No model at all: the person's words are matched with the catalog.
//!
//! It proposes what it can fill in completely and at most one thing, prints results field by field,
//! and says in every answer that no language model was used. Its proposals go through the same gate
//! as any other. The same request gives the same reply.
mod answer;
mod choice;
mod fields;
mod units;
mod words;

use async_trait::async_trait;
use choice::{Choice, choose};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Message, Request, WireProposal,
};
use sovereign_core::catalog::CatalogEntry;
use sovereign_core::executor::Outcome;
use words::Question;

/// The backend that is always there.
///
/// ```
/// use sovereign_backends::Keyword;
/// use sovereign_core::backend::{Backend, Locality};
///
/// assert_eq!(Keyword::new().identity().locality, Locality::Local);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Keyword(());

impl Keyword {
    /// Its [id](BackendIdentity::id).
    pub const ID: &str = "keyword";

    /// It has no settings.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

/// What is said or proposed for one request.
enum Move {
    Say(String),
    Propose(WireProposal),
}

fn next(request: &Request<'_>) -> Move {
    let question = request.messages.iter().rposition(|m| matches!(m, Message::User(_)));
    let turn = question.and_then(|at| request.messages.get(at..)).unwrap_or_default();
    let outcomes: Vec<&Outcome> = turn
        .iter()
        .filter_map(|message| match message {
            Message::Outcome { outcome, .. } => Some(outcome),
            _ => None,
        })
        .collect();
    if !outcomes.is_empty() {
        return Move::Say(answer::report(&outcomes));
    }
    let asked = match turn.first() {
        Some(Message::User(text)) => Question::read(text),
        _ => Question::default(),
    };
    let entries = request.catalog.entries();
    let say = |why: &str| Move::Say(answer::cannot(why, entries));
    if request.closing {
        return say("This question has come to its limits.");
    }
    match choose(entries, &asked) {
        Choice::Propose(entry, arguments) => {
            let arguments = serde_json::Value::Object(arguments).to_string();
            Move::Propose(WireProposal::new(&*entry.wire_name, arguments.as_bytes()))
        }
        Choice::Incomplete(entry, missing) => {
            let (name, missing) = (entry.name, missing.join("`, `"));
            say(&format!(
                "That looks like {name}, but I cannot fill in `{missing}` from your words."
            ))
        }
        Choice::Tie(entries) => {
            let names: Vec<_> = entries.iter().map(|e: &&CatalogEntry| e.name).collect();
            say(&format!("That could be {}; please say it more exactly.", names.join(" or ")))
        }
        Choice::Nothing if asked.negated => {
            say("I match single words, and cannot tell what is meant where something is negated.")
        }
        Choice::Nothing => say("I cannot tell from your words what to do."),
    }
}

#[async_trait]
impl Backend for Keyword {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local(Self::ID, None)
    }

    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }

    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        match next(&request) {
            Move::Say(text) => {
                sink.text(&text);
                Ok(BackendTurn::text(self.identity(), text))
            }
            Move::Propose(proposal) => {
                Ok(BackendTurn::new(self.identity(), String::new(), vec![proposal]))
            }
        }
    }
}
