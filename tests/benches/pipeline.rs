//! The six stages without a disk, beside the bare work that they guard: decode, call, encode; the same on
//! confined threads; and what one decision costs alone and beside many.
//!
//! Compare the medians of one run; a time alone says more about the machine.
use criterion::{Criterion, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use sovereign_core::audit::{Audit, AuditError, Record};
use sovereign_core::caller::{CallerScope, Category};
use sovereign_core::confirmation::{ConfirmationRequest, Decision};
use sovereign_core::executor::{Executor, ExecutorBuilder, Proposal, Submitted, Suspended};
use sovereign_core::policy::Policy;
use sovereign_core::prelude::*;
use sovereign_core::registry::Registry;
use std::hint::black_box;
use std::sync::Arc;
use tokio::runtime::Runtime;

type Asked = (ConfirmationRequest, Suspended);

/// A sum.
#[derive(Debug, Serialize, Schema)]
struct Total {
    /// The sum.
    total: i64,
    /// What was added.
    label: String,
}

/// Adds numbers.
#[capability(name = "bench.add", side_effect = read_only, network = local, category = notes, max_per_turn = 65535)]
struct Add {
    /// The numbers.
    #[arg(length(max = 100))]
    numbers: Vec<i32>,
    /// What they are.
    #[arg(length(max = 100))]
    label: String,
}

impl Run for Add {
    type State = ();
    type Output = Total;
    async fn run(self, _: Call<'_, Self>) -> Result<Total, Failure> {
        Ok(add(&self.numbers, self.label))
    }
}

/// Keeps numbers.
#[capability(name = "bench.keep", side_effect = mutating, network = local, category = notes, max_per_turn = 65535)]
struct Keep {
    /// What they are.
    #[arg(length(max = 100))]
    label: String,
}

impl Run for Keep {
    type State = ();
    type Output = Changed<String>;
    async fn run(self, _: Call<'_, Self>) -> Result<Changed<String>, Failure> {
        Ok(Changed::yes(self.label))
    }
}

static BENCH: Plugin<()> = Plugin::new("bench", &[Add::ENTRY, Keep::ENTRY]);

/// Takes every record and keeps none: the disk is another bench's matter.
struct NoDisk;

impl Audit for NoDisk {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        black_box(record);
        Ok(())
    }
    fn ready(&self) -> Result<(), AuditError> {
        Ok(())
    }
    fn durable(&self) -> sovereign_core::BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bare {
    numbers: Vec<i32>,
    label: String,
}

fn add(numbers: &[i32], label: String) -> Total {
    Total { total: numbers.iter().copied().map(i64::from).sum(), label }
}

const ARGUMENTS: &[u8] = br#"{"numbers":[1,2,3,4,5,6,7,8,9,10],"label":"a list of ten numbers"}"#;

fn builder() -> ExecutorBuilder {
    let registry = Registry::builder().install(&BENCH, Arc::default()).build().expect("it fits");
    let policy = Policy::granting(|_| [Category::Notes].into()).enabled("bench.keep");
    Executor::builder(registry, policy, Arc::new(NoDisk))
}

fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

fn pipeline(c: &mut Criterion) {
    let (runtime, executor) = (runtime(), builder().build().expect("entropy"));
    let scope = CallerScope::operator("me", "bench");
    let mut group = c.benchmark_group("pipeline");
    group.bench_function("bare_decode_call_encode", |b| {
        b.iter(|| {
            let bare: Bare = serde_json::from_slice(black_box(ARGUMENTS)).expect("it fits");
            black_box(serde_json::to_vec(&add(&bare.numbers, bare.label)).expect("it fits"))
        });
    });
    group.bench_function("six_stages", |b| {
        b.iter(|| {
            let proposal = Proposal::new("bench.add", 1, black_box(ARGUMENTS));
            black_box(runtime.block_on(executor.invoke(scope.clone(), proposal)))
        });
    });
    #[cfg(target_os = "linux")]
    group.bench_function("six_stages_confined", |b| {
        let confinement = sovereign_core::capability::Confinement::seccomp().expect("a filter");
        let confined = confined_by(confinement);
        b.iter(|| {
            let proposal = Proposal::new("bench.add", 1, black_box(ARGUMENTS));
            black_box(runtime.block_on(confined.invoke(scope.clone(), proposal)))
        });
    });
    group.finish();
}

#[cfg(target_os = "linux")]
fn confined_by(confinement: sovereign_core::capability::Confinement) -> Executor {
    builder().confine_local(confinement).build().expect("entropy")
}

fn ask(runtime: &Runtime, executor: &Executor, scope: &CallerScope) -> Asked {
    let proposal = Proposal::new("bench.keep", 1, br#"{"label":"a list of ten numbers"}"#);
    match runtime.block_on(executor.invoke(scope.clone(), proposal)) {
        Submitted::Awaiting(request, suspended) => (request, suspended),
        Submitted::Settled(outcome) => panic!("it did not ask: {outcome:?}"),
    }
}

/// Asked, shown, denied: alone, and beside as many open decisions as sessions can have.
fn decisions(c: &mut Criterion) {
    let runtime = runtime();
    let mut group = c.benchmark_group("a decision");
    for others in [0, 56] {
        let executor = builder().build().expect("entropy");
        let scope = CallerScope::operator("me", "bench");
        let open: Vec<_> = (0..others)
            .map(|n| {
                let other = CallerScope::operator("me", format!("other-{}", n / 8));
                let asked = ask(&runtime, &executor, &other);
                for _ in 0..8 {
                    black_box(executor.surface(&other, asked.0.id()).expect("it is open").reveal());
                }
                asked
            })
            .collect();
        group.bench_function(format!("beside {others} others"), |b| {
            b.iter(|| {
                let (request, suspended) = ask(&runtime, &executor, &scope);
                let token = executor.surface(&scope, request.id()).expect("it is open");
                let told = executor.decide(&scope, request.id(), &token, Decision::Deny);
                told.expect("the first one decides");
                black_box(runtime.block_on(suspended.outcome()))
            });
        });
        drop(open);
    }
    group.finish();
}

criterion_group!(benches, pipeline, decisions);
criterion_main!(benches);
