//! Call ids on a provider's wire.
use sovereign_core::backend::{CallId, Message};
use std::collections::HashMap;

/// One id for each call of a history, made anew for each request.
///
/// Providers' own ids come twice, come empty, and break other providers' rules: one takes exactly nine
/// letters and digits. These are legal everywhere and differ within a request; the order of calls
/// makes them, so that an unchanged history is written in the same bytes.
#[derive(Debug)]
pub(crate) struct WireIds(HashMap<CallId, usize>);

impl WireIds {
    pub(crate) fn of(messages: &[Message]) -> Self {
        let calls = messages.iter().flat_map(|message| match message {
            Message::Assistant { proposals, .. } => proposals.as_slice(),
            _ => &[],
        });
        Self(calls.enumerate().map(|(position, p)| (p.call, position)).collect())
    }

    /// `c` and eight digits. A call that is not in the history has one that no other has.
    pub(crate) fn get(&self, call: CallId) -> String {
        let position = self.0.get(&call).copied().unwrap_or(self.0.len());
        format!("c{position:08}")
    }
}
