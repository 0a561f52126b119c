//! The six stages without a disk, beside the bare work that they guard: decode, call, encode.
//!
//! Compare the two medians of one run; a time alone says more about the machine.
use criterion::{Criterion, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use sovereign_core::audit::{Audit, AuditError, Record};
use sovereign_core::caller::{CallerScope, Category};
use sovereign_core::executor::{Executor, Proposal};
use sovereign_core::policy::Policy;
use sovereign_core::prelude::*;
use sovereign_core::registry::Registry;
use std::hint::black_box;
use std::sync::Arc;

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

static BENCH: Plugin<()> = Plugin::new("bench", &[Add::ENTRY]);

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

fn pipeline(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let registry = Registry::builder().install(&BENCH, Arc::default()).build().expect("it fits");
    let policy = Policy::granting(|_| [Category::Notes].into());
    let executor = Executor::builder(registry, policy, Arc::new(NoDisk)).build().expect("entropy");
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
    group.finish();
}

criterion_group!(benches, pipeline);
criterion_main!(benches);
