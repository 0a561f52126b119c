//! Walks a page in reading order and writes its lines.

use super::tree::{Content, Nodes};
use html5ever::{LocalName, local_name as name};

/// A step of the walk: into a node, or out of an element.
enum Step {
    Into(usize),
    OutOf(Kind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In the middle of a line.
    Inline,
    /// On lines of its own.
    Block,
    /// On lines of its own, white space kept.
    Preformatted,
    /// One cell in a row.
    Cell,
    /// A line end.
    Break,
    /// Not for reading.
    Unseen,
}

pub(super) fn text(nodes: &Nodes) -> String {
    let mut page = Lines::default();
    let mut steps = vec![Step::Into(Nodes::ROOT)];
    while let Some(step) = steps.pop() {
        let id = match step {
            Step::OutOf(kind) => {
                page.leave(kind);
                continue;
            }
            Step::Into(id) => id,
        };
        match nodes.content(id) {
            Content::Text(text) => {
                page.write(text);
                continue;
            }
            Content::Element { hidden: true, .. } => continue,
            Content::Element { name, hidden: false } => {
                let kind = kind(name);
                if kind == Kind::Unseen {
                    continue;
                }
                page.enter(kind);
                steps.push(Step::OutOf(kind));
            }
            Content::Other => {}
        }
        steps.extend(nodes.children(id).iter().rev().map(|child| Step::Into(*child)));
    }
    page.finish()
}

/// Names whose text is no part of the page, or whose text is shown as lines (HTML standard,
/// section 15.3).
fn kind(element: &LocalName) -> Kind {
    match *element {
        name!("audio")
        | name!("canvas")
        | name!("datalist")
        | name!("defs")
        | name!("desc")
        | name!("embed")
        | name!("head")
        | name!("iframe")
        | name!("metadata")
        | name!("noembed")
        | name!("noframes")
        | name!("object")
        | name!("rp")
        | name!("script")
        | name!("style")
        | name!("template")
        | name!("title")
        | name!("video") => Kind::Unseen,
        name!("br") => Kind::Break,
        name!("pre") | name!("textarea") | name!("listing") | name!("xmp") | name!("plaintext") => {
            Kind::Preformatted
        }
        name!("td") | name!("th") => Kind::Cell,
        name!("address")
        | name!("article")
        | name!("aside")
        | name!("blockquote")
        | name!("body")
        | name!("button")
        | name!("caption")
        | name!("center")
        | name!("dd")
        | name!("details")
        | name!("dialog")
        | name!("dir")
        | name!("div")
        | name!("dl")
        | name!("dt")
        | name!("fieldset")
        | name!("figcaption")
        | name!("figure")
        | name!("footer")
        | name!("form")
        | name!("h1")
        | name!("h2")
        | name!("h3")
        | name!("h4")
        | name!("h5")
        | name!("h6")
        | name!("header")
        | name!("hgroup")
        | name!("hr")
        | name!("html")
        | name!("legend")
        | name!("li")
        | name!("main")
        | name!("menu")
        | name!("nav")
        | name!("ol")
        | name!("optgroup")
        | name!("option")
        | name!("p")
        | name!("search")
        | name!("section")
        | name!("select")
        | name!("summary")
        | name!("table")
        | name!("tbody")
        | name!("tfoot")
        | name!("thead")
        | name!("tr")
        | name!("ul") => Kind::Block,
        _ => Kind::Inline,
    }
}

/// Text as it is written: one separator at most is owed between two words.
#[derive(Default)]
struct Lines {
    text: String,
    owed: Option<char>,
    preformatted: usize,
}

impl Lines {
    fn enter(&mut self, kind: Kind) {
        match kind {
            Kind::Block | Kind::Break => self.owe('\n'),
            Kind::Preformatted => {
                self.owe('\n');
                self.preformatted = self.preformatted.saturating_add(1);
            }
            Kind::Cell => self.owe('\t'),
            Kind::Inline | Kind::Unseen => {}
        }
    }

    fn leave(&mut self, kind: Kind) {
        match kind {
            Kind::Block => self.owe('\n'),
            Kind::Preformatted => {
                self.owe('\n');
                self.preformatted = self.preformatted.saturating_sub(1);
            }
            Kind::Cell => self.owe('\t'),
            Kind::Inline | Kind::Break | Kind::Unseen => {}
        }
    }

    /// The stronger of two separators stays.
    fn owe(&mut self, separator: char) {
        let strength = |c| match c {
            '\n' => 2,
            '\t' => 1,
            _ => 0,
        };
        match self.owed {
            Some(owed) if strength(owed) >= strength(separator) => {}
            _ => self.owed = Some(separator),
        }
    }

    fn pay(&mut self) {
        if let Some(separator) = self.owed.take()
            && !self.text.is_empty()
        {
            self.text.push(separator);
        }
    }

    fn write(&mut self, text: &str) {
        if self.preformatted > 0 {
            if !text.trim().is_empty() {
                self.pay();
                self.text.push_str(text.trim_end_matches('\n'));
                if text.ends_with('\n') {
                    self.owe('\n');
                }
            }
            return;
        }
        for c in text.chars() {
            // No-break spaces too: there are no lines to break.
            if c.is_whitespace() {
                self.owe(' ');
            } else {
                self.pay();
                self.text.push(c);
            }
        }
    }

    fn finish(self) -> String {
        self.text
    }
}
