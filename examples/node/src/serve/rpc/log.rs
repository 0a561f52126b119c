//! The audit log, read while it grows.

use super::{Answer, Call, RpcError, plain};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sovereign_core::audit::{
    self, LogError, LogReader, OutcomeKind, RecordFilter, RecordKind, StoredEntry, Word, recent,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How many records are given when nobody says how many, and at most.
const RECORDS: (usize, usize) = (50, 500);
/// How many buckets a picture over time has at most.
const BUCKETS: i64 = 60;
/// The widths of buckets in seconds, from a minute to 52 weeks; each is a multiple of the one before.
const WIDTHS: [i64; 9] = [60, 300, 900, 3_600, 14_400, 86_400, 604_800, 2_419_200, 31_449_600];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    last: Option<usize>,
    outcome: Option<String>,
    capability: Option<String>,
    kind: Option<String>,
    before: Option<u64>,
    stats: Option<bool>,
    verify: Option<bool>,
}

/// Records, newest first; or counts over time; or whether the chain is whole.
pub(crate) async fn audit(call: Call) -> Result<Answer, RpcError> {
    let asked: Asked = call.params.read()?;
    let directory = call.service.parts.audit_directory.clone();
    let permit = Arc::clone(&call.service.reading).try_acquire_owned();
    let permit = permit.map_err(|_| RpcError::TOO_MANY)?;
    let read = tokio::task::spawn_blocking(move || {
        let read = answer(&directory, &asked);
        drop(permit);
        read
    });
    read.await.map_err(|_| RpcError::INTERNAL)?
}

fn answer(directory: &Path, asked: &Asked) -> Result<Answer, RpcError> {
    match asked {
        Asked { stats: Some(true), verify: None, .. } if asked.has_no_filter() => stats(directory),
        Asked { verify: Some(true), stats: None, .. } if asked.has_no_filter() => verify(directory),
        Asked { stats: None, verify: None, .. } => records(directory, asked),
        _ => Err(RpcError::invalid_params("`stats` and `verify` stand alone and are `true`")),
    }
}

impl Asked {
    const fn has_no_filter(&self) -> bool {
        self.last.is_none()
            && self.outcome.is_none()
            && self.capability.is_none()
            && self.kind.is_none()
            && self.before.is_none()
    }

    /// A word that no record has is said, and not searched for.
    fn filter(&self) -> Result<RecordFilter, RpcError> {
        let mut filter = RecordFilter::default();
        if let Some(word) = &self.kind {
            filter = filter.kind(match word.as_str() {
                "call" => RecordKind::Call,
                "administrative" => RecordKind::Administrative,
                _ => return Err(RpcError::invalid_params("no record is of this `kind`")),
            });
        }
        if let Some(word) = &self.outcome {
            let known = OutcomeKind::ALL.into_iter().find(|outcome| outcome.word() == word);
            let unknown = || RpcError::invalid_params("no call ends with this `outcome`");
            filter = filter.outcome(known.ok_or_else(unknown)?);
        }
        Ok(match &self.capability {
            Some(name) => filter.capability(name.as_str()),
            None => filter,
        })
    }
}

fn records(directory: &Path, asked: &Asked) -> Result<Answer, RpcError> {
    let most = asked.last.unwrap_or(RECORDS.0).clamp(1, RECORDS.1);
    let page = recent(directory, &asked.filter()?, most, asked.before).map_err(unreadable)?;
    plain(&json!({ "records": page.records, "next": page.before }))
}

fn verify(directory: &Path) -> Result<Answer, RpcError> {
    #[derive(Serialize)]
    struct Verified {
        intact: bool,
        records: Option<u64>,
        head: Option<audit::Head>,
        #[serde(skip_serializing_if = "Option::is_none")]
        first_bad: Option<u64>,
    }
    match audit::verify(directory) {
        Ok(verified) => plain(&Verified {
            intact: true,
            records: Some(verified.records),
            head: verified.head,
            first_bad: None,
        }),
        Err(LogError::Damaged(damage)) => plain(&Verified {
            intact: false,
            records: None,
            head: None,
            first_bad: Some(damage.record),
        }),
        Err(error) => Err(unreadable(error)),
    }
}

/// How calls ended, by point and outcome, over time.
fn stats(directory: &Path) -> Result<Answer, RpcError> {
    let mut picture = Picture::default();
    for record in LogReader::open(directory).map_err(unreadable)? {
        let record = record.map_err(unreadable)?;
        let StoredEntry::Call(call) = record.entry else { continue };
        if let (Some(outcome), Ok(at)) = (call.outcome, record.at.parse::<jiff::Timestamp>()) {
            picture.count(at.as_second(), call.point, outcome);
        }
    }
    let bucket = |(from, counts): (&i64, &Counts)| {
        let counts = counts.iter().map(|((point, outcome), count)| {
            json!({ "point": point, "outcome": outcome, "count": count })
        });
        let from = jiff::Timestamp::from_second(*from).unwrap_or_default().to_string();
        json!({ "from": from, "counts": counts.collect::<Vec<_>>() })
    };
    let buckets: Vec<_> = picture.buckets.iter().map(bucket).collect();
    plain(&json!({ "bucket_seconds": picture.width(), "buckets": buckets }))
}

type Counts = BTreeMap<(Word, Word), u64>;

/// Counts over time, in as few buckets as may be: they are made wider while the log is read.
#[derive(Default)]
struct Picture {
    /// Which of the widths.
    wide: usize,
    buckets: BTreeMap<i64, Counts>,
}

impl Picture {
    fn width(&self) -> i64 {
        WIDTHS.get(self.wide).or(WIDTHS.last()).copied().unwrap_or(60)
    }

    fn count(&mut self, at: i64, point: Word, outcome: Word) {
        let from = floor(at, self.width());
        let count = self.buckets.entry(from).or_default().entry((point, outcome)).or_default();
        *count = count.saturating_add(1);
        while self.is_too_long() && self.wide < WIDTHS.len().saturating_sub(1) {
            self.wide = self.wide.saturating_add(1);
            let width = self.width();
            for (from, counts) in std::mem::take(&mut self.buckets) {
                let wider = self.buckets.entry(floor(from, width)).or_default();
                for (key, count) in counts {
                    let sum = wider.entry(key).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
    }

    fn is_too_long(&self) -> bool {
        let ends = self.buckets.first_key_value().zip(self.buckets.last_key_value());
        let span = ends.map_or(0, |((first, _), (last, _))| last.saturating_sub(*first));
        span.checked_div(self.width()).is_some_and(|buckets| buckets >= BUCKETS)
    }
}

fn floor(at: i64, width: i64) -> i64 {
    at.saturating_sub(at.checked_rem_euclid(width).unwrap_or(0))
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unreadable(error: LogError) -> RpcError {
    tracing::error!(%error, "the audit log cannot be read");
    RpcError::LOG_UNREADABLE
}
