//! Whatever a crash leaves, the next start makes a log of it that tells the truth.
use super::log::Log;
use super::model::{Image, Model, crashes};
use super::reader::verify_in;
use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// What the program knew when so many operations were done.
#[derive(Default)]
struct Known {
    /// `durable` said that this many records, the last with this hash, are on the disk.
    acknowledged: Vec<(usize, u64, String)>,
    /// This call's effect has happened.
    effects: Vec<(usize, String)>,
}

struct Run {
    model: Model,
    log: Log,
    known: Known,
}

impl Run {
    fn start(model: Model) -> Self {
        let options = LogOptions::default().file_bytes(1700);
        let (log, _) =
            crate::audit::start::start(Arc::new(model.clone()), &Fixed, options).unwrap();
        Self { model, log, known: Known::default() }
    }

    fn append(&self, call: &CallRecord) {
        self.log.append(&Record::Call(call.clone())).unwrap();
    }

    fn durable(&mut self) {
        let state = self.log.seal(self.log.lock());
        let acknowledged = (self.model.ops().len(), state.chain.n, state.chain.hash.clone());
        drop(state);
        self.known.acknowledged.push(acknowledged);
    }

    fn effect(&mut self, call: &CallRecord) {
        self.known.effects.push((self.model.ops().len(), call.id.to_string()));
    }

    fn end(&self, call: &CallRecord, outcome: OutcomeKind) {
        self.append(&CallRecord { mark: Mark::End(outcome), ..call.clone() });
    }
}

/// Calls that begin, wait, change something and end, over several files.
fn workload() -> Run {
    let records = Records::new();
    let mut run = Run::start(Model::default());
    let lone = records.call(Mark::Begin);
    run.append(&lone);
    run.durable();
    run.effect(&lone);
    run.end(&lone, OutcomeKind::Executed);
    let waiting = records.call(Mark::AwaitingConfirmation);
    run.append(&waiting);
    run.end(&records.call(Mark::Begin), OutcomeKind::Refused);
    run.durable();
    let never = records.call(Mark::AwaitingConfirmation);
    run.append(&never);
    let begun = CallRecord { mark: Mark::Begin, ..waiting };
    run.append(&begun);
    run.durable();
    run.effect(&begun);
    run.log.sync_head(&mut run.log.lock(), false);
    // the log goes on in another file, with two calls open, before it is synced
    for _ in 0..3 {
        run.end(&records.call(Mark::Begin), OutcomeKind::Refused);
    }
    run.durable();
    run.end(&begun, OutcomeKind::Executed);
    for _ in 0..3 {
        run.end(&records.call(Mark::Begin), OutcomeKind::Refused);
    }
    run.durable();
    run.log.sync_head(&mut run.log.lock(), true);
    run
}

/// The records after a start over `image`, each call's marks in order.
fn recovered(image: &Image) -> (Model, Vec<StoredRecord>) {
    let model = Model::on(image.clone());
    let options = LogOptions::default().file_bytes(1700);
    let started = crate::audit::start::start(Arc::new(model.clone()), &Fixed, options);
    let (log, _) = started.unwrap_or_else(|error| panic!("a crash is called damage: {error}"));
    drop(log);
    let mut records = Vec::new();
    let mut keep = |record: &StoredRecord| {
        records.push(record.clone());
        Ok(())
    };
    let verified = verify_in(Arc::new(model.clone()), None, &mut keep).unwrap();
    assert!(!verified.unfinished);
    assert_eq!(verified.head.map(|head| (head.n, head.open.len())), Some((verified.records, 0)));
    (model, records)
}

fn check(records: &[StoredRecord], known: &Known, done: usize) {
    for (_, n, hash) in known.acknowledged.iter().filter(|(at, ..)| *at <= done) {
        let at = usize::try_from(*n).unwrap() - 1;
        assert_eq!(records.get(at).map(|r| &r.hash), Some(hash), "record {n} was on the disk");
    }
    let mut calls: BTreeMap<&str, Vec<&StoredCall>> = BTreeMap::new();
    for record in records {
        if let StoredEntry::Call(call) = &record.entry {
            calls.entry(&call.id).or_default().push(call);
        }
    }
    for (_, id) in known.effects.iter().filter(|(at, _)| *at <= done) {
        let begun = calls.get(id.as_str()).is_some_and(|c| c.iter().any(|c| c.mark == "begin"));
        assert!(begun, "{id} has changed something and never began");
    }
    for (id, story) in &calls {
        let ends: Vec<_> = story.iter().filter(|call| call.mark == "end").collect();
        let [end] = ends[..] else { panic!("{id} has {} ends", ends.len()) };
        if end.code.as_deref() == Some(RESTART) {
            let begun = story.iter().any(|call| call.mark == "begin");
            let own = if begun { "unknown_effect" } else { "void" };
            assert_eq!(end.outcome.as_deref(), Some(own), "{id}");
        }
    }
}

/// The step between two places where a write is torn: every byte in the long tier.
fn step() -> usize {
    if std::env::var_os("SOVEREIGN_LONG").is_some() { 1 } else { 37 }
}

#[test]
fn crash_after_any_operation_leaves_a_log_that_tells_the_truth() {
    let run = workload();
    let ops = run.model.ops();
    let mut seen = BTreeSet::new();
    for done in 0..=ops.len() {
        for image in crashes(&Image::default(), &ops[..done], step()) {
            if !seen.insert(image.clone()) {
                continue;
            }
            let (_, records) = recovered(&image);
            check(&records, &run.known, done);
        }
    }
    assert!(seen.len() > 200, "{} states", seen.len());
}

/// A start can crash as well, and so can the one after it.
#[test]
fn crash_during_a_start_after_a_crash_is_no_worse() {
    let run = workload();
    let ops = run.model.ops();
    let coarse = if step() == 1 { 41 } else { 400 };
    let mut seen = BTreeSet::new();
    for done in 0..=ops.len() {
        for image in crashes(&Image::default(), &ops[..done], coarse) {
            if !seen.insert(image.clone()) {
                continue;
            }
            let (model, _) = recovered(&image);
            let again = model.ops();
            for redone in 0..again.len() {
                for image in crashes(&image, &again[..redone], coarse) {
                    if seen.insert(image.clone()) {
                        let (_, records) = recovered(&image);
                        check(&records, &run.known, done);
                    }
                }
            }
        }
    }
    assert!(seen.len() > 300, "{} states", seen.len());
}

/// The model is no excuse: without the sync it finds the lost record.
#[test]
fn model_loses_what_was_not_synced() {
    let records = Records::new();
    let run = Run::start(Model::default());
    run.append(&records.call(Mark::Begin));
    let states = crashes(&Image::default(), &run.model.ops(), 1);
    let held: BTreeSet<usize> = states.iter().map(|image| recovered(image).1.len()).collect();
    // nothing; the torn record's notice; the record and its closing
    assert_eq!(held, [0, 1, 2].into());
    let whole = run.model.image();
    assert_eq!(recovered(&whole).1.len(), 2);
}
