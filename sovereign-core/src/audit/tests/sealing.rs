use super::*;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};

fn head(home: &Home) -> u64 {
    verify(&home.dir()).unwrap().head.unwrap().n
}

/// The limit only turns a sync that never comes into a failure.
fn started_in_time(starts: &Receiver<()>) {
    starts.recv_timeout(Duration::from_secs(60)).unwrap();
}

#[tokio::test]
async fn durable_ends_when_the_head_names_the_record() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    audit.append(records.ended()).unwrap();
    assert_eq!(head(&home), 0);
    audit.durable().await.unwrap();
    assert_eq!(head(&home), 1);
    assert_eq!(controls.syncs.load(Ordering::SeqCst), 1);
    audit.durable().await.unwrap();
    assert_eq!(controls.syncs.load(Ordering::SeqCst), 1, "nothing new, nothing to sync");
}

#[test]
fn callers_that_come_during_a_sync_share_the_next_one() {
    let records = Records::new();
    let home = Home::new();
    let (started, starts) = channel();
    let (go, leave) = channel();
    let (audit, controls) = flaky(&home, Some((started, leave)));
    audit.append(records.ended()).unwrap();
    let mut first = audit.durable();
    // the lone caller is served at once: its sync runs before anybody else comes
    started_in_time(&starts);
    let mut others: Vec<_> = (0..7)
        .map(|_| {
            audit.append(records.ended()).unwrap();
            audit.durable()
        })
        .collect();
    let mut cx = Context::from_waker(Waker::noop());
    for waiting in &mut others {
        assert!(waiting.as_mut().poll(&mut cx).is_pending());
    }
    go.send(()).unwrap();
    // the second sync starts only after the first was answered
    started_in_time(&starts);
    assert_eq!(first.as_mut().poll(&mut cx), Poll::Ready(Ok(())));
    for waiting in &mut others {
        assert!(waiting.as_mut().poll(&mut cx).is_pending(), "not on the disk yet");
    }
    go.send(()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for waiting in others {
        runtime.block_on(waiting).unwrap();
    }
    assert_eq!(controls.syncs.load(Ordering::SeqCst), 2);
    assert_eq!(controls.heads.load(Ordering::SeqCst), 2);
    assert_eq!(head(&home), 8);
}

#[test]
fn appending_does_not_wait_for_a_running_sync() {
    let records = Records::new();
    let home = Home::new();
    let (started, starts) = channel();
    let (go, leave) = channel();
    let (audit, _) = flaky(&home, Some((started, leave)));
    audit.append(records.ended()).unwrap();
    let waiting = audit.durable();
    started_in_time(&starts);
    audit.append(records.ended()).unwrap();
    assert_eq!(tail(&home.dir(), 9).unwrap().len(), 2);
    drop(waiting);
    // one leave for the sync that runs, one for the last seal
    go.send(()).unwrap();
    go.send(()).unwrap();
    drop(audit);
    assert_eq!(head(&home), 2);
}

#[test]
fn many_threads_leave_one_chain() {
    let records = Records::new();
    let home = Home::new();
    let audit = home.open().audit;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                for _ in 0..20 {
                    audit.append(records.ended()).unwrap();
                    runtime.block_on(audit.durable()).unwrap();
                }
            });
        }
    });
    assert_eq!(head(&home), 160);
}

#[test]
fn dropped_log_is_sealed() {
    let records = Records::new();
    let home = Home::new();
    let (audit, _) = flaky(&home, None);
    audit.append(records.ended()).unwrap();
    assert_eq!(head(&home), 0);
    drop(audit);
    assert_eq!(head(&home), 1);
}

#[test]
fn log_is_sealed_even_when_nobody_asks() {
    let records = Records::new();
    let home = Home::new();
    let (started, starts) = channel();
    let (go, leave) = channel();
    let idle = LogOptions::default().idle(Duration::from_millis(1));
    let (audit, _) = flaky_with(&home, Some((started, leave)), idle);
    audit.append(records.ended()).unwrap();
    started_in_time(&starts);
    go.send(()).unwrap();
    drop(audit);
    assert_eq!(head(&home), 1);
}

