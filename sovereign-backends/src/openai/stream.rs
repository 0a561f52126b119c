//! A reply in pieces: `data: {…}` frames up to `data: [DONE]`.
use super::convert::unreadable;
use super::draft::{Draft, TooMany};
use super::wire::Chunk;
use super::{OpenAiConfig, Quirks};
use crate::failure::Said;
use crate::http::{Assembly, unfinished};
use crate::sse::Sse;
use sovereign_core::backend::{
    BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass,
};

/// The media type of a stream.
pub(crate) const MEDIA_TYPE: &str = "text/event-stream";

#[derive(Debug, Default)]
pub(crate) struct Stream {
    sse: Sse,
    draft: Draft,
    done: bool,
    counts: Vec<u8>,
}

impl Assembly for Stream {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<(), BackendError> {
        let Self { sse, draft, done, counts } = self;
        sse.feed(bytes, |event| {
            if *done {
                return Ok(());
            }
            if event.data.trim_ascii() == b"[DONE]" {
                *done = true;
                return Ok(());
            }
            take(draft, event.data, counts, sink)
        })
    }

    fn is_complete(&self) -> bool {
        self.done
    }
}

impl Stream {
    /// The last frame that counted tokens, as it came: some servers say in it what they charged.
    pub(crate) fn counts(&self) -> &[u8] {
        &self.counts
    }

    pub(crate) fn finish(
        self,
        config: &OpenAiConfig,
        identity: BackendIdentity,
    ) -> Result<BackendTurn, BackendError> {
        let Quirks { ends_with_done, .. } = config.quirks;
        if self.done || (!ends_with_done && self.draft.has_ended()) {
            Ok(self.draft.into_turn(config.max_tokens, identity))
        } else {
            Err(unfinished())
        }
    }
}

/// One frame. A reason to stop does not end the stream: prose and counts may follow it.
fn take(
    draft: &mut Draft,
    data: &[u8],
    counts: &mut Vec<u8>,
    sink: &mut dyn DeltaSink,
) -> Result<(), BackendError> {
    let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(unreadable)?;
    if let Some(error) = &chunk.error {
        return Err(Said::of(error).failure(None));
    }
    draft.count(chunk.usage.as_ref());
    if chunk.usage.is_some() {
        counts.clear();
        counts.extend_from_slice(data);
    }
    for choice in chunk.choices {
        draft.end(choice.finish_reason);
        let Some(delta) = choice.message else { continue };
        let shown = draft.text(&delta.content, &delta.refusal);
        if !shown.is_empty() {
            sink.text(&shown);
        }
        for call in delta.tool_calls {
            draft.piece(call).map_err(|TooMany| {
                BackendError::new(FailureClass::Protocol, "it asks for too many calls at once")
            })?;
        }
    }
    Ok(())
}
