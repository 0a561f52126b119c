use super::*;

fn ended_at(records: &Records, at: Duration, point: Point, outcome: OutcomeKind) -> CallRecord {
    let call = records.call(Mark::End(outcome));
    CallRecord { point, at: SystemTime::UNIX_EPOCH + at, ..call }
}

fn refused(records: &Records, caller: ScopeKind, minute: u64) -> Record {
    let at = Duration::from_secs(minute * 60 + 5);
    let call = ended_at(records, at, Point::At(Stage::Policy), OutcomeKind::Refused);
    Record::Call(CallRecord { caller, ..call })
}

fn open(home: &Home) -> FileAudit {
    let options = LogOptions::default().refusals_a_minute(10).idle(Duration::from_secs(3600));
    FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit
}

fn summaries(home: &Home) -> Vec<serde_json::Value> {
    let read = tail(&home.dir(), 10_000).unwrap().into_iter();
    let details = |record: StoredRecord| match record.entry {
        StoredEntry::Administrative(event) => serde_json::to_value(event).ok(),
        StoredEntry::Call(_) => None,
    };
    read.filter_map(details).collect()
}

#[test]
fn refusals_beyond_the_quota_of_a_minute_are_one_record_with_their_counts() {
    let records = Records::new();
    let home = Home::new();
    let audit = open(&home);
    for _ in 0..1000 {
        audit.append(refused(&records, ScopeKind::Mesh, 7)).unwrap();
    }
    assert_eq!(tail(&home.dir(), 9999).unwrap().len(), 10);
    audit.append(refused(&records, ScopeKind::Operator, 8)).unwrap();
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().records, 12);
    let [summary] = &summaries(&home)[..] else { panic!("one") };
    assert_eq!(summary["event"], "refusals_summarised");
    assert_eq!((&summary["caller"], &summary["policy"]), (&"mesh".into(), &990.into()));
    let stats = stats(&home.dir()).unwrap();
    assert_eq!((stats.proposals, stats.unlisted, stats.outcomes["refused"]), (1001, 990, 1001));
    assert_eq!(stats.outcomes.len(), 1, "what did not happen is not listed");
    assert_eq!(
        (stats.accuracy.judged, stats.accuracy.valid, stats.accuracy.admitted),
        (1001, 1001, 0)
    );
}

#[test]
fn one_callers_quota_is_not_anothers_and_a_new_minute_is_a_new_one() {
    let records = Records::new();
    let home = Home::new();
    let audit = open(&home);
    for minute in [3, 4, 3] {
        for _ in 0..12 {
            audit.append(refused(&records, ScopeKind::Mesh, minute)).unwrap();
            audit.append(refused(&records, ScopeKind::Operator, minute)).unwrap();
        }
    }
    drop(audit);
    // of each minute and caller ten, and one count of two
    assert_eq!(verify(&home.dir()).unwrap().records, 3 * 2 * (10 + 1));
    assert_eq!(stats(&home.dir()).unwrap().proposals, 72);
}

#[test]
fn count_that_is_held_back_is_written_when_the_log_is_closed() {
    let records = Records::new();
    let home = Home::new();
    let audit = open(&home);
    (0..11).for_each(|_| audit.append(refused(&records, ScopeKind::Mesh, 1)).unwrap());
    drop(audit);
    assert_eq!(summaries(&home)[0]["policy"], 1);
    let verified = verify(&home.dir()).unwrap();
    assert_eq!(verified.head.unwrap().n, 11);
}

#[test]
fn count_is_written_though_nobody_comes_after_it() {
    let records = Records::new();
    let home = Home::new();
    let options = LogOptions::default().refusals_a_minute(0).idle(Duration::from_millis(1));
    let (started, starts) = std::sync::mpsc::channel();
    let (go, leave) = std::sync::mpsc::channel();
    let (audit, _) = flaky_with(&home, Some((started, leave)), options);
    audit.append(refused(&records, ScopeKind::Mesh, 1)).unwrap();
    // the sync of the count, and nobody has asked for it
    starts.recv_timeout(Duration::from_secs(60)).unwrap();
    go.send(()).unwrap();
    drop(audit);
    assert_eq!(summaries(&home)[0]["policy"], 1);
}

/// Whatever passed policy is listed, each time: nobody can hide a call behind a flood.
#[test]
fn what_passed_policy_is_never_held_back() {
    let records = Records::new();
    let home = Home::new();
    let audit = open(&home);
    (0..50).for_each(|_| audit.append(refused(&records, ScopeKind::Operator, 1)).unwrap());
    let mut expected = 10;
    for outcome in OutcomeKind::ALL {
        for point in [Point::At(Stage::Confirm), Point::At(Stage::Execute)] {
            if matches!(outcome, OutcomeKind::ParseFailed | OutcomeKind::NotAttempted) {
                continue;
            }
            let call = ended_at(&records, Duration::from_secs(65), point, outcome);
            audit.append(Record::Call(call)).unwrap();
            expected += 1;
        }
    }
    for mark in [Mark::AwaitingConfirmation, Mark::Begin, Mark::LateCompletion] {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(65);
        audit.append(Record::Call(CallRecord { at, ..records.call(mark) })).unwrap();
        expected += 1;
    }
    assert_eq!(tail(&home.dir(), 9999).unwrap().len(), expected);
    drop(audit);
}

