use super::backward::Backward;
use super::error::LogError;
use super::stats::Counts;
use super::storage::Disk;
use super::stored::{StoredEntry, StoredEvent, time};
use super::{OutcomeKind, Point, Stage};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How many records one look takes in, at most.
const MOST: usize = 500_000;

/// How far the wall clock may have been set back, for which nothing is missed.
const SET_BACK: Duration = Duration::from_secs(3600);

/// How many proposals ended where and how, over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Activity {
    /// How long each bucket is.
    pub bucket_seconds: u64,
    /// Oldest first, without a gap.
    pub buckets: Vec<Bucket>,
    /// Whether everything since the first bucket's start is counted; not, when there was too much of it.
    pub complete: bool,
}

/// What ended within one span of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bucket {
    /// Its first moment: RFC 3339, UTC, milliseconds.
    pub start: String,
    /// Ends by point (`parse`, `budget`, or a stage) and outcome.
    pub ends: BTreeMap<String, Counts>,
}

/// Counts what the log in `directory` says of the `buckets` spans of `length` (at least a second) from
/// `from` on, for a picture. What was counted and not listed is counted here as well.
///
/// Reads from the end up to `from`, so that it takes no longer in a long log than in a short one. A wall
/// clock that was set back by up to an hour makes it miss nothing.
///
/// # Errors
/// As for [`recent`](super::recent).
pub fn activity(
    directory: &Path,
    from: SystemTime,
    length: Duration,
    buckets: usize,
) -> Result<Activity, LogError> {
    let length = length.as_secs().max(1);
    let first = Timestamp::try_from(from).unwrap_or(Timestamp::MIN);
    let start = |i: u64| from.checked_add(Duration::from_secs(length.saturating_mul(i)));
    let bucket = |i: usize| Bucket {
        start: start(u64::try_from(i).unwrap_or(u64::MAX)).map(time).unwrap_or_default(),
        ends: BTreeMap::new(),
    };
    let mut activity = Activity {
        bucket_seconds: length,
        buckets: (0..buckets).map(bucket).collect(),
        complete: true,
    };
    let oldest = from.checked_sub(SET_BACK).map(time).unwrap_or_default();
    let Some(mut log) = Backward::open(Arc::new(Disk::reading(directory)?))? else {
        return Ok(activity);
    };
    let mut looked = 0_usize;
    while let Some(record) = log.next()? {
        if record.at < oldest {
            break;
        }
        if looked >= MOST {
            activity.complete = false;
            break;
        }
        looked = looked.saturating_add(1);
        let bucket = record.at.parse::<Timestamp>().ok().and_then(|at| {
            let since = u64::try_from(at.duration_since(first).as_millis()).ok()?;
            usize::try_from(since.checked_div(length.saturating_mul(1000))?).ok()
        });
        let Some(bucket) = bucket.and_then(|i| activity.buckets.get_mut(i)) else { continue };
        match record.entry {
            StoredEntry::Call(call) => {
                if let Some(outcome) = &call.outcome {
                    bucket.add(&call.point, outcome, 1);
                }
            }
            StoredEntry::Administrative(event) => bucket.unlisted(&event),
        }
    }
    Ok(activity)
}

impl Bucket {
    fn add(&mut self, point: &str, outcome: &str, many: u64) {
        if many > 0 {
            let outcomes = self.ends.entry(point.to_owned()).or_default();
            let count = outcomes.entry(outcome.to_owned()).or_default();
            *count = count.saturating_add(many);
        }
    }

    /// The proposals that only a count stands for.
    fn unlisted(&mut self, event: &StoredEvent) {
        if event.event != "refusals_summarised" {
            return;
        }
        let refused = OutcomeKind::Refused.word();
        let places = [
            (Point::Parse.word(), OutcomeKind::ParseFailed.word(), "parse_failed"),
            (Point::Budget.word(), OutcomeKind::BudgetExhausted.word(), "budget_exhausted"),
            (Point::Budget.word(), OutcomeKind::NotAttempted.word(), "not_attempted"),
            (Stage::Resolve.word(), refused, "resolve"),
            (Stage::Validate.word(), refused, "validate"),
            (Stage::Policy.word(), refused, "policy"),
        ];
        for (point, outcome, figure) in places {
            let many = event.details.get(figure).and_then(Value::as_u64).unwrap_or_default();
            self.add(point, outcome, many);
        }
    }
}
