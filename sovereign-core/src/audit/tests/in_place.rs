//! A lone caller syncs in its own thread, where the disk is fast; nobody is forgotten for it.
use super::super::durable::Durable;
use super::super::log::{Log, Waiting};
use super::*;
use std::sync::mpsc::channel;
use std::thread::{current, scope};

/// Any disk is fast enough, and the thread seals only when asked.
fn in_place() -> LogOptions {
    LogOptions::default().idle(Duration::from_secs(3600)).in_place(Duration::MAX)
}

async fn durably(audit: &FileAudit, record: Record) -> Result<(), AuditError> {
    audit.append(record)?;
    audit.durable().await
}

#[tokio::test]
async fn a_lone_caller_syncs_in_place_once_it_is_known_how_long_that_takes() {
    let records = Records::new();
    for (limit, here) in [(Duration::MAX, true), (Duration::ZERO, false)] {
        let home = Home::new();
        let (audit, controls) = flaky_with(&home, None, in_place().in_place(limit));
        for _ in 0..3 {
            durably(&audit, records.ended()).await.unwrap();
        }
        let by = controls.by.lock().unwrap().clone();
        let mine: Vec<bool> = by.iter().map(|by| *by == current().id()).collect();
        assert_eq!(mine, [false, here, here]);
        assert_eq!(verify(&home.dir()).unwrap().head.unwrap().n, 3);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn callers_on_one_thread_share_a_sync_though_each_of_them_could_be_alone() {
    let records = Arc::new(Records::new());
    let home = Home::new();
    let (audit, controls) = flaky_with(&home, None, in_place());
    let audit = Arc::new(audit);
    durably(&audit, records.ended()).await.unwrap();
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (audit, records) = (Arc::clone(&audit), Arc::clone(&records));
        callers.spawn(async move { durably(&audit, records.ended()).await });
    }
    assert!(callers.join_all().await.iter().all(Result::is_ok));
    let syncs = controls.syncs.load(Ordering::SeqCst);
    assert!(syncs <= 3, "{syncs} syncs for 21 records");
}

#[test]
fn who_comes_during_a_sync_in_place_is_served_by_the_next_one() {
    let records = Records::new();
    let home = Home::new();
    let (started, starts) = channel();
    let (go, leave) = channel();
    let (audit, controls) = flaky_with(&home, Some((started, leave)), in_place());
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    go.send(()).unwrap();
    runtime().block_on(durably(&audit, records.ended())).unwrap();
    starts.recv_timeout(Duration::from_secs(60)).unwrap();
    scope(|scope| {
        let alone = scope.spawn(|| runtime().block_on(durably(&audit, records.ended())));
        starts.recv_timeout(Duration::from_secs(60)).unwrap();
        audit.append(records.ended()).unwrap();
        let second = audit.durable();
        go.send(()).unwrap();
        alone.join().unwrap().unwrap();
        go.send(()).unwrap();
        runtime().block_on(second).unwrap();
    });
    assert_eq!(controls.syncs.load(Ordering::SeqCst), 3);
    go.send(()).unwrap();
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().head.unwrap().n, 3);
}

#[tokio::test]
async fn a_sync_in_place_that_fails_closes_the_log() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky_with(&home, None, in_place());
    durably(&audit, records.ended()).await.unwrap();
    controls.refuse_sync.store(true, Ordering::SeqCst);
    let error = durably(&audit, records.ended()).await.unwrap_err();
    assert!(error.to_string().contains("did not keep a record"), "{error}");
    controls.refuse_sync.store(false, Ordering::SeqCst);
    assert_eq!(durably(&audit, records.ended()).await, Err(error.clone()));
    assert_eq!(audit.durable().await, Err(error));
    assert_eq!(controls.syncs.load(Ordering::SeqCst), 2, "a failed sync is not tried again");
}

#[tokio::test]
async fn a_caller_that_goes_away_before_its_sync_stands_in_nobodys_way() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky_with(&home, None, in_place());
    durably(&audit, records.ended()).await.unwrap();
    for _ in 0..3 {
        audit.append(records.ended()).unwrap();
        drop(audit.durable());
    }
    durably(&audit, records.ended()).await.unwrap();
    let by = controls.by.lock().unwrap().clone();
    assert_eq!((by.len(), by.last().copied()), (2, Some(current().id())), "alone again");
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().head.unwrap().n, 5);
}

/// A log without its thread, which knows that the disk is fast.
fn without_thread(home: &Home) -> (Log, Arc<Controls>) {
    let controls = Arc::<Controls>::default();
    let disk = Disk::writing(&home.dir()).unwrap();
    let storage = Flaky { disk, controls: Arc::clone(&controls), gate: None };
    let (log, _) = super::super::start::start(Arc::new(storage), &Fixed, in_place()).unwrap();
    log.append(&Records::new().ended()).unwrap();
    drop(log.seal(log.lock()));
    log.append(&Records::new().ended()).unwrap();
    (log, controls)
}

#[test]
fn only_where_nobody_else_is_at_it_a_caller_may_sync_in_place() {
    let home = Home::new();
    let (log, _) = without_thread(&home);
    let alone = || matches!(log.durable(), Durable::Alone(_));
    assert!(alone());
    log.lock().sealing = true;
    assert!(!alone(), "somebody syncs");
    log.lock().waiting.clear();
    log.lock().sealing = false;
    assert!(alone());
    log.lock().closing = true;
    assert!(!alone(), "the thread does it before it goes");
    log.lock().waiting.clear();
    log.lock().closing = false;
    let (done, _waits) = tokio::sync::oneshot::channel();
    log.lock().waiting.push(Waiting { n: 2, done });
    assert!(!alone(), "somebody waits");
}

#[tokio::test]
async fn whoever_is_no_longer_alone_waits_with_the_others() {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    for busy in [true, false] {
        let home = Home::new();
        let (log, controls) = without_thread(&home);
        let Durable::Alone(first) = log.durable() else { panic!("alone") };
        let second = Some(log.durable()).filter(|_| !busy);
        assert!(matches!(second, None | Some(Durable::Alone(_))), "both think so");
        log.lock().sealing = busy;
        let mut first = std::pin::pin!(first.seal());
        // it stands back once, then looks
        for _ in 0..2 {
            assert!(first.as_mut().poll(&mut cx).is_pending());
        }
        assert_eq!(log.lock().waiting.len(), 1);
        assert_eq!(controls.syncs.load(Ordering::SeqCst), 1, "that of the record before");
    }
}
