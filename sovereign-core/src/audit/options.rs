use std::time::Duration;

/// How a log on disk is kept.
///
/// # Example
/// ```
/// use sovereign_core::audit::LogOptions;
/// let options = LogOptions::default().file_bytes(1 << 20).refusals_a_minute(10);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct LogOptions {
    pub(super) file_bytes: u64,
    pub(super) refusals_a_minute: u64,
    pub(super) idle: Duration,
    pub(super) in_place: Duration,
}

impl Default for LogOptions {
    /// Files of 8 MiB, 60 refusals a minute, sealed within a second, syncs of a millisecond in place.
    fn default() -> Self {
        Self {
            file_bytes: 8 << 20,
            refusals_a_minute: 60,
            idle: Duration::from_secs(1),
            in_place: Duration::from_millis(1),
        }
    }
}

impl LogOptions {
    /// After so many bytes the log goes on in another file.
    pub const fn file_bytes(self, file_bytes: u64) -> Self {
        Self { file_bytes, ..self }
    }

    /// So many proposals a minute that end at or before policy are listed for each kind of caller, and
    /// so many refused logins; the rest of the minute is counted in one record.
    pub const fn refusals_a_minute(self, refusals_a_minute: u64) -> Self {
        Self { refusals_a_minute, ..self }
    }

    /// How long a record, and the head that names it, wait for the disk when nobody asks for it.
    pub const fn idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Where syncs took no longer than this of late, a caller of `durable` that is alone syncs in its own
    /// thread, in place of waking the log's; zero: never. What else runs on that thread stands still
    /// meanwhile, as it does while a record is written.
    pub const fn in_place(self, in_place: Duration) -> Self {
        Self { in_place, ..self }
    }
}
