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
use std::time::SystemTime;

/// The event that counts what was not listed.
const SUMMARY: &str = "refusals_summarised";

/// How many records one look takes in, at most.
const MOST: usize = 500_000;

/// How long the spans of a whole log are, in seconds: from a minute to 52 weeks, each a multiple of the
/// one before.
const WIDTHS: [i64; 9] = [60, 300, 900, 3_600, 14_400, 86_400, 604_800, 2_419_200, 31_449_600];

/// How many proposals ended where and how, over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Activity {
    /// How long each bucket is.
    pub bucket_seconds: u64,
    /// Oldest first.
    pub buckets: Vec<Bucket>,
    /// Whether all of the log is counted; not, when there was too much of it.
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

/// Counts what the log in `directory` holds, for a picture, in at most `buckets` spans where no wall clock
/// jumped over decades: as short ones as can hold it, from a minute to 52 weeks. Spans in which nothing
/// ended are left out. What was counted and not listed is counted here as well.
///
/// Reads from the end, and at most half a million records.
///
/// # Errors
/// As for [`recent`](super::recent).
pub fn activity(directory: &Path, buckets: usize) -> Result<Activity, LogError> {
    let mut picture = Picture { most: buckets.max(1), wide: 0, buckets: BTreeMap::new() };
    let mut complete = true;
    let mut looked = 0_usize;
    if let Some(mut log) = Backward::open(Arc::new(Disk::reading(directory)?))? {
        while let Some(record) = log.next()? {
            if looked >= MOST {
                complete = false;
                break;
            }
            looked = looked.saturating_add(1);
            if let Ok(at) = record.at.parse::<Timestamp>() {
                picture.count(at.as_second(), record.entry);
            }
        }
    }
    let bucket_seconds = u64::try_from(picture.width()).unwrap_or(60);
    Ok(Activity { bucket_seconds, buckets: picture.buckets.into_values().collect(), complete })
}

/// Counts in as few spans as may be: they are made wider while more of the log is read.
struct Picture {
    most: usize,
    /// Which of the widths.
    wide: usize,
    buckets: BTreeMap<i64, Bucket>,
}

impl Picture {
    fn width(&self) -> i64 {
        WIDTHS.get(self.wide).or(WIDTHS.last()).copied().unwrap_or(60)
    }

    fn bucket(&mut self, at: i64) -> &mut Bucket {
        let from = at.saturating_sub(at.checked_rem_euclid(self.width()).unwrap_or(0));
        self.buckets.entry(from).or_insert_with(|| Bucket {
            start: Timestamp::from_second(from).map(SystemTime::from).map(time).unwrap_or_default(),
            ends: BTreeMap::new(),
        })
    }

    fn count(&mut self, at: i64, entry: StoredEntry) {
        if !Bucket::counts(&entry) {
            return;
        }
        self.bucket(at).record(entry);
        while self.is_too_long() && self.wide.saturating_add(1) < WIDTHS.len() {
            self.wide = self.wide.saturating_add(1);
            for (from, narrow) in std::mem::take(&mut self.buckets) {
                let wider = self.bucket(from);
                for (point, outcomes) in narrow.ends {
                    for (outcome, many) in outcomes {
                        wider.add(&point, &outcome, many);
                    }
                }
            }
        }
    }

    fn is_too_long(&self) -> bool {
        let ends = self.buckets.first_key_value().zip(self.buckets.last_key_value());
        let span = ends.map_or(0, |((first, _), (last, _))| last.saturating_sub(*first));
        let spans = span.checked_div(self.width()).and_then(|spans| usize::try_from(spans).ok());
        spans.is_some_and(|spans| spans >= self.most)
    }
}

impl Bucket {
    /// Whether a record says that something ended.
    fn counts(entry: &StoredEntry) -> bool {
        match entry {
            StoredEntry::Call(call) => call.outcome.is_some(),
            StoredEntry::Administrative(event) => event.event == SUMMARY,
        }
    }

    fn record(&mut self, entry: StoredEntry) {
        match entry {
            StoredEntry::Call(call) => {
                if let Some(outcome) = &call.outcome {
                    self.add(&call.point, outcome, 1);
                }
            }
            StoredEntry::Administrative(event) => self.unlisted(&event),
        }
    }

    fn add(&mut self, point: &str, outcome: &str, many: u64) {
        if many > 0 {
            let outcomes = self.ends.entry(point.to_owned()).or_default();
            let count = outcomes.entry(outcome.to_owned()).or_default();
            *count = count.saturating_add(many);
        }
    }

    /// The proposals that only a count stands for.
    fn unlisted(&mut self, event: &StoredEvent) {
        if event.event != SUMMARY {
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
