use super::chain::MAX_LINE;
use super::storage::LogFile;
use std::io;

const BLOCK: usize = 1 << 16;

/// The lines of one file, in order.
pub(super) struct Lines {
    file: Box<dyn LogFile>,
    /// Where the line that comes next starts.
    pub(super) offset: u64,
    buffer: Vec<u8>,
    used: usize,
}

/// What stands where the next line should.
pub(super) enum Line<'a> {
    /// A line, without its newline.
    Whole(&'a [u8]),
    /// Bytes up to the end of the file.
    Unfinished,
    /// More bytes than a line has.
    Endless,
    /// Nothing.
    Nothing,
}

impl Lines {
    pub(super) const fn new(file: Box<dyn LogFile>, offset: u64) -> Self {
        Self { file, offset, buffer: Vec::new(), used: 0 }
    }

    /// The next line; the same again until [`Lines::pass`].
    pub(super) fn peek(&mut self) -> io::Result<Line<'_>> {
        let len = loop {
            let rest = self.buffer.get(self.used..).unwrap_or_default();
            if let Some(len) = rest.iter().position(|&b| b == b'\n') {
                break len;
            }
            if rest.len() >= MAX_LINE {
                return Ok(Line::Endless);
            }
            if !self.fill()? {
                let empty = self.buffer.len() == self.used;
                return Ok(if empty { Line::Nothing } else { Line::Unfinished });
            }
        };
        if len >= MAX_LINE {
            return Ok(Line::Endless);
        }
        let line = self.buffer.get(self.used..self.used.saturating_add(len));
        Ok(Line::Whole(line.unwrap_or_default()))
    }

    /// Goes behind a line of `len` bytes, its newline counted.
    pub(super) fn pass(&mut self, len: usize) {
        self.used = self.used.saturating_add(len).min(self.buffer.len());
        self.offset = self.offset.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
    }

    /// Reads on; says whether there was more.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.used);
        self.used = 0;
        let held = self.buffer.len();
        let at = self.offset.saturating_add(u64::try_from(held).unwrap_or(u64::MAX));
        self.buffer.resize(held.saturating_add(BLOCK), 0);
        let read = match self.buffer.get_mut(held..) {
            Some(rest) => self.file.read_at(rest, at),
            None => Ok(0),
        };
        let more = read.as_ref().map_or(0, |read| *read);
        self.buffer.truncate(held.saturating_add(more));
        read.map(|read| read > 0)
    }
}
