use crate::backend::{Message, Proposed};
use crate::catalog::CatalogSnapshot;
use crate::schema::Profile;

/// How much a model is sent at most, in model tokens, and how much of its window is left for a reply.
///
/// Tokens are estimated as the UTF-8 bytes of what is sent, divided by three and rounded up, and
/// eight more for each message, call and tool. Plain prose comes to about four bytes a token, JSON and
/// other scripts to about three. What a server reports corrects the estimate for the next request to
/// it, to four bytes a token at most and one at least. It stays an estimate: a server that counts more
/// refuses the request, and a leg with a larger window is asked.
///
/// The window of a model whose length nobody knows is taken to be small (F07).
///
/// # Example
/// ```
/// use sovereign_core::conversation::ContextBudget;
/// assert_eq!(ContextBudget::default().tokens(), 8192 - 1024);
/// assert_eq!(ContextBudget::of(32_768, 2_048).tokens(), 30_720);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextBudget {
    window: usize,
    reply: usize,
}

const WINDOW: usize = 8_192;
const REPLY: usize = 1_024;
/// Less than this holds no turn.
const LEAST: usize = 1_024;
const BYTES_PER_TOKEN: usize = 3;
const AROUND: usize = 8;

impl Default for ContextBudget {
    fn default() -> Self {
        Self { window: WINDOW, reply: REPLY }
    }
}

impl ContextBudget {
    /// A window of so many tokens, so many of them for the reply; at least 1024 stay for what is sent.
    #[must_use]
    pub fn of(window: usize, reply: usize) -> Self {
        Self { window: window.max(reply.saturating_add(LEAST)), reply }
    }

    /// What may be sent.
    #[must_use]
    pub const fn tokens(self) -> usize {
        self.window.saturating_sub(self.reply)
    }

    /// What a request would come to, by the same estimate.
    #[must_use]
    pub fn estimate(system: &str, messages: &[Message], catalog: &CatalogSnapshot) -> usize {
        messages.iter().map(message).fold(fixed(system, catalog), usize::saturating_add)
    }
}

pub(super) fn fixed(system: &str, catalog: &CatalogSnapshot) -> usize {
    let tools = catalog.entries().iter().map(|entry| {
        // each wire has its own spelling of the schema: the longest
        let spelled = Profile::ALL.map(|profile| entry.arguments.text(profile).get());
        let schema = spelled.into_iter().max_by_key(|text| text.len()).unwrap_or_default();
        tokens([&*entry.wire_name, entry.description, schema])
    });
    tools.fold(tokens([system]), usize::saturating_add)
}

pub(super) fn message(message: &Message) -> usize {
    match message {
        Message::User(text) => tokens([text.as_str()]),
        Message::Assistant { text, proposals } => {
            proposals.iter().map(proposed).fold(tokens([text.as_str()]), usize::saturating_add)
        }
        Message::Outcome { outcome, .. } => tokens([outcome.envelope().as_str()]),
        Message::Recalled(record) => tokens([record.envelope()]),
    }
}

/// What these come to at least, without spelling them out.
pub(super) fn least(messages: &[Message]) -> usize {
    let bytes = messages.iter().map(|message| match message {
        Message::User(text) => text.len(),
        Message::Assistant { text, proposals } => {
            let arguments = proposals.iter().map(|p| p.arguments_text().len());
            arguments.fold(text.len(), usize::saturating_add)
        }
        Message::Outcome { outcome, .. } => outcome.result().map_or(0, str::len),
        Message::Recalled(record) => record.envelope().len(),
    });
    bytes.fold(0, usize::saturating_add) / BYTES_PER_TOKEN
}

fn proposed(proposed: &Proposed) -> usize {
    let id = proposed.wire_id.as_deref().unwrap_or_default();
    tokens([id, &proposed.wire_name, proposed.arguments_text()])
}

fn tokens<const N: usize>(texts: [&str; N]) -> usize {
    let bytes = texts.iter().map(|text| text.len()).fold(0, usize::saturating_add);
    bytes.div_ceil(BYTES_PER_TOKEN).saturating_add(AROUND)
}
