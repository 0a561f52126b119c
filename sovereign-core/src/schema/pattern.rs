//! Patterns: compiled by the derive, matched in linear time.
//!
//! A program of at most 128 steps is run on the set of its live steps, one bit each, so that no
//! text makes matching slow: no backtracking, no allocation.

/// A compiled pattern. It matches whole strings only.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// What is published: anchored, without shorthand classes, so that every engine reads the same.
    pub text: &'static str,
    /// Steps that are tried from the first; at most 128.
    pub program: &'static [Step],
}

/// One step of a [`Pattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the whole instruction set")]
pub enum Step {
    /// One code point within one of the inclusive ranges; then the next step.
    Class(&'static [(u32, u32)]),
    /// Goes on at both.
    Split(u8, u8),
    /// Goes on there.
    Jump(u8),
    /// The string may end here.
    Match,
}

const MAX_STEPS: usize = 128;

impl Pattern {
    /// Whether `text` as a whole is matched.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        let mut live = self.reach(0, 0);
        for c in text.chars() {
            let mut next = 0u128;
            for at in bits(live) {
                if let Some(Step::Class(ranges)) = self.program.get(at)
                    && ranges.iter().any(|(low, high)| (*low..=*high).contains(&u32::from(c)))
                {
                    next = self.reach(next, at.saturating_add(1));
                }
            }
            if next == 0 {
                return false;
            }
            live = next;
        }
        bits(live).any(|at| self.program.get(at) == Some(&Step::Match))
    }

    /// `live` with `at`, and all that it leads to without reading. No step is entered twice.
    fn reach(&self, live: u128, at: usize) -> u128 {
        let Some(bit) = u32::try_from(at).ok().and_then(|at| 1u128.checked_shl(at)) else {
            return live;
        };
        if live & bit != 0 {
            return live;
        }
        let live = live | bit;
        match self.program.get(at) {
            Some(Step::Split(a, b)) => {
                self.reach(self.reach(live, usize::from(*a)), usize::from(*b))
            }
            Some(Step::Jump(to)) => self.reach(live, usize::from(*to)),
            Some(Step::Class(_) | Step::Match) | None => live,
        }
    }

    /// Itself, when it is a program.
    ///
    /// # Panics
    /// When it is too long or leads out of itself: in a constant, which is then a compile error.
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "const evaluation"
    )]
    #[track_caller]
    pub(crate) const fn checked(&'static self) -> &'static Self {
        let steps = self.program;
        assert!(
            !steps.is_empty() && steps.len() <= MAX_STEPS,
            "a pattern has at least one step and at most 128"
        );
        let mut i = 0;
        while i < steps.len() {
            let furthest = match steps[i] {
                Step::Class(_) => i + 1,
                Step::Split(a, b) => (if a > b { a } else { b }) as usize,
                Step::Jump(to) => to as usize,
                Step::Match => 0,
            };
            assert!(furthest < steps.len(), "a pattern's step leads out of the pattern");
            i += 1;
        }
        self
    }
}

/// The positions of the bits that are set, from the lowest.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        // all zero: there is no bit 128
        set &= !1u128.checked_shl(lowest)?;
        usize::try_from(lowest).ok()
    })
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
