//! `pattern = "^…$"`: the part of regular expressions that every engine reads alike.
//!
//! The text is parsed here, published in a normal form that names every class by its characters, and
//! compiled to a Thompson program, which is matched in linear time and needs no engine.
mod parse;
mod program;
mod ranges;
mod text;

use ranges::Ranges;

pub(super) use program::Step;

/// The longest program besides its last step: the reader keeps a set of steps in one `u128`.
const MAX_STEPS: usize = 127;

/// A checked pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// The normal form, which is published.
    pub(super) text: String,
    pub(super) steps: Vec<Step>,
}

/// What was written, as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ast {
    /// One character out of these.
    Class(Ranges),
    /// One after the other.
    Sequence(Vec<Self>),
    /// One of these.
    Choice(Vec<Self>),
    /// As often as the two bounds say; without end when there is no second.
    Repeat(Box<Self>, u32, Option<u32>),
}

impl Pattern {
    /// The pattern, or what is wrong with it.
    pub(super) fn compile(written: &str) -> Result<Self, String> {
        let ast = parse::whole(written)?;
        let steps = program::compile(&ast)?;
        Ok(Self { text: text::anchored(&ast), steps })
    }

    /// Whether all of `text` matches; for literals that the macro can judge itself.
    pub(super) fn admits(&self, text: &str) -> bool {
        program::admits(&self.steps, text)
    }
}

#[cfg(test)]
mod tests;
