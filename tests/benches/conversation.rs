//! What a conversation costs as it grows, and what many of them cost: ten thousand turns on a
//! transcript on disk, and a thousand conversations in one process. Figures are of one run:
//! `cargo bench -p sovereign-tests --all-features --bench conversation`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the machine's clock")]

use async_trait::async_trait;
use sovereign_core::audit::{Audit, AuditError, Record};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Message, Request, WireProposal,
};
use sovereign_core::caller::{CallerScope, Category};
use sovereign_core::clock::SystemClock;
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::Conversation;
use sovereign_core::executor::Executor;
use sovereign_core::history::Histories;
use sovereign_core::policy::Policy;
use sovereign_core::prelude::*;
use sovereign_core::registry::Registry;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Tells whether the node is healthy.
#[capability(name = "system.health", side_effect = read_only, network = local, category = system)]
struct Health {}

impl Run for Health {
    type State = ();
    type Output = Vec<u32>;
    async fn run(self, _: Call<'_, Self>) -> Result<Vec<u32>, Failure> {
        Ok((0..40).collect())
    }
}

static HERE: Plugin<()> = Plugin::new("here", &[Health::ENTRY]);

/// Takes every record and keeps none: the disk of the log is another bench's matter.
struct NoLog;

impl Audit for NoLog {
    fn append(&self, _: Record) -> Result<(), AuditError> {
        Ok(())
    }
    fn ready(&self) -> Result<(), AuditError> {
        Ok(())
    }
    fn durable(&self) -> sovereign_core::BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Asks once for the health, then says the same; keeps nothing of what it is sent.
#[derive(Default)]
struct Steady {
    folds: AtomicUsize,
}

const SAID: &str = "The node is well: load, memory and temperature are within their limits.";

#[async_trait]
impl Backend for Steady {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local("steady", Some("m".to_owned()))
    }

    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }

    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        if request.closing {
            self.folds.fetch_add(1, Ordering::Relaxed);
        }
        match request.messages.last() {
            Some(Message::User(_)) if !request.closing => {
                let call = WireProposal::new("system__health__v1", b"{}");
                Ok(BackendTurn::new(self.identity(), "", vec![call]))
            }
            _ => {
                sink.text(SAID);
                Ok(BackendTurn::text(self.identity(), SAID))
            }
        }
    }
}

fn executor() -> Executor {
    let registry = Registry::builder().install(&HERE, Arc::default()).build().expect("it fits");
    let policy = Policy::granting(|_| [Category::System].into());
    Executor::builder(registry, policy, Arc::new(NoLog)).build().expect("entropy")
}

async fn turn(talk: &Conversation) {
    let asked = talk.say("Is the node healthy? Look at load, memory and temperature.");
    let report = asked.expect("it is idle").run(|_| Decision::Deny).await;
    assert!(report.error.is_none() && report.receipts.len() == 1, "{report:?}");
}

fn mean_us(times: &[Duration]) -> f64 {
    times.iter().sum::<Duration>().as_secs_f64() * 1e6 / times.len().max(1) as f64
}

const TURNS: usize = 10_000;
const BLOCK: usize = 1000;

fn grows(runtime: &Runtime) {
    // beside the build, where a disk is: a temporary directory may be in memory
    let home = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let directory = home.path().join("history");
    let histories = Histories::open(&directory, Arc::new(SystemClock::default())).expect("a place");
    let (executor, model) = (executor(), Arc::new(Steady::default()));
    let scope = CallerScope::operator("me", "bench");
    let builder = Conversation::builder(&executor, scope.clone()).leg(model.clone());
    let talk = builder.remembered_in(&histories).expect("a transcript").0.open();
    println!("{TURNS} turns with one call each, saved durably; microseconds");
    println!(
        "{:>8} {:>12} {:>10} {:>14} {:>10} {:>8}",
        "turns", "a turn", "and folds", "one that folds", "load", "bytes"
    );
    let mut blocks: Vec<[f64; 3]> = Vec::new();
    for block in 1..=TURNS / BLOCK {
        let (mut plain, mut folding) = (Vec::new(), Vec::new());
        for _ in 0..BLOCK {
            let (folds, start) = (model.folds.load(Ordering::Relaxed), Instant::now());
            runtime.block_on(turn(&talk));
            let took = start.elapsed();
            if model.folds.load(Ordering::Relaxed) > folds { &mut folding } else { &mut plain }
                .push(took);
        }
        // a second reader of the same directory, as after a restart
        let again = Histories::open(&directory, Arc::new(SystemClock::default())).expect("a place");
        let mut loads = Vec::new();
        for _ in 0..20 {
            let start = Instant::now();
            drop(again.load(&scope).expect("a transcript"));
            loads.push(start.elapsed());
        }
        let files = std::fs::read_dir(&directory).expect("a place").flatten();
        let bytes: u64 = files.filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
        let row = [mean_us(&plain), mean_us(&folding), mean_us(&loads)];
        println!(
            "{:>8} {:>12.0} {:>10} {:>14.0} {:>10.0} {bytes:>8}",
            block * BLOCK,
            row[0],
            folding.len(),
            row[1],
            row[2]
        );
        blocks.push(row);
    }
    let (second, last) = (blocks[1], blocks[blocks.len() - 1]);
    println!(
        "turns {}-{TURNS} beside {BLOCK}-{}: a turn {:.2}, one that folds {:.2}, a load {:.2}",
        TURNS - BLOCK,
        2 * BLOCK,
        last[0] / second[0],
        last[1] / second[1],
        last[2] / second[2]
    );
}

fn resident_kib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).expect("a line");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}

const MANY: usize = 1000;
const EACH: usize = 10;

fn many(runtime: &Runtime) {
    let (executor, model) = (executor(), Arc::new(Steady::default()));
    let open = |n: usize| {
        let scope = CallerScope::operator(format!("caller{n}"), "bench");
        Conversation::new(&executor, model.clone(), scope)
    };
    // warm: what the first conversation brings about is not theirs
    let alone = open(0);
    let rate_of_one = |turns: usize| {
        let start = Instant::now();
        runtime.block_on(async {
            for _ in 0..turns {
                turn(&alone).await;
            }
        });
        turns as f64 / start.elapsed().as_secs_f64()
    };
    rate_of_one(100);
    let one = rate_of_one(2000);

    let before = resident_kib();
    let talks: Vec<_> = (1..=MANY).map(open).collect();
    let opened = resident_kib();
    let start = Instant::now();
    let tasks: Vec<_> = talks
        .iter()
        .cloned()
        .map(|talk| {
            runtime.spawn(async move {
                for _ in 0..EACH {
                    turn(&talk).await;
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("a caller ends");
        }
    });
    let rate = (MANY * EACH) as f64 / start.elapsed().as_secs_f64();
    let after = resident_kib();
    println!("\n{MANY} conversations at once, {EACH} turns with one call each");
    println!(
        "an idle one, opened: {:.1} KiB; after {EACH} turns: {:.1} KiB",
        (opened - before) / MANY as f64,
        (after - before) / MANY as f64
    );
    println!(
        "turns per second: one conversation {one:.0}, all at once {rate:.0} (ratio {:.2})",
        rate / one
    );
    drop(talks);
}

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    many(&runtime);
    grows(&runtime);
}
