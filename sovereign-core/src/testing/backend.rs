use super::lock;
use crate::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Message, Request,
    Stop, WireProposal,
};
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Replays neutral turns in order and keeps what it was sent. Clones are the same script.
///
/// # Example
/// ```
/// use sovereign_core::testing::Scripted;
/// let model = Scripted::new().proposes("system__disk_status__v1", "{}").says("40 bytes are free.");
/// ```
#[derive(Debug, Clone)]
pub struct Scripted {
    identity: BackendIdentity,
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    rounds: VecDeque<Step>,
    seen: Vec<Seen>,
    ready_asked: usize,
}

#[derive(Debug)]
enum Step {
    Turn(Box<BackendTurn>),
    Fail(FailureClass, String),
    NotReady(FailureClass, String),
}

/// One round as the backend got it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Seen {
    /// The instructions.
    pub system: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Wire names that were offered.
    pub offered: Vec<String>,
    /// Whether it was the closing round.
    pub closing: bool,
}

impl Default for Scripted {
    fn default() -> Self {
        Self::new()
    }
}

impl Scripted {
    /// An empty script, of a local backend called `scripted`.
    #[must_use]
    pub fn new() -> Self {
        Self::as_backend(BackendIdentity::local("scripted", None))
    }

    /// An empty script of another backend.
    #[must_use]
    pub fn as_backend(identity: BackendIdentity) -> Self {
        Self { identity, script: Arc::default() }
    }

    fn step(self, step: Step) -> Self {
        lock(&self.script).rounds.push_back(step);
        self
    }

    /// Then it answers with prose.
    #[must_use]
    pub fn says(self, text: &str) -> Self {
        self.replies(text, Vec::new())
    }

    /// Then it proposes one call.
    #[must_use]
    pub fn proposes(self, wire_name: &str, arguments: &str) -> Self {
        self.replies("", vec![WireProposal::new(wire_name, arguments.as_bytes())])
    }

    /// Then it gives prose and proposals.
    #[must_use]
    pub fn replies(self, text: &str, proposals: Vec<WireProposal>) -> Self {
        let turn = BackendTurn::new(self.identity.clone(), text, proposals);
        self.step(Step::Turn(Box::new(turn)))
    }

    /// Then its reply is cut off by a length limit.
    #[must_use]
    pub fn truncated(self, text: &str, proposals: Vec<WireProposal>) -> Self {
        let turn = BackendTurn::new(self.identity.clone(), text, proposals).stopped(Stop::Length);
        self.step(Step::Turn(Box::new(turn)))
    }

    /// Then it fails.
    #[must_use]
    pub fn fails(self, class: FailureClass, reason: &str) -> Self {
        self.step(Step::Fail(class, reason.to_owned()))
    }

    /// It is not ready, once, when it is asked next.
    #[must_use]
    pub fn not_ready(self, class: FailureClass, reason: &str) -> Self {
        self.step(Step::NotReady(class, reason.to_owned()))
    }

    /// How often it was asked whether it is ready.
    #[must_use]
    pub fn ready_asked(&self) -> usize {
        lock(&self.script).ready_asked
    }

    /// Every round so far, as it was sent.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.script).seen.clone()
    }
}

#[async_trait]
impl Backend for Scripted {
    fn identity(&self) -> BackendIdentity {
        self.identity.clone()
    }

    async fn ready(&self) -> Result<(), BackendError> {
        let mut script = lock(&self.script);
        script.ready_asked = script.ready_asked.saturating_add(1);
        match script.rounds.pop_front_if(|step| matches!(step, Step::NotReady(..))) {
            Some(Step::NotReady(class, reason)) => Err(BackendError::new(class, reason)),
            _ => Ok(()),
        }
    }

    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let next = {
            let mut script = lock(&self.script);
            script.seen.push(Seen {
                system: request.system.to_owned(),
                messages: request.messages.to_vec(),
                offered: request
                    .catalog
                    .entries()
                    .iter()
                    .map(|e| (*e.wire_name).to_owned())
                    .collect(),
                closing: request.closing,
            });
            script.rounds.pop_front()
        };
        match next {
            Some(Step::Turn(turn)) => {
                turn.text.split_inclusive(' ').for_each(|word| sink.text(word));
                Ok(*turn)
            }
            Some(Step::Fail(class, reason) | Step::NotReady(class, reason)) => {
                Err(BackendError::new(class, reason))
            }
            None => Err(BackendError::new(FailureClass::Unreachable, "the script is over")),
        }
    }
}
