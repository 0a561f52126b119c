//! What a person sees and types.
//!
//! Owns the controlling terminal, the prompt for a decision, colours and the progress line. Text that
//! a model, a server or a page wrote comes through here escaped and never otherwise.
mod agreement;
mod answer;
mod gutter;
mod output;
mod progress;
mod prompt;
mod style;
mod tty;

pub(crate) use agreement::{Asked, agrees};
pub(crate) use answer::{answered_by, named, receipts, sources};
pub(crate) use gutter::Gutter;
pub(crate) use output::{Output, json, note, print};
pub(crate) use progress::Progress;
pub(crate) use prompt::Asking;
pub(crate) use style::Style;
pub(crate) use tty::Tty;
