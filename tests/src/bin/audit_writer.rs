//! Writes calls to an audit log until it is killed: what `suite/killed.rs` kills.
//!
//! `audit_writer LOG EFFECTS`: three tasks write calls; what a call changes is a line with its id in
//! EFFECTS. At each point it writes one byte and goes on when it may read one.
use sovereign_core::audit::{Audit, FileAudit, LogOptions, Mark, OutcomeKind, Record};
use sovereign_core::clock::SystemClock;
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::testing::AuditRecords;
use std::error::Error;
use std::fs::File;
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

type Failed = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [log, effects] = &arguments[..] else { return Err("two paths, please".into()) };
    let options = LogOptions::default().file_bytes(6000);
    let opened = FileAudit::open_with(Path::new(log), &SystemClock::default(), options)?;
    let audit = Arc::new(opened.audit);
    let effects = Arc::new(File::options().append(true).create(true).open(effects)?);
    let records = Arc::new(AuditRecords::new(&SystemEntropy)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build()?;
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..3 {
            let (audit, effects) = (Arc::clone(&audit), Arc::clone(&effects));
            let records = Arc::clone(&records);
            tasks.push(tokio::spawn(async move {
                loop {
                    call(&audit, &records, &effects).await?;
                }
            }));
        }
        for task in tasks {
            let ended: Result<(), Failed> = task.await?;
            ended?;
        }
        Ok(())
    })
}

/// One call, as the executor writes it: asked for, begun, done, ended; and one that nobody answers.
async fn call(audit: &FileAudit, records: &AuditRecords, effects: &File) -> Result<(), Failed> {
    let begun = records.begin();
    let mut asked = begun.clone();
    asked.mark = Mark::AwaitingConfirmation;
    audit.append(Record::Call(asked))?;
    point()?;
    let mut unanswered = records.begin();
    unanswered.mark = Mark::AwaitingConfirmation;
    audit.append(Record::Call(unanswered.clone()))?;
    audit.append(Record::Call(begun.clone()))?;
    point()?;
    audit.durable().await?;
    point()?;
    let mut writes = effects;
    writes.write_all(format!("{}\n", begun.id).as_bytes())?;
    point()?;
    audit.append(AuditRecords::end(&begun, OutcomeKind::Executed))?;
    audit.append(AuditRecords::end(&unanswered, OutcomeKind::Expired))?;
    point()
}

/// Where it can be stopped.
fn point() -> Result<(), Failed> {
    let mut out = stdout().lock();
    out.write_all(b".")?;
    out.flush()?;
    let mut leave = [0];
    stdin().lock().read_exact(&mut leave)?;
    Ok(())
}
