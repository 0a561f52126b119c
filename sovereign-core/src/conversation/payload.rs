//! What a request to a model holds, counted for the person who is asked about it.

use crate::backend::{Message, Proposed};
use crate::catalog::{CatalogEntry, CatalogSnapshot};
use crate::confirmation::Payload;
use crate::schema::Profile;

/// Exactly what these hold: whatever an adapter makes of them, it has nothing else to send.
pub(super) fn payload(system: &str, messages: &[Message], catalog: &CatalogSnapshot) -> Payload {
    let mut payload = Payload {
        system_prompt_bytes: system.len(),
        capabilities: catalog.entries().len(),
        ..Payload::default()
    };
    let described = catalog.entries().iter().map(described);
    payload.bytes = described.fold(system.len(), usize::saturating_add);
    let mut turns = 0_usize;
    for message in messages {
        let bytes = match message {
            Message::User(text) => {
                turns = turns.saturating_add(1);
                // the last one is the open request
                payload.request_bytes = text.len();
                text.len()
            }
            Message::Assistant { text, proposals } => {
                proposals.iter().map(proposed).fold(text.len(), usize::saturating_add)
            }
            Message::Outcome { outcome, .. } => {
                name(&mut payload.results, outcome.named());
                outcome.envelope().len()
            }
            Message::Recalled(record) => {
                name(&mut payload.results, record.calls().iter().cloned());
                payload.summary |= record.is_summary();
                record.envelope().len()
            }
        };
        payload.bytes = payload.bytes.saturating_add(bytes);
    }
    payload.earlier_turns = turns.saturating_sub(1);
    payload
}

/// Each once, in order.
fn name(named: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for name in more {
        if !named.contains(&name) {
            named.push(name);
        }
    }
}

/// Each wire has its own spelling of the schema: the longest.
pub(super) fn described(entry: &CatalogEntry) -> usize {
    let spelled = Profile::ALL.map(|profile| entry.arguments.text(profile).get().len());
    let schema = spelled.into_iter().max().unwrap_or_default();
    entry.wire_name.len().saturating_add(entry.description.len()).saturating_add(schema)
}

fn proposed(proposed: &Proposed) -> usize {
    let id = proposed.wire_id.as_deref().map_or(0, str::len);
    id.saturating_add(proposed.wire_name.len()).saturating_add(proposed.arguments_text().len())
}
