//! Lines of a stream that arrives in pieces.
use sovereign_core::backend::{BackendError, FailureClass};

/// A line, or an event of several, that is longer than [`MAX_LINE_BYTES`].
pub(crate) fn too_long() -> BackendError {
    let reason = format!("one line of its reply is longer than {MAX_LINE_BYTES} bytes");
    BackendError::new(FailureClass::Protocol, reason)
}

/// The longest line that is put together.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 20;

/// Splits bytes at line feeds, wherever the pieces were cut; a carriage return before one goes too.
/// That is all that NDJSON asks for.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    open: Vec<u8>,
}

impl Lines {
    /// Hands each line that is complete now to `take`, which may fail.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let (content, ended) = match piece.split_last() {
                Some((b'\n', content)) => (content, true),
                _ => (piece, false),
            };
            if self.open.len().saturating_add(content.len()) > MAX_LINE_BYTES {
                return Err(too_long());
            }
            self.open.extend_from_slice(content);
            if ended {
                let line = std::mem::take(&mut self.open);
                take(line.strip_suffix(b"\r").unwrap_or(&line))?;
            }
        }
        Ok(())
    }

    /// What stands behind the last line feed.
    pub(crate) fn rest(self) -> Vec<u8> {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, MAX_LINE_BYTES};

    fn split(pieces: &[&[u8]]) -> (Vec<String>, String) {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for piece in pieces {
            let taken = lines.feed(piece, |line| {
                found.push(String::from_utf8(line.to_vec()).unwrap());
                Ok(())
            });
            taken.unwrap();
        }
        (found, String::from_utf8(lines.rest()).unwrap())
    }

    #[test]
    fn lines_are_the_same_wherever_the_pieces_are_cut() {
        let text = "{\"a\":\"\u{e4}\"}\n\r\n\n{}\r\nlast".as_bytes();
        let whole = split(&[text]);
        assert_eq!(whole.0, ["{\"a\":\"\u{e4}\"}", "", "", "{}"]);
        assert_eq!(whole.1, "last");
        for at in 0..=text.len() {
            let (before, after) = text.split_at(at);
            assert_eq!(split(&[before, after]), whole, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(split(&bytes), whole);
    }

    #[test]
    fn an_endless_line_is_given_up() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 64 << 10];
        let mut fed = 0;
        while lines.feed(&piece, |_| Ok(())).is_ok() {
            fed += piece.len();
            assert!(fed <= MAX_LINE_BYTES);
        }
        assert_eq!(fed, MAX_LINE_BYTES);
    }
}
