//! The event-stream format, decoded from bytes as they come.
//!
//! **Source** WHATWG HTML, section 9.2.6 "Interpreting an event stream". There is no reconnecting: a
//! question that is asked again would be billed again.
use crate::lines::{MAX_LINE_BYTES, too_long};
use sovereign_core::backend::BackendError;

/// One decoder for one stream. Bytes may be cut anywhere, also inside a character or a line end.
#[derive(Debug, Default)]
pub(crate) struct Sse {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed right after it belongs to the same line end.
    after_return: bool,
    begun: bool,
    event: String,
    data: Vec<u8>,
    has_data: bool,
}

/// A whole event: its name (empty when it has none) and its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SseEvent<'a> {
    pub(crate) name: &'a str,
    pub(crate) data: &'a [u8],
}

impl Sse {
    /// Hands each event that is complete now to `take`, which may fail. An event that the stream ends
    /// in is never handed out.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(SseEvent<'_>) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return)
                && let Some(after) = rest.strip_prefix(b"\n")
            {
                rest = after;
                continue;
            }
            let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
            let (content, tail) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len().saturating_add(content.len()) > MAX_LINE_BYTES {
                return Err(too_long());
            }
            self.line.extend_from_slice(content);
            let Some((line_end, tail)) = tail.split_first() else { break };
            self.after_return = *line_end == b'\r';
            self.end_line(&mut take)?;
            rest = tail;
        }
        Ok(())
    }

    fn end_line(
        &mut self,
        take: &mut impl FnMut(SseEvent<'_>) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        let line = std::mem::take(&mut self.line);
        let first = !std::mem::replace(&mut self.begun, true);
        let line = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if first => rest,
            _ => &line,
        };
        if line.is_empty() {
            let (event, data) = (std::mem::take(&mut self.event), std::mem::take(&mut self.data));
            return if std::mem::take(&mut self.has_data) {
                take(SseEvent { name: &event, data: &data })
            } else {
                Ok(())
            };
        }
        let (field, value) = match line.iter().position(|b| *b == b':') {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.strip_prefix(b":").unwrap_or(value);
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, b"".as_slice()),
        };
        match field {
            b"data" => {
                if self.data.len().saturating_add(value.len()) >= MAX_LINE_BYTES {
                    return Err(too_long());
                }
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.event = String::from_utf8_lossy(value).into_owned(),
            // a comment (no field name), `id`, `retry`, and whatever else there may be
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
