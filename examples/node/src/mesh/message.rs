use super::Peer;
use super::airtime::fit;
use serde::{Deserialize, Serialize};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::conversation::Report;
use sovereign_core::schema::RawArguments;

/// What a peer says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) peer: Peer,
    pub(super) text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    peer: String,
    text: String,
}

impl Message {
    /// Reads one line: exactly one JSON object with exactly these two strings, each once.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        // serde alone would take a list in place of an object
        let object = RawArguments::parse(line).ok()?;
        let Fields { peer, text } = serde_json::from_str(object.as_str()).ok()?;
        let peer = Peer::parse(&peer).ok()?;
        (!text.trim().is_empty()).then_some(Self { peer, text })
    }
}

/// What goes back to the link, one line of JSON each.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// For whom; nobody when the line could not be read.
    peer: Option<Peer>,
    /// What is to be sent; nothing when it is empty.
    text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
}

impl Answer {
    /// No answer, and why.
    pub(super) fn refusal(peer: Option<Peer>, code: &'static str, text: &str) -> Self {
        Self { peer, text: text.to_owned(), truncated: false, code: Some(code) }
    }

    /// Of a finished turn. In front stands what ran, from the receipts and not from the model's words:
    /// the first brackets are always the node's.
    pub(super) fn finished(peer: Peer, report: &Report, budget: usize) -> Self {
        let (words, code) = match report.error {
            Some(error) => (error.to_string(), Some(error.code())),
            None => (report.text.clone(), None),
        };
        let fitted = fit(&head(report), &words, budget);
        Self { peer: Some(peer), text: fitted.text, truncated: fitted.is_cut, code }
    }

    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

fn head(report: &Report) -> String {
    let mut ran: Vec<&str> = Vec::new();
    for receipt in report.receipts.iter().filter(|r| r.outcome == OutcomeKind::Executed) {
        if let Some(name) = receipt.capability.filter(|name| !ran.contains(name)) {
            ran.push(name);
        }
    }
    if ran.is_empty() { "[nothing ran]".to_owned() } else { format!("[ran {}]", ran.join(", ")) }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
