use jiff::Timestamp;
use std::time::Duration;

/// How much of a transcript is kept, and how long. What is over is dropped from the oldest on, and
/// the transcript says how many turns that were.
///
/// # Example
/// ```
/// use sovereign_core::history::Retention;
/// use std::time::Duration;
/// let short = Retention::default().turns(10).age(Duration::from_secs(7 * 24 * 3600));
/// assert_eq!(short.max_turns(), 10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    turns: usize,
    age: Duration,
    bytes: usize,
}

const TURNS: usize = 50;
const AGE: Duration = Duration::from_secs(90 * 24 * 3600);
const BYTES: usize = 256 << 10;
/// What one turn without its results and arguments can come to.
const LEAST_BYTES: usize = 128 << 10;
const MOST_BYTES: usize = 1 << 20;

impl Default for Retention {
    fn default() -> Self {
        Self { turns: TURNS, age: AGE, bytes: BYTES }
    }
}

impl Retention {
    /// Turns beside the summary, 1 to 50.
    #[must_use]
    pub fn turns(mut self, turns: usize) -> Self {
        self.turns = turns.clamp(1, TURNS);
        self
    }

    /// Since a turn began, at most; the default is 90 days. A summary goes when its last turn would.
    #[must_use]
    pub const fn age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// Bytes of the file, 128 KiB to 1 MiB; the default is 256 KiB.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes.clamp(LEAST_BYTES, MOST_BYTES);
        self
    }

    /// Turns beside the summary.
    #[must_use]
    pub const fn max_turns(self) -> usize {
        self.turns
    }

    /// The longest that anything is kept.
    #[must_use]
    pub const fn max_age(self) -> Duration {
        self.age
    }

    /// Whether what is from `at` is over the limit of age.
    pub(super) fn is_over(self, at: Timestamp, now: Timestamp) -> bool {
        let age = i64::try_from(self.age.as_secs()).unwrap_or(i64::MAX);
        at.as_second() < now.as_second().saturating_sub(age)
    }

    /// Bytes of the file.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        self.bytes
    }
}
