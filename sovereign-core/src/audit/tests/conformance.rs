use super::*;
use crate::testing::{Broken, MemoryAudit, audit_conformance};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn log_on_disk_keeps_what_every_sink_promises() {
    let home = Home::new();
    let dir = home.dir();
    let sink: Arc<dyn Audit> = Arc::new(home.open_short().audit);
    let held = move || {
        let spelled = |record: StoredRecord| match record.entry {
            StoredEntry::Call(call) if call.carried => None,
            StoredEntry::Call(call) => Some(format!("{} {}", call.id, call.mark)),
            StoredEntry::Administrative(_) => Some("event".to_owned()),
        };
        // what is sealed is on the disk; what stands above the head may not be
        let sealed = export_head(&dir).unwrap().unwrap().n;
        let read = tail(&dir, 10_000).unwrap().into_iter();
        read.filter(|record| record.n <= sealed).filter_map(spelled).collect()
    };
    audit_conformance(&sink, &held).await.unwrap();
}

fn spelled(records: Vec<Record>) -> Vec<String> {
    let spelled = |record| match record {
        Record::Call(call) => format!("{} {}", call.id, call.mark.word()),
        Record::Administrative(_) => "event".to_owned(),
    };
    records.into_iter().map(spelled).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sink_in_memory_keeps_what_every_sink_promises() {
    let memory = Arc::new(MemoryAudit::default());
    let sink: Arc<dyn Audit> = Arc::<MemoryAudit>::clone(&memory);
    audit_conformance(&sink, &|| spelled(memory.records())).await.unwrap();
}

/// Breaks one promise, over a sink that keeps them all.
struct Careless {
    kept: MemoryAudit,
    fault: Fault,
    count: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Loses,
    Doubles,
    Refuses,
    Delays,
}

impl Audit for Careless {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        let n = self.count.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            Fault::Loses if n == 5 => Ok(()),
            Fault::Doubles if n == 40 => {
                self.kept.append(record.clone())?;
                self.kept.append(record)
            }
            Fault::Refuses if matches!(record, Record::Administrative(_)) => {
                Err(AuditError::new("it does not like events"))
            }
            _ => self.kept.append(record),
        }
    }
    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        self.kept.durable()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sink_that_breaks_a_promise_is_found() {
    for fault in [Fault::Loses, Fault::Doubles, Fault::Refuses, Fault::Delays] {
        let count = AtomicUsize::new(0);
        let careless = Arc::new(Careless { kept: MemoryAudit::default(), fault, count });
        let sink: Arc<dyn Audit> = Arc::<Careless>::clone(&careless);
        let held = || {
            let mut held = spelled(careless.kept.records());
            if fault == Fault::Delays {
                held.pop();
            }
            held
        };
        let broken = audit_conformance(&sink, &held).await.unwrap_err();
        assert_eq!(matches!(broken, Broken::Refused(_)), fault == Fault::Refuses, "{broken}");
    }
}
