//! What an answer costs on the air: one line, cut to a budget.

use sovereign_core::display::Visible;

/// Stands where an answer was cut.
pub(super) const MARKER: &str = " […]";

/// A text that fits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fitted {
    pub(super) text: String,
    pub(super) is_cut: bool,
}

/// Puts `head`, which is the node's own, before `prose`, which is a model's, on one line of at most
/// `budget` bytes. White space becomes single spaces, what does not show is escaped, and the cut is
/// never inside a character or an escape.
pub(super) fn fit(head: &str, prose: &str, budget: usize) -> Fitted {
    let room = budget.saturating_sub(MARKER.len());
    let mut text = String::new();
    let mut kept = 0_usize;
    for piece in pieces(head).chain(std::iter::once(" ".to_owned())).chain(pieces(prose)) {
        text.push_str(&piece);
        if text.len() <= room {
            kept = text.len();
        }
        if text.trim_end().len() > budget {
            text.truncate(kept);
            let cut = format!("{}{MARKER}", text.trim_end());
            return Fitted { text: cut, is_cut: true };
        }
    }
    Fitted { text: text.trim().to_owned(), is_cut: false }
}

/// The text, one visible form after another.
fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut words = text.split_whitespace().peekable();
    std::iter::from_fn(move || {
        let word = words.next()?;
        Some((word, if words.peek().is_some() { " " } else { "" }))
    })
    .flat_map(|(word, space)| word.chars().chain(space.chars()))
    .map(|c| Visible(c.encode_utf8(&mut [0; 4])).to_string())
}

#[cfg(test)]
#[path = "airtime_tests.rs"]
mod tests;
