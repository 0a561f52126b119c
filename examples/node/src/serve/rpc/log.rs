//! The audit log, read while it grows.

use super::{Answer, Call, RpcError, plain};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sovereign_core::audit::{self, LogError, LogReader, StoredEntry, StoredRecord};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

/// How many records are given when nobody says how many, and at most.
const RECORDS: (usize, usize) = (50, 500);
/// How many buckets a picture over time has at most.
const BUCKETS: usize = 60;
/// The widths of buckets in seconds, from a minute to a year.
const WIDTHS: [i64; 10] =
    [60, 300, 900, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 31_536_000];

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
    let read = tokio::task::spawn_blocking(move || match asked {
        Asked { stats: Some(true), verify: None, .. } if asked.has_no_filter() => stats(&directory),
        Asked { verify: Some(true), stats: None, .. } if asked.has_no_filter() => {
            verify(&directory)
        }
        Asked { stats: None, verify: None, .. } => records(&directory, &asked),
        _ => Err(RpcError::invalid_params("`stats` and `verify` stand alone and are `true`")),
    });
    read.await.map_err(|_| RpcError::INTERNAL)?
}

impl Asked {
    const fn has_no_filter(&self) -> bool {
        self.last.is_none()
            && self.outcome.is_none()
            && self.capability.is_none()
            && self.kind.is_none()
            && self.before.is_none()
    }

    fn admits(&self, record: &StoredRecord) -> bool {
        let is = |wanted: &Option<String>, word: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| word == Some(wanted))
        };
        let (kind, outcome, capability) = match &record.entry {
            StoredEntry::Call(call) => {
                ("call", call.outcome.as_deref(), Some(call.capability.as_ref()))
            }
            StoredEntry::Administrative(_) => ("administrative", None, None),
        };
        is(&self.kind, Some(kind))
            && is(&self.outcome, outcome)
            && is(&self.capability, capability)
            && self.before.is_none_or(|before| record.n < before)
    }
}

fn records(directory: &Path, asked: &Asked) -> Result<Answer, RpcError> {
    let most = asked.last.unwrap_or(RECORDS.0).clamp(1, RECORDS.1);
    let mut last: VecDeque<StoredRecord> = VecDeque::new();
    let mut more = false;
    for record in LogReader::open(directory).map_err(unreadable)? {
        let record = record.map_err(unreadable)?;
        if asked.admits(&record) {
            last.push_front(record);
            if last.len() > most {
                last.pop_back();
                more = true;
            }
        }
    }
    let next = last.back().map(|record| record.n).filter(|_| more);
    plain(&json!({ "records": last, "next": next }))
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
    let mut ends: Vec<(i64, String, String)> = Vec::new();
    for record in LogReader::open(directory).map_err(unreadable)? {
        let record = record.map_err(unreadable)?;
        let StoredEntry::Call(call) = record.entry else { continue };
        if let (Some(outcome), Ok(at)) = (call.outcome, record.at.parse::<jiff::Timestamp>()) {
            ends.push((at.as_second(), call.point.into_owned(), outcome.into_owned()));
        }
    }
    let times = || ends.iter().map(|(at, ..)| *at);
    let span = times().max().unwrap_or(0).saturating_sub(times().min().unwrap_or(0));
    let room = i64::try_from(BUCKETS.saturating_sub(1)).unwrap_or(i64::MAX);
    let fits = |width: &&i64| span.checked_div(**width).is_some_and(|buckets| buckets < room);
    let width = WIDTHS.iter().find(fits).or(WIDTHS.last()).copied().unwrap_or(60);
    let mut buckets: BTreeMap<i64, BTreeMap<(String, String), u64>> = BTreeMap::new();
    for (at, point, outcome) in ends {
        let from = at.saturating_sub(at.checked_rem_euclid(width).unwrap_or(0));
        let count = buckets.entry(from).or_default().entry((point, outcome)).or_default();
        *count = count.saturating_add(1);
    }
    let buckets: Vec<_> = buckets
        .into_iter()
        .map(|(from, counts)| {
            let counts = counts.into_iter().map(|((point, outcome), count)| {
                json!({ "point": point, "outcome": outcome, "count": count })
            });
            let from = jiff::Timestamp::from_second(from).unwrap_or_default().to_string();
            json!({ "from": from, "counts": counts.collect::<Vec<_>>() })
        })
        .collect();
    plain(&json!({ "bucket_seconds": width, "buckets": buckets }))
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unreadable(error: LogError) -> RpcError {
    tracing::error!(%error, "the audit log cannot be read");
    RpcError::LOG_UNREADABLE
}
