//! How the servers of a conversation count tokens, against the estimate: learnt from what they report.

use super::ContextBudget;
use crate::backend::{BackendError, BackendIdentity, BackendTurn, FailureClass};

/// One token stands for three bytes in the estimate: for four of them at most, and for one at least,
/// whatever a server says.
const LEAST: usize = 750;
const MOST: usize = 3_000;
const AS_ESTIMATED: usize = 1_000;

/// A thousand estimated tokens are so many of the server's.
#[derive(Debug, Clone, Copy)]
struct Count(usize);

impl Default for Count {
    fn default() -> Self {
        Self(AS_ESTIMATED)
    }
}

impl Count {
    /// Up at once, since too much is refused or cut; down by half of the way, since a server may leave
    /// out what it had read before.
    fn learn(self, estimated: usize, counted: u64) -> Self {
        let counted = usize::try_from(counted).unwrap_or(usize::MAX);
        let seen = counted.saturating_mul(AS_ESTIMATED).checked_div(estimated);
        let (Some(seen), true) = (seen, counted > 0) else { return self };
        let seen = seen.clamp(LEAST, MOST);
        Self(if seen > self.0 { seen } else { self.0.midpoint(seen) })
    }

    /// It was more than the server takes, by its own count.
    fn too_long(self) -> Self {
        Self(self.0.saturating_add(self.0 / 4).min(MOST))
    }

    /// Nothing fits any more by this count: half of the way back, so that one false report does not
    /// shut a leg out for good.
    fn relax(self) -> Self {
        Self(self.0.min(self.0.midpoint(AS_ESTIMATED)))
    }

    /// As many estimated tokens as come to `tokens` of the server's.
    fn estimated(self, tokens: usize) -> usize {
        tokens.saturating_mul(AS_ESTIMATED).checked_div(self.0).unwrap_or(tokens)
    }
}

/// One for each backend that has been asked.
#[derive(Debug, Default)]
pub(super) struct Counts(Vec<(BackendIdentity, Count)>);

impl Counts {
    /// What the budget comes to in estimated tokens.
    pub(super) fn scaled(&self, leg: &BackendIdentity, budget: ContextBudget) -> ContextBudget {
        let known = self.0.iter().find(|(known, _)| known == leg);
        let count = known.map(|(_, count)| *count).unwrap_or_default();
        ContextBudget::of(count.estimated(budget.tokens()), 0)
    }

    /// A request did not fit what this leg's count leaves.
    pub(super) fn relax(&mut self, leg: &BackendIdentity) {
        for (_, count) in self.0.iter_mut().filter(|(known, _)| known == leg) {
            *count = count.relax();
        }
    }

    /// What a request that was estimated so came to.
    pub(super) fn learn(
        &mut self,
        leg: &BackendIdentity,
        estimated: usize,
        reply: &Result<BackendTurn, BackendError>,
    ) {
        let known = self.0.iter_mut().find(|(known, _)| known == leg);
        let mut count = known.as_ref().map(|(_, count)| *count).unwrap_or_default();
        match reply {
            Ok(reply) => count = count.learn(estimated, reply.usage.input),
            Err(error) if error.class() == FailureClass::TooLong => count = count.too_long(),
            Err(_) => return,
        }
        match known {
            Some((_, known)) => *known = count,
            None => self.0.push((leg.clone(), count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, LEAST, MOST};

    #[test]
    fn a_count_goes_up_at_once_and_down_by_half_and_never_past_its_bounds() {
        let count = Count::default();
        assert_eq!(count.learn(1_000, 1_500).0, 1_500);
        assert_eq!(count.learn(1_000, 1_500).learn(1_000, 1_000).0, 1_250);
        assert_eq!(count.learn(1_000, 0).0, 1_000, "nothing was counted");
        assert_eq!(count.learn(0, 5).0, 1_000);
        assert_eq!(count.learn(10, u64::MAX).0, MOST);
        let low = (0..20).fold(count, |count, _| count.learn(1_000_000, 1));
        assert_eq!(low.0, LEAST);
        let high = (0..20).fold(count, |count, _| count.too_long());
        assert_eq!(high.0, MOST);
        assert_eq!((high.relax().0, low.relax().0), (2_000, LEAST));
    }

    #[test]
    fn a_budget_is_divided_by_the_count() {
        assert_eq!(Count::default().estimated(7_168), 7_168);
        assert_eq!(Count(2_000).estimated(7_168), 3_584);
        assert_eq!(Count(MOST).estimated(7_168), 2_389);
        assert_eq!(Count(LEAST).estimated(7_168), 9_557);
    }
}
