//! Sets of characters.

/// The last code point.
const LAST: u32 = char::MAX as u32;

/// Inclusive ranges of code points: sorted, apart from each other, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    pub(super) fn one(c: char) -> Self {
        Self(vec![(c.into(), c.into())])
    }

    /// `\d`
    pub(super) fn digits() -> Self {
        Self(vec![('0'.into(), '9'.into())])
    }

    /// `\w`
    pub(super) fn word() -> Self {
        let pairs = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
        Self(pairs.map(|(a, b)| (a.into(), b.into())).into())
    }

    /// The union of all; nothing when that is empty.
    pub(super) fn all(parts: impl IntoIterator<Item = (u32, u32)>) -> Option<Self> {
        let mut parts: Vec<_> = parts.into_iter().collect();
        parts.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::new();
        for (low, high) in parts {
            match out.last_mut() {
                Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
                _ => out.push((low, high)),
            }
        }
        (!out.is_empty()).then_some(Self(out))
    }

    /// Everything else; nothing when there is nothing else.
    pub(super) fn others(&self) -> Option<Self> {
        let mut out = Vec::new();
        let mut next = 0;
        for (low, high) in &self.0 {
            if *low > next {
                out.push((next, low.saturating_sub(1)));
            }
            next = high.saturating_add(1);
        }
        if next <= LAST {
            out.push((next, LAST));
        }
        (!out.is_empty()).then_some(Self(out))
    }

    pub(in super::super) fn pairs(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(super) fn has(&self, c: char) -> bool {
        let c = u32::from(c);
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&c))
    }

    /// The only character, if there is one only.
    pub(super) fn single(&self) -> Option<char> {
        match self.0.as_slice() {
            [(low, high)] if low == high => char::from_u32(*low),
            _ => None,
        }
    }

    /// Whether it was most likely written as `[^…]`.
    pub(super) fn is_open(&self) -> bool {
        self.0.last().is_some_and(|(_, high)| *high == LAST)
    }
}
