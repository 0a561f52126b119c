//! From HTML to the text that a reader would see.
//!
//! The parser is the standard's own algorithm ([`html5ever`]), so that what closes what is not
//! guessed. Style sheets are not read: an element is hidden by its name, its `hidden` attribute or
//! its own `style`.

mod render;
#[cfg(test)]
mod tests;
mod tree;

use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use tree::Tree;

/// Characters that are parsed between two looks at the limits.
const STEP_BYTES: usize = 1024;
/// A page that nests deeper is read up to there: the parser's work grows with the depth.
const MAX_DEPTH: usize = 512;
/// Unclosed formatting elements are repeated in each paragraph, so that a page can grow in parsing.
const MAX_NODES: usize = 100_000;

/// What was found in a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Extract {
    /// The first `title`, on one line.
    pub(crate) title: Option<String>,
    /// Lines of text, without markup.
    pub(crate) text: String,
    /// Whether the page went on beyond the limits.
    pub(crate) cut: bool,
}

/// Reads a page.
pub(crate) fn extract(html: &str) -> Extract {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let mut parser = parse_document(Tree::default(), options);
    let mut rest = html;
    let mut cut = false;
    while !rest.is_empty() && !cut {
        let (step, after) = rest.split_at(rest.floor_char_boundary(STEP_BYTES));
        parser.process(StrTendril::from_slice(step));
        rest = after;
        let tree = &parser.tokenizer.sink.sink;
        cut = !rest.is_empty() && (tree.depth() > MAX_DEPTH || tree.len() > MAX_NODES);
    }
    let nodes = parser.finish();
    Extract { title: nodes.title(), text: render::text(&nodes), cut }
}