/// Must-beat 19, as far as the log goes: after the disk refused once, nothing is taken any more.
#[tokio::test]
async fn refused_write_closes_the_log_for_good() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    audit.append(records.ended()).unwrap();
    audit.durable().await.unwrap();
    assert!(!audit.is_degraded());
    controls.refuse_append.store(true, Ordering::SeqCst);
    let error = audit.append(records.ended()).unwrap_err();
    assert!(error.to_string().contains("the disk refused a record"), "{error}");
    controls.refuse_append.store(false, Ordering::SeqCst);
    assert_eq!(audit.append(records.ended()), Err(error.clone()));
    assert_eq!(audit.durable().await, Err(error.clone()));
    assert_eq!((audit.is_degraded(), audit.degradation()), (true, Some(error)));
    drop(audit);
    let verified = verify(&home.dir()).unwrap();
    assert_eq!((verified.records, verified.unfinished), (1, false), "half a line was taken back");
}

/// A lone caller pays one sync: the head is written behind it, and synced when there is time.
#[tokio::test]
async fn head_costs_no_sync_of_its_own() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    for n in 1..=60 {
        audit.append(records.ended()).unwrap();
        audit.durable().await.unwrap();
        assert_eq!(head(&home), n);
    }
    let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
    assert_eq!((count(&controls.syncs), count(&controls.head_syncs)), (60, 0));
    for _ in 0..8 {
        audit.append(records.ended()).unwrap();
        audit.durable().await.unwrap();
    }
    assert_eq!(count(&controls.head_syncs), 1, "it does not wait for a pause for ever");
    drop(audit);
    assert_eq!(count(&controls.head_syncs), 3, "both slots, when the log is closed");
    assert_eq!(count(&controls.syncs), 68);
}

#[tokio::test]
async fn failed_sync_or_head_closes_the_log_and_everyone_who_waits_learns_it() {
    let records = Records::new();
    for fails in ["sync", "head"] {
        let home = Home::new();
        let (started, starts) = channel();
        let (go, leave) = channel();
        let (audit, controls) = flaky(&home, Some((started, leave)));
        audit.append(records.ended()).unwrap();
        let first = audit.durable();
        started_in_time(&starts);
        audit.append(records.ended()).unwrap();
        let second = audit.durable();
        let flag = if fails == "sync" { &controls.refuse_sync } else { &controls.refuse_head };
        flag.store(true, Ordering::SeqCst);
        go.send(()).unwrap();
        first.await.unwrap_err();
        second.await.unwrap_err();
        flag.store(false, Ordering::SeqCst);
        audit.append(records.ended()).unwrap_err();
        audit.durable().await.unwrap_err();
        drop(audit);
        assert_eq!(controls.syncs.load(Ordering::SeqCst), 1, "a failed sync is not tried again");
        assert_eq!(head(&home), 0);
    }
}

#[tokio::test]
async fn every_sync_of_the_log_is_counted() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    for n in 1..=3 {
        audit.append(records.ended()).unwrap();
        audit.durable().await.unwrap();
        assert_eq!((audit.syncs(), controls.syncs.load(Ordering::SeqCst) as u64), (n, n));
    }
}

#[test]
fn log_left_in_peace_syncs_its_head_and_wakes_for_the_next_record() {
    let records = Records::new();
    let home = Home::new();
    let (started, starts) = channel();
    let (go, leave) = channel();
    let idle = LogOptions::default().idle(Duration::from_millis(1));
    let (audit, controls) = flaky_with(&home, Some((started, leave)), idle);
    let (synced, head_syncs) = channel();
    controls.head_synced.set(synced).unwrap();
    for _ in 0..3 {
        audit.append(records.ended()).unwrap();
        started_in_time(&starts);
        go.send(()).unwrap();
        head_syncs.recv_timeout(Duration::from_secs(60)).unwrap();
    }
    drop(audit);
    assert_eq!(head(&home), 3);
}
