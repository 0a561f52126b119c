//! A reply in pieces: one JSON object per line, up to the one that says `done`.
use super::OllamaConfig;
use super::convert::{Draft, NoTurn};
use crate::http::Assembly;
use crate::lines::Lines;
use sovereign_core::backend::{BackendError, BackendIdentity, BackendTurn, DeltaSink};

/// The media type of a stream.
pub(super) const MEDIA_TYPE: &str = "application/x-ndjson";

#[derive(Debug, Default)]
pub(super) struct Stream {
    lines: Lines,
    draft: Draft,
    /// A line said that this is no reply at all.
    no: Option<NoTurn>,
}

impl Stream {
    fn take(&mut self, line: &[u8], sink: &mut dyn DeltaSink) {
        if self.is_complete() || line.trim_ascii().is_empty() {
            return;
        }
        match self.draft.take(line) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => sink.text(&text),
            Err(no) => self.no = Some(no),
        }
    }

    pub(super) fn finish(
        mut self,
        config: &OllamaConfig,
        identity: BackendIdentity,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, NoTurn> {
        // the last line need not end in a line feed
        let rest = std::mem::take(&mut self.lines).rest();
        self.take(&rest, sink);
        match self.no {
            Some(no) => Err(no),
            None => self.draft.into_turn(config, identity),
        }
    }
}

impl Assembly for Stream {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<(), BackendError> {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(bytes, |line| {
            self.take(line, sink);
            Ok(())
        })?;
        self.lines = lines;
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.no.is_some() || self.draft.is_done()
    }
}
