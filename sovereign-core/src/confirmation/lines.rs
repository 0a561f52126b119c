//! Lines of a disclosure for a terminal.

use std::fmt;

/// Where a line of a value is broken: a terminal that broke it would let the value draw lines.
const COLUMNS: usize = 76;

pub(super) fn warned(f: &mut fmt::Formatter<'_>, warnings: &[String]) -> fmt::Result {
    warnings.iter().try_for_each(|warning| folded(f, &format!("Look twice: {warning}.")))
}

pub(super) const fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// One line, or several of which every one after the first begins with a bar. A character outside
/// ASCII may be two columns wide.
pub(super) fn folded(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut left = COLUMNS;
    f.write_str("  ")?;
    for c in text.chars() {
        let width = if c.is_ascii() { 1 } else { 2 };
        left = match left.checked_sub(width) {
            Some(left) => left,
            None => {
                f.write_str("\n    | ")?;
                COLUMNS.saturating_sub(4).saturating_sub(width)
            }
        };
        fmt::Write::write_char(f, c)?;
    }
    f.write_str("\n")
}
