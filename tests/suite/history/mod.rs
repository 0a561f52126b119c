//! What is remembered, of whom, how long, and what a model is sent of it.
mod cancel;
mod context;
mod kept;
mod remote;
mod separation;
mod summary;
mod vault;

use sovereign_core::backend::{BackendIdentity, Message};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{ContextBudget, Conversation, Report};
use sovereign_core::history::{Histories, Notice};
use sovereign_core::host::{Backend, CallerScope};
use sovereign_core::testing::{Harness, Scripted};
use std::path::PathBuf;
use std::sync::Arc;

/// A data directory that outlives programs.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.0.path().join("history")
    }

    /// As a program opens it at its start.
    pub(crate) fn open(&self, lab: &Harness) -> Histories {
        Histories::open(&self.dir(), Arc::new(lab.clock.clone())).unwrap()
    }

    /// The bytes of everything in it, as text.
    pub(crate) fn bytes(&self) -> String {
        let files = std::fs::read_dir(self.dir()).unwrap();
        files
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A scripted backend that says it has a model.
pub(crate) fn model() -> Scripted {
    Scripted::as_backend(BackendIdentity::local("scripted", Some("tiny".to_owned())))
}

pub(crate) fn chat(
    lab: &Harness,
    histories: &Histories,
    scope: &CallerScope,
    leg: impl Backend,
) -> (Conversation, Vec<Notice>) {
    let builder = Conversation::builder(&lab.executor, scope.clone()).leg(Arc::new(leg));
    let (builder, notices) = builder.remembered_in(histories).unwrap();
    (builder.open(), notices)
}

pub(crate) async fn say(chat: &Conversation, words: &str) -> Report {
    chat.say(words).unwrap().run(|_| Decision::Approve).await
}

/// What the person is said to have written, oldest first.
pub(crate) fn users(messages: &[Message]) -> Vec<&str> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// The records among the messages.
pub(crate) fn records(messages: &[Message]) -> Vec<&str> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Recalled(record) => Some(record.envelope()),
            _ => None,
        })
        .collect()
}

/// Room for everything these tests say.
pub(crate) fn roomy() -> ContextBudget {
    ContextBudget::of(200_000, 1_000)
}
