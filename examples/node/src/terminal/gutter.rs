use std::io::{self, IsTerminal};

/// Stands before every line that a backend wrote, so that no words of a model can pass for a receipt
/// or a prompt: those begin at the edge.
const MARK: &str = "│ ";
/// How many columns the mark takes.
const MARK_COLUMNS: usize = 2;

/// Sets escaped prose behind the mark, and wraps it before the terminal does: what a terminal wraps by
/// itself begins at the edge.
#[derive(Debug)]
pub(crate) struct Gutter {
    /// Columns used in the line that is open; zero at its beginning.
    column: usize,
    /// Columns of the terminal; none where lines are not wrapped.
    width: Option<usize>,
}

impl Gutter {
    pub(crate) fn of_stdout() -> Self {
        let stdout = io::stdout();
        let size = rustix::termios::tcgetwinsize(&stdout).ok();
        let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        Self::of_width(stdout.is_terminal().then(|| columns.unwrap_or(80)))
    }

    fn of_width(width: Option<usize>) -> Self {
        // narrower than this nothing can be read anyway, and every character still gets its line
        Self { column: 0, width: width.map(|columns| columns.max(8)) }
    }

    /// `prose` must be escaped. The last line stays open when it has no line end.
    pub(crate) fn set(&mut self, prose: &str) -> String {
        let mut out = String::with_capacity(prose.len().saturating_add(MARK.len()));
        for c in prose.chars() {
            let columns = columns(c);
            let end = self.column.saturating_add(columns);
            if c != '\n' && self.column > 0 && self.width.is_some_and(|width| end > width) {
                out.push('\n');
                self.column = 0;
            }
            if self.column == 0 {
                out.push_str(MARK);
                self.column = MARK_COLUMNS;
            }
            match c {
                '\n' => self.column = 0,
                _ => self.column = self.column.saturating_add(columns),
            }
            // a tab's width is the terminal's own affair
            out.push(if c == '\t' { ' ' } else { c });
        }
        out
    }

    /// Ends the open line, if there is one.
    pub(crate) fn end(&mut self) -> &'static str {
        if std::mem::take(&mut self.column) > 0 { "\n" } else { "" }
    }

    /// Whether a line is open.
    pub(crate) const fn is_open(&self) -> bool {
        self.column > 0
    }
}

/// At most what a terminal may use: too many only wraps early.
const fn columns(c: char) -> usize {
    if c.is_ascii() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::Gutter;

    #[test]
    fn every_line_has_the_mark_however_it_comes() {
        let mut gutter = Gutter::of_width(None);
        let mut shown = gutter.set("one\ntw");
        shown.push_str(&gutter.set("o\n\nRece"));
        shown.push_str(&gutter.set("ipts"));
        shown.push_str(gutter.end());
        assert_eq!(shown, "│ one\n│ two\n│ \n│ Receipts\n");
        assert_eq!(gutter.end(), "");
    }

    #[test]
    fn nothing_is_left_for_the_terminal_to_wrap() {
        let hostile = format!("{}Receipts{}日本語日本語日本語", " ".repeat(20), "\t".repeat(9));
        let shown = Gutter::of_width(Some(20)).set(&hostile);
        for line in shown.lines() {
            let wide = line.chars().map(super::columns).sum::<usize>();
            // the mark's own line is one column, counted as two
            assert!(line.starts_with("│ ") && wide <= 21, "{line:?}");
        }
        assert_eq!(shown.replace("\n", "").replace("│ ", ""), hostile.replace('\t', " "));
    }
}
