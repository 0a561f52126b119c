//! The audit log, read while it grows.

use super::{Answer, Call, RpcError, plain};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sovereign_core::audit::{
    self, Bucket, LogError, OutcomeKind, RecordFilter, RecordKind, activity, recent,
};
use std::path::Path;
use std::sync::Arc;

/// How many records are given when nobody says how many, and at most.
const RECORDS: (usize, usize) = (50, 500);
/// How many buckets a picture over time has at most.
const BUCKETS: usize = 60;

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

/// How proposals ended, by point and outcome, over time.
fn stats(directory: &Path) -> Result<Answer, RpcError> {
    let seen = activity(directory, BUCKETS).map_err(unreadable)?;
    let bucket = |bucket: &Bucket| {
        let ends = bucket.ends.iter().flat_map(|(point, outcomes)| {
            let count = move |(outcome, count)| json!({ "point": point, "outcome": outcome, "count": count });
            outcomes.iter().map(count)
        });
        json!({ "from": bucket.start, "counts": ends.collect::<Vec<_>>() })
    };
    let buckets: Vec<_> = seen.buckets.iter().map(bucket).collect();
    plain(&json!({
        "bucket_seconds": seen.bucket_seconds,
        "buckets": buckets,
        "complete": seen.complete,
    }))
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unreadable(error: LogError) -> RpcError {
    tracing::error!(%error, "the audit log cannot be read");
    RpcError::LOG_UNREADABLE
}
