//! What a language model is to core: one trait, and neutral types for what goes in and out.
//!
//! Adapters live in `sovereign-backends`; core knows no HTTP client and no provider. What a reply
//! holds is untrusted: a proposal goes through [`executor`](crate::executor) like any other.
mod error;
mod message;
mod recalled;

pub use error::{BackendError, FailureClass};
pub use message::{CallId, Message, Proposed};
pub use recalled::Recalled;

use crate::catalog::CatalogSnapshot;
use crate::id::TurnId;
use crate::schema::{Malformed, RawArguments};
use async_trait::async_trait;
use serde::Serialize;
use std::time::Duration;

/// Whether what is sent stays on this device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "there is no third place")]
pub enum Locality {
    /// On this device, over loopback or in this process.
    Local,
    /// Anywhere else.
    Remote,
}

/// Which backend, and which model, an answer comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BackendIdentity {
    /// The adapter: `ollama`, `keyword`, `scripted`, …
    pub id: &'static str,
    /// Where it runs.
    pub locality: Locality,
    /// The model, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who receives what is sent, when it is elsewhere: its address, with scheme, host and port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
}

impl BackendIdentity {
    /// A backend on this device.
    #[must_use]
    pub const fn local(id: &'static str, model: Option<String>) -> Self {
        Self { id, locality: Locality::Local, model, receiver: None }
    }

    /// A backend elsewhere, at this address; a person is asked about the address before anything is
    /// sent there.
    #[must_use]
    pub fn remote(id: &'static str, model: Option<String>, receiver: impl Into<String>) -> Self {
        Self { id, locality: Locality::Remote, model, receiver: Some(receiver.into()) }
    }
}

/// One round as a backend gets it; borrowed, because the driver keeps it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Core's own instructions, versioned.
    pub system: &'a str,
    /// The conversation so far, oldest first.
    pub messages: &'a [Message],
    /// What this caller's model may see; wire names and back.
    pub catalog: &'a CatalogSnapshot,
    /// In the closing round nothing may be proposed: send no tools, or send them with choice `none`
    /// where the provider demands them.
    pub closing: bool,
    /// How long the reply may take, first byte to last; loading a model counts apart.
    pub timeout: Duration,
    /// Which turn it belongs to, for what a backend counts per turn.
    pub turn: Option<TurnId>,
}

impl<'a> Request<'a> {
    /// One round.
    #[must_use]
    pub const fn new(
        system: &'a str,
        messages: &'a [Message],
        catalog: &'a CatalogSnapshot,
        timeout: Duration,
    ) -> Self {
        Self { system, messages, catalog, closing: false, timeout, turn: None }
    }

    /// The same as part of that turn.
    #[must_use]
    pub const fn of_turn(mut self, turn: TurnId) -> Self {
        self.turn = Some(turn);
        self
    }

    /// The same as a closing round.
    #[must_use]
    pub const fn closing(mut self) -> Self {
        self.closing = true;
        self
    }
}

/// One proposal as it stood on the wire: name and arguments unmodified.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WireProposal {
    /// The provider's own id, kept for the wire only.
    pub wire_id: Option<String>,
    /// The name as the model wrote it; dispatch goes through the snapshot's table only.
    pub wire_name: String,
    /// Frozen bytes, or why they are malformed.
    pub arguments: Result<RawArguments, Malformed>,
}

impl WireProposal {
    /// With the arguments' bytes as received.
    #[must_use]
    pub fn new(wire_name: impl Into<String>, arguments: &[u8]) -> Self {
        Self {
            wire_id: None,
            wire_name: wire_name.into(),
            arguments: RawArguments::parse(arguments),
        }
    }

    /// With arguments that the wire format itself makes malformed (a string where an object belongs).
    #[must_use]
    pub fn malformed(wire_name: impl Into<String>, why: Malformed) -> Self {
        Self { wire_id: None, wire_name: wire_name.into(), arguments: Err(why) }
    }

    /// With the provider's id.
    #[must_use]
    pub fn with_wire_id(mut self, id: impl Into<String>) -> Self {
        self.wire_id = Some(id.into());
        self
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Stop {
    /// The model was done.
    #[default]
    End,
    /// A length limit cut it off: nothing it proposed is executed (the provider's reason, or output
    /// tokens at the cap).
    Length,
    /// The model or its provider refused to answer.
    Refusal,
}

/// Tokens, as the provider counts them; zero when it does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "two counters")]
pub struct Usage {
    /// Read.
    pub input: u64,
    /// Written.
    pub output: u64,
}

/// One whole reply.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BackendTurn {
    /// The prose; may be empty.
    pub text: String,
    /// What it asks for, in its order.
    pub proposals: Vec<WireProposal>,
    /// Tokens used.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Stop,
    /// Who answered.
    pub identity: BackendIdentity,
}

impl BackendTurn {
    /// A reply of prose alone.
    #[must_use]
    pub fn text(identity: BackendIdentity, text: impl Into<String>) -> Self {
        Self::new(identity, text, Vec::new())
    }

    /// A reply of prose and proposals (either may be empty).
    #[must_use]
    pub fn new(
        identity: BackendIdentity,
        text: impl Into<String>,
        proposals: Vec<WireProposal>,
    ) -> Self {
        Self {
            text: text.into(),
            proposals,
            usage: Usage::default(),
            stop: Stop::default(),
            identity,
        }
    }

    /// The same with what the provider counted.
    #[must_use]
    pub const fn used(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same with why it ended.
    #[must_use]
    pub const fn stopped(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }
}

/// What a model can take at once, in its own tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "two numbers")]
pub struct Window {
    /// Prompt and reply together.
    pub tokens: usize,
    /// Kept free for the reply.
    pub reply: usize,
}

/// Where text goes as it comes. Synchronous: pulling the turn is the back-pressure.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take the pieces of a reply",
    label = "not a `DeltaSink`",
    note = "implement `DeltaSink::text`"
)]
pub trait DeltaSink: Send {
    /// Takes the next piece of prose.
    fn text(&mut self, delta: &str);
}

impl DeltaSink for String {
    fn text(&mut self, delta: &str) {
        self.push_str(delta);
    }
}

/// A language model behind one of the adapters, or what stands in for one.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a backend",
    label = "not something that answers a request",
    note = "implement `Backend`, or use an adapter of `sovereign-backends`"
)]
pub trait Backend: Send + Sync + 'static {
    /// Who this is, as far as it knows without asking.
    fn identity(&self) -> BackendIdentity;

    /// Whether a round there may cost money; what is elsewhere does unless it says otherwise.
    fn is_paid(&self) -> bool {
        self.identity().locality == Locality::Remote
    }

    /// How much its model takes, where that is known (F07).
    fn window(&self) -> Option<Window> {
        None
    }

    /// Whether it can take a round with tools now: the server answers, has the model, and the model
    /// can propose. Asked once per turn, before anything of the turn is sent. One elsewhere looks at
    /// what it has here, such as its key, and sends nothing: nobody has been asked yet.
    ///
    /// # Errors
    /// Why this leg is skipped; shown with the answer (E07).
    async fn ready(&self) -> Result<(), BackendError>;

    /// Sends one round and waits for the whole reply. Prose may go to `sink` as it comes; a proposal
    /// is only in the returned turn, when the reply is complete.
    ///
    /// # Errors
    /// When no complete reply came; the driver goes on with a leg that can help, by the class of the
    /// failure. It never sends the same round to a leg twice.
    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError>;
}
