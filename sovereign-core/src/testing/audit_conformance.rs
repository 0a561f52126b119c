use super::{AuditRecords, CountedEntropy};
use crate::audit::{Administrative, Audit, AuditError, CallRecord, OutcomeKind, Record};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Waker};

/// The first promise that a sink does not keep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// It refused what it has to take.
    #[error("{0}")]
    Refused(#[from] AuditError),
    /// It does not hold what was appended.
    #[error("{promise}: `{found}` instead of `{expected}`")]
    Holds {
        /// Which promise.
        promise: &'static str,
        /// What should be there.
        expected: String,
        /// What is.
        found: String,
    },
    /// The test itself could not run.
    #[error("the records could not be made: {0}")]
    NotRun(String),
}

const THREADS: usize = 8;
const CALLS: usize = 20;

/// Asks of a sink, empty as it is made, what [`Audit`] promises: order, once and whole, from many threads;
/// `append` without anybody polling; `durable` for what came before it, also when others drop theirs.
///
/// `held` reads back what the sink holds *outside itself*, for what is durable (from the disk, not from
/// memory): for each record of a call `"<id> <mark>"`, for each event `"event"`. What crashes, a test of
/// the sink's own has to show.
///
/// # Errors
/// The first promise that does not hold.
pub async fn audit_conformance(
    sink: &Arc<dyn Audit>,
    held: &(dyn Fn() -> Vec<String> + Sync),
) -> Result<(), Broken> {
    let entropy = CountedEntropy::default();
    let records = run_of(&entropy)?;
    sink.ready()?;
    sink.durable().await?;

    let mut expected = Vec::new();
    let first = records.begin();
    sink.append(Record::Call(first.clone()))?;
    expected.push(spelled(&first));
    sink.append(records.event(Administrative::Login))?;
    expected.push("event".to_owned());
    let end = AuditRecords::end(&first, OutcomeKind::Executed);
    sink.append(end)?;
    expected.push(format!("{} end", first.id));
    sink.durable().await?;
    same("durable records are there, in order", &expected, &held())?;

    // somebody asks and goes away: the others are served
    let dropped = records.begin();
    sink.append(Record::Call(dropped.clone()))?;
    expected.push(spelled(&dropped));
    let mut waiting = sink.durable();
    // whether it is ready already makes no difference
    drop(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())));
    drop(waiting);
    sink.append(AuditRecords::end(&dropped, OutcomeKind::Cancelled))?;
    expected.push(format!("{} end", dropped.id));
    sink.durable().await?;
    same("a dropped wait loses nothing", &expected, &held())?;

    let before = expected.len();
    let ids = many(sink, Arc::new(run_of(&entropy)?)).await?;
    sink.durable().await?;
    let held = held();
    let later = held.get(before..).unwrap_or_default();
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in later {
        let (id, mark) = line.split_once(' ').unwrap_or((line, ""));
        seen.entry(id).or_default().push(mark);
    }
    for id in &ids {
        let marks = seen.remove(id.as_str()).unwrap_or_default();
        same(
            "each record of many threads is there once, begin before end",
            &["begin", "end"],
            &marks,
        )?;
    }
    same("nothing else is there", &[""; 0], &seen.into_keys().collect::<Vec<_>>())?;
    sink.ready()?;
    Ok(())
}

/// Calls of many threads, which share their waiting.
async fn many(sink: &Arc<dyn Audit>, records: Arc<AuditRecords>) -> Result<Vec<String>, Broken> {
    let mut tasks = Vec::new();
    for _ in 0..THREADS {
        let (sink, records) = (Arc::clone(sink), Arc::clone(&records));
        tasks.push(tokio::spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..CALLS {
                let begun = records.begin();
                sink.append(Record::Call(begun.clone()))?;
                sink.durable().await?;
                sink.append(AuditRecords::end(&begun, OutcomeKind::Executed))?;
                ids.push(begun.id.to_string());
            }
            Ok::<_, Broken>(ids)
        }));
    }
    let mut ids = Vec::new();
    for task in tasks {
        ids.extend(task.await.map_err(|e| Broken::NotRun(e.to_string()))??);
    }
    Ok(ids)
}

fn spelled(call: &CallRecord) -> String {
    format!("{} {}", call.id, call.mark.word())
}

fn same<A: AsRef<str>, B: AsRef<str>>(
    promise: &'static str,
    expected: &[A],
    found: &[B],
) -> Result<(), Broken> {
    let joined = |list: Vec<&str>| list.join(", ");
    let expected = joined(expected.iter().map(AsRef::as_ref).collect());
    let found = joined(found.iter().map(AsRef::as_ref).collect());
    if expected == found { Ok(()) } else { Err(Broken::Holds { promise, expected, found }) }
}

fn run_of(entropy: &CountedEntropy) -> Result<AuditRecords, Broken> {
    AuditRecords::new(entropy).map_err(|e| Broken::NotRun(e.to_string()))
}
