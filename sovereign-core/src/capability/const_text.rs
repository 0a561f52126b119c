//! Text put together in const evaluation, for compile errors that name what is wrong.

/// A bounded text; what does not fit is cut off.
pub(super) struct ConstText {
    bytes: [u8; 256],
    len: usize,
}

impl ConstText {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; 256], len: 0 }
    }

    #[must_use]
    pub(super) const fn text(mut self, text: &str) -> Self {
        let mut rest = text.as_bytes();
        while let [byte, more @ ..] = rest {
            self = self.byte(*byte);
            rest = more;
        }
        self
    }

    #[must_use]
    pub(super) const fn number(self, number: u32) -> Self {
        let this = if number >= 10 { self.number(number / 10) } else { self };
        this.byte(b'0' | (number % 10).to_le_bytes()[0])
    }

    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "const evaluation, and the index is checked"
    )]
    const fn byte(mut self, byte: u8) -> Self {
        if self.len < self.bytes.len() {
            self.bytes[self.len] = byte;
            self.len += 1;
        }
        self
    }

    pub(super) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "a declaration of this plugin is wrong",
        }
    }
}

/// `==` on texts is not const yet.
pub(super) const fn same(a: &[u8], b: &[u8]) -> bool {
    let (mut a, mut b) = (a, b);
    loop {
        match (a, b) {
            ([], []) => return true,
            ([x, xs @ ..], [y, ys @ ..]) if *x == *y => (a, b) = (xs, ys),
            _ => return false,
        }
    }
}