#[test]
fn every_end_at_or_before_policy_is_counted_under_its_own_word() {
    let records = Records::new();
    let home = Home::new();
    let options = LogOptions::default().refusals_a_minute(0);
    let audit = FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit;
    let kinds = [
        (Point::Parse, OutcomeKind::ParseFailed),
        (Point::Budget, OutcomeKind::BudgetExhausted),
        (Point::Budget, OutcomeKind::NotAttempted),
        (Point::At(Stage::Resolve), OutcomeKind::Refused),
        (Point::At(Stage::Validate), OutcomeKind::Refused),
        (Point::At(Stage::Policy), OutcomeKind::Refused),
    ];
    for (many, (point, outcome)) in kinds.into_iter().enumerate() {
        for _ in 0..=many {
            let call = ended_at(&records, Duration::from_secs(65), point, outcome);
            audit.append(Record::Call(call)).unwrap();
        }
    }
    (0..7).for_each(|_| audit.append(login_failed(&records, 66)).unwrap());
    drop(audit);
    let [ends, logins] = &summaries(&home)[..] else { panic!("two") };
    let words =
        ["parse_failed", "budget_exhausted", "not_attempted", "resolve", "validate", "policy"];
    for (many, word) in words.into_iter().enumerate() {
        assert_eq!(ends[word], many + 1, "{word}");
    }
    assert_eq!(logins["logins"], 7);
    let stats = stats(&home.dir()).unwrap();
    assert_eq!((stats.proposals, stats.outcomes["refused"]), (21, 15));
    let a = stats.accuracy;
    assert_eq!([a.judged, a.parsed, a.resolved, a.valid, a.admitted], [16, 15, 11, 6, 0]);
}

/// A decision waits, its grant is taken away, and a flood has used the minute up.
#[test]
fn a_call_that_the_log_says_is_open_ends_in_it_however_many_were_refused() {
    let records = Records::new();
    let home = Home::new();
    let audit = open(&home);
    let waits = records.call(Mark::AwaitingConfirmation);
    audit.append(Record::Call(waits.clone())).unwrap();
    (0..50).for_each(|_| audit.append(refused(&records, waits.caller, 1)).unwrap());
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(65);
    let mark = Mark::End(OutcomeKind::Refused);
    let ended = CallRecord { at, mark, point: Point::At(Stage::Policy), ..waits };
    audit.append(Record::Call(ended)).unwrap();
    drop(audit);
    let id = waits.id.to_string();
    let read = tail(&home.dir(), 9999).unwrap().into_iter();
    let marks: Vec<_> = read
        .filter_map(|record| match record.entry {
            StoredEntry::Call(call) if call.id == id => Some(call.mark),
            _ => None,
        })
        .collect();
    assert_eq!(marks, ["awaiting_confirmation", "end"]);
    let verified = verify(&home.dir()).unwrap();
    assert_eq!(verified.records, 1 + 10 + 1 + 1, "the flood beside it is counted all the same");
    assert!(verify(&home.dir()).unwrap().head.unwrap().open.is_empty());
}

fn login_failed(records: &Records, seconds: u64) -> Record {
    let Record::Administrative(event) = records.event(Administrative::LoginFailed) else {
        panic!("an event")
    };
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Record::Administrative(AdministrativeRecord { at, ..event })
}

#[test]
fn the_seconds_of_one_minute_share_its_quota() {
    let records = Records::new();
    let home = Home::new();
    let audit = open(&home);
    for second in 0..12 {
        let at = Duration::from_secs(120 + second);
        let call = ended_at(&records, at, Point::At(Stage::Policy), OutcomeKind::Refused);
        audit.append(Record::Call(call)).unwrap();
    }
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().records, 11);
    assert_eq!(summaries(&home)[0]["policy"], 2);
}

#[test]
fn refused_logins_alone_are_counted_and_no_other_event() {
    let records = Records::new();
    let home = Home::new();
    let options = LogOptions::default().refusals_a_minute(0).idle(Duration::from_secs(3600));
    let audit = FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit;
    (0..3).for_each(|_| audit.append(records.event(Administrative::Login)).unwrap());
    assert_eq!(tail(&home.dir(), 9).unwrap().len(), 3);
    (0..3).for_each(|second| audit.append(login_failed(&records, second)).unwrap());
    drop(audit);
    let all = summaries(&home);
    let count = all.iter().find(|event| event["event"] == "login_failures_summarised").unwrap();
    assert_eq!((all.len(), &count["logins"]), (4, &3.into()), "also when nothing else is held");
}

#[tokio::test]
async fn what_is_counted_is_not_written_down_whenever_the_log_is_woken() {
    let records = Records::new();
    let home = Home::new();
    let options = LogOptions::default().refusals_a_minute(0).idle(Duration::from_secs(3600));
    let audit = FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit;
    for n in 1..=3 {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(65);
        audit.append(refused(&records, ScopeKind::Mesh, 1)).unwrap();
        let call = CallRecord { at, ..records.call(Mark::End(OutcomeKind::Executed)) };
        audit.append(Record::Call(call)).unwrap();
        audit.durable().await.unwrap();
        assert_eq!(tail(&home.dir(), 99).unwrap().len(), n, "and no count of refusals");
    }
    drop(audit);
    assert_eq!(summaries(&home)[0]["policy"], 3);
}
