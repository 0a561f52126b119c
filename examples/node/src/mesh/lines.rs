use super::config::MAX_LINE;
use std::io;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// Longer than what is read. Nothing of it is looked at: its tail is no message either.
    TooLong,
}

/// Reads lines of bounded length, whoever writes them.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn of(source: R) -> Self {
        Self { source: BufReader::new(source), line: Vec::new(), is_too_long: false }
    }

    /// The next line; a half one at the end of input is none. Safe to cancel.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.source.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let (piece, used) = match end.and_then(|end| available.split_at_checked(end)) {
                Some((piece, _)) => (piece, piece.len().saturating_add(1)),
                None => (available, available.len()),
            };
            if self.line.len().saturating_add(piece.len()) > MAX_LINE {
                (self.line, self.is_too_long) = (Vec::new(), true);
            } else if !self.is_too_long {
                self.line.extend_from_slice(piece);
            }
            self.source.consume(used);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                let is_too_long = std::mem::take(&mut self.is_too_long);
                return Ok(Some(if is_too_long { Line::TooLong } else { Line::Whole(line) }));
            }
        }
    }
}
