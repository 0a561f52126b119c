use super::Style;
use std::io::{self, IsTerminal, Write as _};

/// One line on standard error while somebody waits; nothing when nobody looks.
#[derive(Debug)]
pub(crate) struct Progress {
    enabled: bool,
    shown: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { enabled: io::stderr().is_terminal() && !dumb, shown: false }
    }

    /// `text` must be free of what others wrote, or escaped.
    pub(crate) fn show(&mut self, text: &str) {
        if self.enabled {
            self.clear();
            let text = Style::of_terminal(true).dim(text);
            self.put(&format!("{text}"));
            self.shown = true;
        }
    }

    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            self.put("\r\x1b[K");
        }
    }

    fn put(&self, text: &str) {
        // whoever closed standard error misses nothing
        drop(io::stderr().lock().write_all(text.as_bytes()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
