use super::*;
use std::fs;

fn ids(records: &[&CallRecord]) -> Vec<String> {
    records.iter().map(|record| record.id.to_string()).collect()
}

fn ends(home: &Home, id: InvocationId) -> Vec<StoredCall> {
    let read = tail(&home.dir(), 99).unwrap().into_iter();
    read.filter_map(|record| match record.entry {
        StoredEntry::Call(call) if call.id == id.to_string() && call.mark == "end" => Some(call),
        _ => None,
    })
    .collect()
}

/// C-16.
#[test]
fn what_a_crash_left_open_is_closed_once_at_the_next_start() {
    let records = Records::new();
    let begun = records.call(Mark::Begin);
    let waiting =
        CallRecord { point: Point::At(Stage::Confirm), ..records.call(Mark::AwaitingConfirmation) };
    // approved and begun: what it was waiting for no longer counts
    let approved = records.call(Mark::AwaitingConfirmation);
    let running = CallRecord { mark: Mark::Begin, ..approved };
    let done = records.call(Mark::Begin);
    let ended = CallRecord { mark: Mark::End(OutcomeKind::Executed), ..done };
    let home = Home::written(
        [&begun, &waiting, &approved, &running, &done, &ended].map(|r| Record::Call(r.clone())),
    );
    let open = verify(&home.dir()).unwrap().head.unwrap().open;
    assert_eq!(open.len(), 3);
    assert_eq!(open[&waiting.id.to_string()].mark, "awaiting_confirmation");
    assert_eq!(open[&running.id.to_string()].mark, "begin");

    let opened = home.open();
    assert_eq!(
        opened.notices,
        [
            Notice::ClosedCalls { ids: ids(&[&begun, &running]) },
            Notice::VoidedDecisions { ids: ids(&[&waiting]) },
        ]
    );
    for (record, outcome, point) in [
        (&begun, "unknown_effect", "execute"),
        (&running, "unknown_effect", "execute"),
        (&waiting, "void", "confirm"),
    ] {
        let ends = ends(&home, record.id);
        let [end] = ends.as_slice() else { panic!("{ends:?}") };
        assert_eq!(end.outcome.as_deref(), Some(outcome));
        assert_eq!((&*end.point, end.code.as_deref()), (point, Some("restart")));
        assert_eq!(
            (end.named(), end.turn.clone()),
            ("web.fetch@2".to_owned(), record.turn.to_string())
        );
    }
    assert_eq!(ends(&home, done.id).len(), 1);
    // sealed before anybody gets the log
    let head = verify(&home.dir()).unwrap().head.unwrap();
    assert_eq!((head.n, head.open.len()), (9, 0));
    drop(opened);
    assert!(home.open().notices.is_empty());
    assert_eq!(verify(&home.dir()).unwrap().records, 9);
}

