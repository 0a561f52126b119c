use std::time::Duration;

/// What one turn may use (C-3). May be lowered; the defaults are the hard maxima.
///
/// # Example
/// ```
/// use sovereign_core::conversation::TurnLimits;
/// let short = TurnLimits::default().rounds(2).proposals(100);
/// assert_eq!((short.max_rounds(), short.max_proposals()), (2, 12));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    rounds: u16,
    proposals: u16,
    time: Duration,
}

const ROUNDS: u16 = 8;
const PROPOSALS: u16 = 12;
const TIME: Duration = Duration::from_secs(150);

impl Default for TurnLimits {
    fn default() -> Self {
        Self { rounds: ROUNDS, proposals: PROPOSALS, time: TIME }
    }
}

impl TurnLimits {
    /// Replies of a model in which proposals are taken, 1 to 8; a closing round comes on top.
    #[must_use]
    pub fn rounds(mut self, rounds: u16) -> Self {
        self.rounds = rounds.clamp(1, ROUNDS);
        self
    }

    /// Proposals in all, 0 to 12, counted before they are parsed.
    #[must_use]
    pub fn proposals(mut self, proposals: u16) -> Self {
        self.proposals = proposals.min(PROPOSALS);
        self
    }

    /// Time in all, up to 150 s; it stands still while a person decides.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time.min(TIME);
        self
    }

    /// Rounds in which proposals are taken.
    #[must_use]
    pub const fn max_rounds(self) -> u16 {
        self.rounds
    }

    /// Proposals in all.
    #[must_use]
    pub const fn max_proposals(self) -> u16 {
        self.proposals
    }

    /// Time in all, without what a person takes.
    #[must_use]
    pub const fn max_time(self) -> Duration {
        self.time
    }
}
