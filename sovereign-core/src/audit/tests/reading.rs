use super::*;
use std::fs;

#[test]
fn tail_gives_the_last_records_oldest_first() {
    let records = Records::new();
    let home = Home::written((0..5).map(|_| records.ended()));
    let numbers = |count| -> Vec<u64> {
        tail(&home.dir(), count).unwrap().iter().map(|record| record.n).collect()
    };
    assert_eq!(numbers(2), [4, 5]);
    assert_eq!(numbers(0), [0; 0]);
    assert_eq!(numbers(99), [1, 2, 3, 4, 5]);
}

#[test]
fn reading_a_damaged_log_ends_with_the_damage_not_as_if_it_were_whole() {
    let records = Records::new();
    let home = Home::written((0..5).map(|_| records.ended()));
    let mut lines = home.lines();
    lines[3] = lines[3].replace("\"argument_bytes\":24", "\"argument_bytes\":25");
    Home::overwrite(&home.log(), lines.concat().as_bytes());
    let read: Vec<_> = LogReader::open(&home.dir()).unwrap().collect();
    assert_eq!(read.len(), 4);
    assert!(matches!(&read[3], Err(LogError::Damaged(damage)) if damage.record == 4));
    tail(&home.dir(), 2).unwrap_err();
    stats(&home.dir()).unwrap_err();
}

#[test]
fn readers_work_beside_a_writer_and_see_what_it_appended() {
    let records = Records::new();
    let home = Home::new();
    let (audit, _) = flaky(&home, None);
    audit.append(records.ended()).unwrap();
    audit.append(records.ended()).unwrap();
    assert_eq!(tail(&home.dir(), 9).unwrap().len(), 2);
    let verified = verify(&home.dir()).unwrap();
    assert_eq!((verified.records, verified.head.unwrap().n), (2, 0));
    assert_eq!(stats(&home.dir()).unwrap().proposals, 2);
}

#[test]
fn line_that_is_being_written_ends_the_reading_without_an_error() {
    let records = Records::new();
    let home = Home::new();
    let (audit, _) = flaky(&home, None);
    audit.append(records.ended()).unwrap();
    let whole = fs::read(home.log()).unwrap();
    let mut growing = whole.clone();
    growing.extend_from_slice(b"{\"n\":2,\"prev\":\"");
    Home::overwrite(&home.log(), &growing);
    let verified = verify(&home.dir()).unwrap();
    assert_eq!((verified.records, verified.unfinished), (1, true));
    assert_eq!(LogReader::open(&home.dir()).unwrap().map(Result::unwrap).count(), 1);
    Home::overwrite(&home.log(), &whole);
    assert!(!verify(&home.dir()).unwrap().unfinished);
}

#[test]
fn log_open_to_others_is_not_read() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::written([Records::new().ended()]);
    for path in [home.log(), home.head(), home.dir()] {
        let kept = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let error = verify(&home.dir()).unwrap_err();
        assert!(error.to_string().contains("run `chmod "), "{error}");
        FileAudit::open(&home.dir(), &Fixed).unwrap_err();
        fs::set_permissions(&path, kept).unwrap();
    }
    verify(&home.dir()).unwrap();
}

#[test]
fn stats_count_outcomes_capabilities_codes_and_how_far_proposals_got() {
    let records = Records::new();
    let end = |point, outcome, code| {
        let mark = Mark::End(outcome);
        Record::Call(CallRecord { point, code, ..records.call(mark) })
    };
    let unknown = CallRecord {
        named: Named::Unregistered { name_bytes: 4 },
        point: Point::At(Stage::Resolve),
        code: Some("unknown_capability"),
        ..records.call(Mark::End(OutcomeKind::Refused))
    };
    let home = Home::new();
    let audit = home.open().audit;
    for record in [
        end(Point::Budget, OutcomeKind::NotAttempted, None),
        end(Point::Budget, OutcomeKind::BudgetExhausted, Some("turn_cap")),
        end(Point::Parse, OutcomeKind::ParseFailed, Some("truncated")),
        Record::Call(unknown),
        end(Point::At(Stage::Validate), OutcomeKind::Refused, Some("invalid_arguments")),
        end(Point::At(Stage::Policy), OutcomeKind::Refused, Some("not_enabled")),
        end(Point::At(Stage::Policy), OutcomeKind::Refused, Some("not_enabled")),
        end(Point::At(Stage::Confirm), OutcomeKind::Denied, None),
        end(Point::At(Stage::Execute), OutcomeKind::Executed, None),
        end(Point::At(Stage::Execute), OutcomeKind::Executed, None),
        Record::Call(records.call(Mark::AwaitingConfirmation)),
        Record::Call(records.call(Mark::LateCompletion)),
        records.event(Administrative::Login),
    ] {
        audit.append(record).unwrap();
    }
    let stats = stats(&home.dir()).unwrap();
    assert_eq!((stats.records, stats.proposals, stats.open), (13, 10, 1));
    let a = stats.accuracy;
    assert_eq!(
        [a.judged, a.parsed, a.resolved, a.valid, a.admitted, a.executed],
        [8, 7, 6, 5, 3, 2]
    );
    assert_eq!(stats.outcomes["refused"], 4);
    assert_eq!(stats.codes["policy/not_enabled"], 2);
    assert_eq!(stats.capabilities["unregistered"]["refused"], 1);
    assert_eq!(stats.capabilities["web.fetch@2"]["refused"], 3);
    assert_eq!(stats.events["login"], 1);
}
