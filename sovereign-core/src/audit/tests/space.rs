use super::*;

/// Ends a call as the executor would.
fn end_of(begun: &CallRecord) -> Record {
    Record::Call(CallRecord { mark: Mark::End(OutcomeKind::Executed), ..begun.clone() })
}

/// C-16 and must-beat 19: what has begun can end on a full disk, and nothing else begins.
#[tokio::test]
async fn full_disk_lets_open_calls_end_and_takes_nothing_else() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    let begun: Vec<CallRecord> = (0..3).map(|_| records.call(Mark::Begin)).collect();
    begun.iter().for_each(|call| audit.append(Record::Call(call.clone())).unwrap());
    audit.durable().await.unwrap();
    controls.refuse_reserve.store(true, Ordering::SeqCst);
    let error = loop {
        if let Err(error) = audit.append(records.ended()) {
            break error;
        }
    };
    assert!(error.to_string().contains("no space"), "{error}");
    assert_eq!((audit.is_degraded(), audit.ready()), (true, Err(error.clone())));
    assert_eq!(audit.append(Record::Call(records.call(Mark::Begin))), Err(error.clone()));
    for call in &begun[..2] {
        audit.append(end_of(call)).unwrap();
        audit.durable().await.unwrap();
    }
    assert_eq!(audit.append(end_of(&begun[0])), Err(error.clone()), "it has ended already");
    audit.append(end_of(&begun[2])).unwrap();
    drop(audit);
    let verified = verify(&home.dir()).unwrap();
    assert_eq!(verified.head.unwrap().n, verified.records, "sealed at the end all the same");
    assert_eq!(stats(&home.dir()).unwrap().open, 0);
}

#[tokio::test]
async fn space_for_every_open_ending_is_reserved_before_a_record_takes_it() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    controls.refuse_reserve.store(true, Ordering::SeqCst);
    audit.append(Record::Call(records.call(Mark::Begin))).unwrap_err();
    audit.append(records.ended()).unwrap_err();
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().records, 0);
}

#[test]
fn more_open_calls_than_the_head_has_room_for_are_refused_and_the_log_goes_on() {
    let records = Records::new();
    let home = Home::new();
    let audit = home.open().audit;
    let begun: Vec<CallRecord> = (0..400).map(|_| records.call(Mark::Begin)).collect();
    begun.iter().for_each(|call| audit.append(Record::Call(call.clone())).unwrap());
    let error = audit.append(Record::Call(records.call(Mark::Begin))).unwrap_err();
    assert!(error.to_string().contains("400 calls are open already"), "{error}");
    assert!(!audit.is_degraded());
    audit.append(end_of(&begun[0])).unwrap();
    audit.append(Record::Call(records.call(Mark::AwaitingConfirmation))).unwrap();
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().head.unwrap().open.len(), 400);
}

#[test]
fn room_for_one_record_is_used_when_there_is_no_more_of_it() {
    let records = Records::new();
    let home = Home::new();
    let (audit, controls) = flaky(&home, None);
    controls.room.set(4096).unwrap();
    audit.append(records.ended()).unwrap();
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().records, 1);
}

#[test]
fn a_reservation_takes_room_on_the_disk_without_lengthening_the_file() {
    use std::os::unix::fs::MetadataExt;
    let home = Home::new();
    let disk = Disk::writing(&home.dir()).unwrap();
    let file = disk.create("reserved").unwrap();
    file.reserve(0, 1 << 20).unwrap();
    let on_disk = std::fs::metadata(home.dir().join("reserved")).unwrap();
    assert_eq!(on_disk.len(), 0);
    assert!(on_disk.blocks() * 512 >= 1 << 20, "{} blocks", on_disk.blocks());
    file.reserve(0, u64::MAX >> 2).unwrap_err();
}
