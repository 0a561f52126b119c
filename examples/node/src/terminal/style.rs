use std::fmt;
use std::io::{self, IsTerminal};

/// Colours, where somebody sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style(bool);

impl Style {
    /// For standard output.
    pub(crate) fn of_stdout() -> Self {
        Self(io::stdout().is_terminal() && Self::wanted())
    }

    /// For standard error and for the controlling terminal, which is one.
    pub(crate) fn of_terminal(is_terminal: bool) -> Self {
        Self(is_terminal && Self::wanted())
    }

    /// `NO_COLOR` (<https://no-color.org>) and `TERM=dumb` turn them off.
    fn wanted() -> bool {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
    }

    pub(crate) const fn bold<T>(self, text: T) -> Styled<T> {
        Styled { code: if self.0 { Some("1") } else { None }, text }
    }

    pub(crate) const fn dim<T>(self, text: T) -> Styled<T> {
        Styled { code: if self.0 { Some("2") } else { None }, text }
    }
}

/// A text with its colour around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Styled<T> {
    code: Option<&'static str>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "\x1b[{code}m{}\x1b[0m", self.text),
            None => self.text.fmt(f),
        }
    }
}
