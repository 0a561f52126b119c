use super::caps::{Budget, Spent};
use axum::body::Bytes;
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use sovereign_core::backend::{Backend, BackendError, DeltaSink, Message, Request};
use sovereign_core::catalog::CatalogSnapshot;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const SYSTEM: &str = "You answer in a page that somebody is developing. You have no tools: say so when \
                      something would have to be looked up or done.";
/// How long one answer may take.
const ANSWER_TIME: Duration = Duration::from_secs(150);

/// What was said so far, the last of it by the person.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chat {
    messages: Vec<Said>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    role: Role,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

impl Chat {
    /// As a model gets it; `None` when the person has not the last word.
    pub(super) fn into_messages(self) -> Option<Vec<Message>> {
        let ends_well = self.messages.last().is_some_and(|last| last.role == Role::User);
        let message = |said: Said| match said.role {
            Role::User => Message::User(said.text),
            Role::Assistant => Message::Assistant { text: said.text, proposals: Vec::new() },
        };
        ends_well.then(|| self.messages.into_iter().map(message).collect())
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Token { text: &'a str },
    Done { text: &'a str },
    Error { message: String },
}

/// The answer as it comes: one JSON object a line.
pub(super) struct Lines(UnboundedReceiver<Bytes>);

impl Stream for Lines {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx).map(|line| line.map(Ok))
    }
}

struct Sink<'a> {
    lines: &'a UnboundedSender<Bytes>,
    budget: &'a Budget,
    passed: usize,
    spent: Option<Spent>,
}

impl DeltaSink for Sink<'_> {
    fn text(&mut self, delta: &str) {
        if self.spent.is_some() {
            return;
        }
        match self.budget.pass(delta.len()) {
            Ok(()) => {
                self.passed = self.passed.saturating_add(delta.len());
                tell(self.lines, &Line::Token { text: delta });
            }
            Err(spent) => self.spent = Some(spent),
        }
    }
}

/// Asks the model; it stops when nobody reads any more.
pub(super) fn answer(
    backend: Arc<dyn Backend>,
    budget: Arc<Budget>,
    messages: Vec<Message>,
    place: tokio::sync::OwnedSemaphorePermit,
) -> Lines {
    let (lines, reader) = unbounded_channel();
    tokio::spawn(async move {
        let closed = lines.clone();
        tokio::select! {
            () = ask(&*backend, &budget, &messages, &lines) => {}
            () = closed.closed() => tracing::debug!("the page went away"),
        }
        drop(place);
    });
    Lines(reader)
}

async fn ask(
    backend: &dyn Backend,
    budget: &Budget,
    messages: &[Message],
    lines: &UnboundedSender<Bytes>,
) {
    // nothing is offered, and what a model asks for all the same is dropped
    let catalog = CatalogSnapshot::empty();
    let request = Request::new(SYSTEM, messages, &catalog, ANSWER_TIME).closing();
    let mut sink = Sink { lines, budget, passed: 0, spent: None };
    let reply = backend.send(request, &mut sink).await;
    // of a backend that does not give its words in pieces
    let whole = reply.as_ref().map_or(0, |turn| turn.text.len()).saturating_sub(sink.passed);
    sink.spent = sink.spent.or_else(|| budget.pass(whole).err());
    let end = match (sink.spent, &reply) {
        (Some(spent), _) => Line::Error { message: spent.to_string() },
        (None, Ok(turn)) => Line::Done { text: &turn.text },
        (None, Err(error)) => Line::Error { message: said(error) },
    };
    tell(lines, &end);
}

/// One line for the developer; it holds no key, as every reason of a backend.
fn said(error: &BackendError) -> String {
    tracing::warn!(%error, "no answer");
    error.to_string()
}

fn tell(lines: &UnboundedSender<Bytes>, line: &Line<'_>) {
    // INVARIANT: texts alone serialise
    let mut text = serde_json::to_vec(line).unwrap_or_default();
    text.push(b'\n');
    // nobody reads any more: the task ends by itself
    drop(lines.send(text.into()));
}
