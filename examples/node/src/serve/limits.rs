use std::time::Duration;

/// What a connection may take of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "five figures")]
pub struct Limits {
    /// How long the head of a request may take, and how long a connection may be idle between two.
    pub head_time: Duration,
    /// How long the body of a request may take.
    pub body_time: Duration,
    /// How long the other side may take nothing of what is written to it.
    pub stalled: Duration,
    /// How many connections are served at once. For one more, one without a session is closed, the one
    /// that was silent longest; where all have one, it waits.
    pub connections: usize,
    /// How many may read the audit log at once: each reads all of it.
    pub readers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_time: Duration::from_secs(15),
            body_time: Duration::from_secs(10),
            stalled: Duration::from_secs(30),
            connections: 1024,
            readers: 2,
        }
    }
}