#[test]
fn second_writer_is_refused_while_readers_work() {
    let records = Records::new();
    let home = Home::new();
    let first = home.open().audit;
    first.append(records.ended()).unwrap();
    let error = FileAudit::open(&home.dir(), &Fixed).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` is in use by another process (pid {}): only one may write there at a time",
            home.dir().display(),
            std::process::id()
        )
    );
    assert_eq!(tail(&home.dir(), 9).unwrap().len(), 1);
    verify(&home.dir()).unwrap();
    assert_eq!(writer(&home.dir()), Some(std::process::id()));
    first.append(records.ended()).unwrap();
    drop(first);
    assert_eq!(writer(&home.dir()), None, "its note is still there");
    let again = home.open().audit;
    again.append(records.ended()).unwrap();
    drop(again);
    assert_eq!(verify(&home.dir()).unwrap().records, 3);
}

#[test]
fn torn_tail_above_the_head_is_moved_aside_loudly() {
    let records = Records::new();
    for torn in [&b"{\"n\":3,\"prev\":\"00"[..], &[0; 4096], &[0; 5000], b"\n", b"{}\n{\"n\":4"] {
        let home = Home::written([records.ended(), records.ended()]);
        let good = fs::read(home.log()).unwrap();
        Home::overwrite(&home.log(), &[&good, torn].concat());
        let opened = home.open();
        let [Notice::TornTail { record: 3, bytes, moved_to }] = opened.notices.as_slice() else {
            panic!("{:?}", opened.notices);
        };
        assert_eq!(*bytes, torn.len() as u64);
        assert_eq!(moved_to, &home.dir().join("000001.jsonl.torn-000003"));
        assert_eq!(fs::read(moved_to).unwrap(), torn);
        assert!(fs::read(home.log()).unwrap().starts_with(&good));
        let last = tail(&home.dir(), 1).unwrap().remove(0);
        let StoredEntry::Administrative(event) = last.entry else { panic!("an event") };
        assert_eq!((last.n, &*event.event), (3, "tail_quarantined"));
        assert_eq!(event.details["bytes"], torn.len());
        assert!(opened.notices[0].to_string().contains("torn at record 3"));
    }
}

/// Whatever part of the unsealed end a crash keeps, the next start gives a whole log in which
/// everything has ended.
#[test]
fn crash_at_any_byte_above_the_head_is_recovered() {
    let records = Records::new();
    let home = Home::new();
    let (audit, _) = flaky(&home, None);
    audit.append(records.ended()).unwrap();
    let sealed = fs::read(home.log()).unwrap().len();
    let first = Home::written([Records::new().ended()]);
    let begun = records.call(Mark::Begin);
    let ended = CallRecord { mark: Mark::End(OutcomeKind::Executed), ..begun };
    audit.append(Record::Call(begun)).unwrap();
    audit.append(Record::Call(ended)).unwrap();
    let all = fs::read(home.log()).unwrap();
    let head = fs::read(first.head()).unwrap();
    let line = home.lines()[1].len();
    for kept in (sealed..=all.len()).step_by(23) {
        Home::overwrite(&first.log(), &all[..kept]);
        Home::overwrite(&first.head(), &head);
        let opened = first.open();
        let torn = opened.notices.iter().any(|n| matches!(n, Notice::TornTail { .. }));
        let closed = opened.notices.iter().any(|n| matches!(n, Notice::ClosedCalls { .. }));
        let (begins, behind) = (kept - sealed >= line, kept - sealed);
        assert_eq!(torn, behind != 0 && behind != line && kept != all.len(), "{kept}");
        assert_eq!(closed, begins && kept != all.len(), "{kept}");
        let verified = verify(&first.dir()).unwrap();
        assert!(verified.head.unwrap().open.is_empty());
        assert_eq!(stats(&first.dir()).unwrap().open, 0);
    }
}

#[test]
fn second_torn_tail_at_one_place_does_not_replace_the_first() {
    let records = Records::new();
    let home = Home::written([records.ended()]);
    let good = fs::read(home.log()).unwrap();
    let head = fs::read(home.head()).unwrap();
    for torn in ["first", "second"] {
        Home::overwrite(&home.log(), &[&good, torn.as_bytes()].concat());
        Home::overwrite(&home.head(), &head);
        drop(home.open());
    }
    let kept = |name: &str| fs::read_to_string(home.dir().join(name)).unwrap();
    assert_eq!(kept("000001.jsonl.torn-000002"), "first");
    assert_eq!(kept("000001.jsonl.torn-000002-2"), "second");
}

#[test]
fn whole_records_above_the_head_are_kept_and_sealed() {
    let records = Records::new();
    let home = Home::written([records.ended(), records.ended()]);
    let earlier = Home::written([Records::new().ended()]);
    Home::overwrite(&home.head(), &fs::read(earlier.head()).unwrap());
    let opened = home.open();
    assert!(opened.notices.is_empty());
    let verified = verify(&home.dir()).unwrap();
    assert_eq!((verified.records, verified.head.unwrap().n), (2, 2));
}

#[test]
fn log_damaged_at_or_below_the_head_is_not_opened_and_not_touched() {
    let records = Records::new();
    let home = Home::written((0..3).map(|_| records.ended()));
    let good = fs::read(home.log()).unwrap();
    let head = fs::read(home.head()).unwrap();
    let mut flipped = good.clone();
    let last = good.len() - 200;
    flipped[last] ^= 4;
    let cut = &good[..good.len() - 1];
    let no_head = slots_of_rubbish();
    for (log, head) in
        [(flipped.as_slice(), head.as_slice()), (cut, &head), (&[], &head), (&good, &no_head)]
    {
        Home::overwrite(&home.log(), log);
        Home::overwrite(&home.head(), head);
        let error = FileAudit::open(&home.dir(), &Fixed).unwrap_err();
        assert!(matches!(error, LogError::Damaged(_)), "{error}");
        assert_eq!(fs::read(home.log()).unwrap(), log);
        assert_eq!(fs::read(home.head()).unwrap(), head);
        assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 3);
    }
    Home::overwrite(&home.log(), &good);
    fs::remove_file(home.head()).unwrap();
    assert!(matches!(FileAudit::open(&home.dir(), &Fixed), Err(LogError::Damaged(_))));
    Home::overwrite(&home.head(), &head);
}

/// A start reads from the head on: what is far below it is for `verify`.
#[test]
fn start_takes_as_long_over_a_long_log_and_verify_finds_what_it_does_not_read() {
    let records = Records::new();
    let home = Home::written((0..50).map(|_| records.ended()));
    let mut log = fs::read(home.log()).unwrap();
    log[300] ^= 1;
    Home::overwrite(&home.log(), &log);
    let audit = home.open().audit;
    audit.append(records.ended()).unwrap();
    drop(audit);
    assert_eq!(home.damage().record, 1);
}

#[test]
fn open_call_that_the_head_names_has_to_be_where_it_says() {
    let records = Records::new();
    let begun = records.call(Mark::Begin);
    let home = Home::written([Record::Call(begun), records.ended()]);
    let good = fs::read(home.log()).unwrap();
    for at in (0..home.lines()[0].len()).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        Home::overwrite(&home.log(), &bad);
        let error = FileAudit::open(&home.dir(), &Fixed).unwrap_err();
        assert!(error.to_string().contains("names an open call that is not there"), "{error}");
        assert_eq!(fs::read(home.log()).unwrap(), bad);
    }
    Home::overwrite(&home.log(), &good);
    assert!(matches!(home.open().notices.as_slice(), [Notice::ClosedCalls { .. }]));
}

#[test]
fn crash_between_head_and_log_at_the_first_start_is_no_damage() {
    let home = Home::new();
    drop(home.open());
    fs::remove_file(home.log()).unwrap();
    assert_eq!(verify(&home.dir()).unwrap().records, 0);
    assert!(home.open().notices.is_empty());
}

#[test]
fn directory_that_no_writer_has_used_verifies_as_empty() {
    let home = Home::new();
    crate::files::create_private_dir(&home.dir()).unwrap();
    let verified = verify(&home.dir()).unwrap();
    assert_eq!((verified.records, verified.head), (0, None));
    assert_eq!(stats(&home.dir()).unwrap(), Stats::default());
}

#[test]
fn symbolic_link_in_place_of_the_log_is_refused() {
    let home = Home::written([Records::new().ended()]);
    let elsewhere = home.0.path().join("elsewhere");
    fs::rename(home.log(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.log()).unwrap();
    for error in
        [FileAudit::open(&home.dir(), &Fixed).unwrap_err(), verify(&home.dir()).unwrap_err()]
    {
        assert!(error.to_string().contains("is a symbolic link"), "{error}");
    }
}

fn slots_of_rubbish() -> Vec<u8> {
    b"{}\n".repeat(40_000)
}

#[test]
fn open_call_that_the_head_names_has_to_be_that_call_with_that_mark() {
    let records = Records::new();
    let begun = [records.call(Mark::Begin), records.call(Mark::Begin)];
    let home = Home::written(begun.clone().map(Record::Call));
    let head = verify(&home.dir()).unwrap().head.unwrap();
    let [first, second] = begun.map(|call| call.id.to_string());
    let mut another = head.clone();
    another.open.insert(first.clone(), head.open[&second].clone());
    let mut other_mark = head.clone();
    other_mark.open.get_mut(&first).unwrap().mark = "awaiting_confirmation".to_owned();
    for forged in [another, other_mark] {
        Home::overwrite(&home.head(), &slots(&forged, &forged));
        let error = FileAudit::open(&home.dir(), &Fixed).unwrap_err();
        assert!(error.to_string().contains("names an open call that is not there"), "{error}");
    }
    Home::overwrite(&home.head(), &slots(&head, &head));
    assert_eq!(home.open().notices.len(), 1);
}

/// What is between the two heads is sealed: damage there is no torn tail.
#[test]
fn the_later_head_counts_in_whichever_slot_it_is() {
    let records = Records::new();
    let home = Home::written([records.ended()]);
    let early = verify(&home.dir()).unwrap().head.unwrap();
    let audit = home.open().audit;
    audit.append(records.ended()).unwrap();
    drop(audit);
    let late = verify(&home.dir()).unwrap().head.unwrap();
    let mut bad = fs::read(home.log()).unwrap();
    let last = bad.len() - 100;
    bad[last] ^= 1;
    Home::overwrite(&home.log(), &bad);
    for (first, second) in [(&early, &late), (&late, &early)] {
        Home::overwrite(&home.head(), &slots(first, second));
        let error = FileAudit::open(&home.dir(), &Fixed).unwrap_err();
        assert!(matches!(error, LogError::Damaged(_)), "{error}");
        assert_eq!(fs::read(home.log()).unwrap(), bad, "nothing is moved aside");
    }
}

#[test]
fn a_head_that_does_not_fit_its_slot_is_not_written() {
    let home = Home::written([Record::Call(Records::new().call(Mark::Begin))]);
    let mut head = verify(&home.dir()).unwrap().head.unwrap();
    head.slot().unwrap();
    let open = head.open.values().next().unwrap().clone();
    head.open.extend((0..1000).map(|n| (format!("{n:0>40}"), open.clone())));
    head.slot().unwrap_err();
}

#[test]
fn an_empty_file_behind_a_torn_tail_is_left_for_the_log_to_go_on_in() {
    let records = Records::new();
    let home = Home::written([records.ended()]);
    let good = fs::read(home.log()).unwrap();
    Home::overwrite(&home.log(), &[&good, &b"torn"[..]].concat());
    Home::overwrite(&home.dir().join("000002.jsonl"), b"");
    let opened = home.open();
    assert!(matches!(opened.notices.as_slice(), [Notice::TornTail { bytes: 4, .. }]));
    assert!(home.dir().join("000002.jsonl").exists());
}

#[test]
fn a_start_whose_records_the_disk_does_not_keep_names_none_of_them_in_the_head() {
    let records = Records::new();
    let home = Home::written([Record::Call(records.call(Mark::Begin))]);
    let head = fs::read(home.head()).unwrap();
    let controls = Arc::<Controls>::default();
    controls.refuse_sync.store(true, Ordering::SeqCst);
    let through = |disk| Flaky { disk, controls: Arc::clone(&controls), gate: None };
    let options = LogOptions::default();
    super::super::start::open(&home.dir(), &Fixed, options, through).unwrap_err();
    assert_eq!(fs::read(home.head()).unwrap(), head);
    drop(home.open());
    assert_eq!(stats(&home.dir()).unwrap().open, 0, "the next start seals them");
}
