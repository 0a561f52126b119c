//! The log on disk: what a durable record costs beside one fdatasync, and what verifying costs beside
//! writing. Ratios are of one run, on one disk: `cargo bench -p sovereign-tests --bench audit`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the machine's clock")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sovereign_core::audit::{
    Audit, FileAudit, LogOptions, OutcomeKind, Record, RecordFilter, recent, verify,
};
use sovereign_core::clock::SystemClock;
use sovereign_core::testing::{AuditRecords, CountedEntropy};
use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const CALLERS: [u64; 3] = [1, 8, 64];

struct Log {
    audit: Arc<FileAudit>,
    records: Arc<AuditRecords>,
    runtime: Runtime,
    home: TempDir,
}

impl Log {
    fn new() -> Self {
        Self::kept(LogOptions::default())
    }

    fn kept(options: LogOptions) -> Self {
        // beside the build, where a disk is: a temporary directory may be in memory
        let home = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let clock = SystemClock::default();
        let opened = FileAudit::open_with(&directory(&home), &clock, options).expect("a log");
        let records = AuditRecords::new(&CountedEntropy::default()).expect("ids");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build();
        Self {
            audit: Arc::new(opened.audit),
            records: Arc::new(records),
            runtime: runtime.expect("a runtime"),
            home,
        }
    }

    /// Each caller makes `calls` records durable, one after the other.
    fn write(&self, callers: u64, calls: u64) -> Duration {
        let start = Instant::now();
        self.runtime.block_on(async {
            let mut tasks = Vec::new();
            for _ in 0..callers {
                let (audit, records) = (Arc::clone(&self.audit), Arc::clone(&self.records));
                tasks.push(tokio::spawn(async move {
                    for _ in 0..calls {
                        let end = AuditRecords::end(&records.begin(), OutcomeKind::Executed);
                        audit.append(end).expect("it takes records");
                        audit.durable().await.expect("the disk keeps them");
                    }
                }));
            }
            for task in tasks {
                task.await.expect("a caller ends");
            }
        });
        start.elapsed()
    }
}

fn directory(home: &TempDir) -> PathBuf {
    home.path().join("audit")
}

fn durable(c: &mut Criterion) {
    let mut group = c.benchmark_group("durable record");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Elements(1));
    let plain = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let mut file = File::create(plain.path().join("plain")).expect("a file");
    group.bench_function("append and fdatasync alone", |b| {
        b.iter(|| {
            file.write_all(&[b'x'; 480]).expect("it is written");
            file.sync_data().expect("it is synced");
        });
    });
    let log = Log::kept(LogOptions::default().in_place(Duration::ZERO));
    group.bench_function("a lone caller, woken by the log's thread", |b| {
        b.iter_custom(|iterations| log.write(1, iterations));
    });
    let log = Log::new();
    for _ in 0..300 {
        log.audit.append(Record::Call(log.records.begin())).expect("it takes records");
    }
    group.bench_function("a lone caller, beside 300 open calls", |b| {
        b.iter_custom(|iterations| log.write(1, iterations));
    });
    for callers in CALLERS {
        let log = Log::new();
        group.bench_function(BenchmarkId::new("callers", callers), |b| {
            // the time of one record, whoever's it is
            b.iter_custom(|iterations| log.write(callers, iterations.div_ceil(callers)));
        });
        let (before, calls) = (log.audit.syncs(), 50);
        log.write(callers, calls);
        let syncs = log.audit.syncs() - before;
        let records = callers * calls;
        println!("{callers} callers: {records} records in {syncs} fdatasyncs");
    }
    group.finish();
}

fn verifying(c: &mut Criterion) {
    let log = Log::new();
    let wrote = log.write(1, 1000) + log.write(64, 100);
    let (lone, shared) = (log.write(1, 1000), log.write(64, 100));
    let directory = directory(&log.home);
    let records = verified(&directory);
    let start = Instant::now();
    verified(&directory);
    let each = start.elapsed().as_secs_f64() / records as f64;
    let ratio = |wrote: Duration, many: f64| wrote.as_secs_f64() / many / each;
    println!(
        "verifying a record is {:.0} times as fast as writing it alone, {:.0} times as fast as with \
         63 others ({records} records, {wrote:?} to write the first half)",
        ratio(lone, 1000.0),
        ratio(shared, 6400.0),
    );
    let mut group = c.benchmark_group("log of 14800 records");
    group.sample_size(10).throughput(Throughput::Elements(records));
    group.bench_function("verify", |b| b.iter(|| verified(black_box(&directory))));
    group.bench_function("the last 20", |b| {
        b.iter(|| recent(&directory, &RecordFilter::default(), 20, None).expect("it is whole"));
    });
    drop(log.audit);
    group.bench_function("open", |b| {
        b.iter(|| FileAudit::open(&directory, &SystemClock::default()).expect("it opens"));
    });
    group.finish();
    let mut group = c.benchmark_group("log of 1 record");
    let short = Log::new();
    short.audit.append(Record::Call(short.records.begin())).expect("it takes records");
    let directory = self::directory(&short.home);
    drop(short.audit);
    group.sample_size(10);
    group.bench_function("open", |b| {
        b.iter(|| FileAudit::open(&directory, &SystemClock::default()).expect("it opens"));
    });
    group.finish();
}

fn verified(directory: &Path) -> u64 {
    verify(directory).expect("it is whole").records
}

criterion_group!(benches, durable, verifying);
criterion_main!(benches);
