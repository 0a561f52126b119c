//! Reading from the end: the same records as reading from the start, and no more of them than asked for.
use super::super::backward::Backward;
use super::*;

fn mixed(records: &Records) -> Vec<Record> {
    let call = |mark, point, name| {
        let named = Named::Registered {
            name,
            version: 1,
            side_effect: SideEffect::ReadOnly,
            network: Network::Local,
        };
        Record::Call(CallRecord { named, point, ..records.call(mark) })
    };
    let end = Mark::End;
    (0..12)
        .flat_map(|_| {
            [
                call(end(OutcomeKind::Executed), Point::At(Stage::Execute), "a.one"),
                call(end(OutcomeKind::Refused), Point::At(Stage::Policy), "a.one"),
                call(end(OutcomeKind::Refused), Point::At(Stage::Validate), "a.two"),
                call(Mark::LateCompletion, Point::At(Stage::Execute), "a.two"),
                records.event(Administrative::Login),
            ]
        })
        .collect()
}

/// Of several files.
fn written() -> Home {
    let home = Home::new();
    let audit = home.open_short().audit;
    let records = Records::new();
    // a log goes on in another file only when the one before is sealed
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for record in mixed(&records) {
        audit.append(record).unwrap();
        runtime.block_on(audit.durable()).unwrap();
    }
    drop(audit);
    assert!(home.dir().join("000005.jsonl").exists());
    home
}

fn forward(home: &Home) -> Vec<StoredRecord> {
    let mut all: Vec<_> = LogReader::open(&home.dir()).unwrap().map(Result::unwrap).collect();
    all.reverse();
    all
}

fn paged(home: &Home, filter: &RecordFilter, count: usize) -> Vec<StoredRecord> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = recent(&home.dir(), filter, count, before).unwrap();
        assert!(page.records.len() <= count);
        all.extend(page.records);
        before = page.before;
        if before.is_none() {
            return all;
        }
    }
}

#[test]
fn pages_of_any_length_give_every_record_once_newest_first_over_all_files() {
    let home = written();
    let all = forward(&home);
    assert_eq!(all.len(), 60);
    for count in [1, 2, 7, 59, 60, 61] {
        assert_eq!(paged(&home, &RecordFilter::default(), count), all, "{count}");
    }
    for before in 1..=62 {
        let page = recent(&home.dir(), &RecordFilter::default(), 3, Some(before)).unwrap();
        let expected: Vec<_> = all.iter().filter(|r| r.n < before).take(3).cloned().collect();
        assert_eq!(page.records, expected, "in front of {before}");
    }
    assert_eq!(tail(&home.dir(), 2).unwrap(), [all[1].clone(), all[0].clone()]);
}

#[test]
fn a_filter_gives_exactly_what_fits_it() {
    let home = written();
    let all = forward(&home);
    let call = |record: &StoredRecord| match &record.entry {
        StoredEntry::Call(call) => Some(call.clone()),
        StoredEntry::Administrative(_) => None,
    };
    let some = call(&all[9]).or_else(|| call(&all[8])).unwrap();
    type Fits<'a> = Box<dyn Fn(&StoredCall) -> bool + 'a>;
    let filters: [(RecordFilter, Fits<'_>); 6] = [
        (RecordFilter::default().kind(RecordKind::Call), Box::new(|_| true)),
        (
            RecordFilter::default().outcome(OutcomeKind::Refused),
            Box::new(|c| c.outcome.as_deref() == Some("refused")),
        ),
        (
            RecordFilter::default().point(Point::At(Stage::Execute)),
            Box::new(|c| c.point == "execute"),
        ),
        (RecordFilter::default().capability("a.two"), Box::new(|c| c.capability == "a.two")),
        (RecordFilter::default().call(&some.id), Box::new(|c| c.id == some.id)),
        (
            RecordFilter::default().capability("a.one").outcome(OutcomeKind::Refused),
            Box::new(|c| c.capability == "a.one" && c.outcome.as_deref() == Some("refused")),
        ),
    ];
    for (filter, fits) in filters {
        let expected: Vec<_> =
            all.iter().filter(|r| call(r).is_some_and(|c| fits(&c))).cloned().collect();
        assert!(!expected.is_empty());
        for count in [1, 5, 99] {
            assert_eq!(paged(&home, &filter, count), expected, "{filter:?}");
        }
    }
    let events = paged(&home, &RecordFilter::default().kind(RecordKind::Administrative), 4);
    assert_eq!(events.len(), 12);
    assert!(events.iter().all(|r| call(r).is_none()));
    let none = RecordFilter::default().kind(RecordKind::Administrative).capability("a.one");
    assert!(paged(&home, &none, 4).is_empty());
}

#[test]
fn a_changed_record_is_named_where_it_is_read_and_not_where_it_is_not() {
    let records = Records::new();
    for bad in 0..6_usize {
        let home = Home::written((0..6).map(|_| records.ended()));
        let mut lines = home.lines();
        lines[bad] = lines[bad].replace("\"argument_bytes\":24", "\"argument_bytes\":25");
        Home::overwrite(&home.log(), lines.concat().as_bytes());
        let behind = 5 - bad;
        assert_eq!(tail(&home.dir(), behind).unwrap().len(), behind);
        match tail(&home.dir(), behind + 1) {
            Err(LogError::Damaged(damage)) => assert_eq!(damage.record, bad as u64 + 1),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_removed_swapped_or_resealed_record_is_seen_from_the_end() {
    let records = Records::new();
    let home = Home::written((0..6).map(|_| records.ended()));
    let lines = home.lines();
    let seen = |lines: Vec<String>| {
        Home::overwrite(&home.log(), lines.concat().as_bytes());
        match tail(&home.dir(), 6) {
            Err(LogError::Damaged(damage)) => damage.what,
            other => panic!("{other:?}"),
        }
    };
    let without = |n: usize| {
        let mut lines = lines.clone();
        lines.remove(n);
        lines
    };
    assert_eq!(seen(without(2)), "the record has another number");
    let cut = "the record is the last one, though the head names a later one";
    assert_eq!(seen(without(5)), cut);
    let mut swapped = lines.clone();
    swapped.swap(2, 3);
    assert_eq!(seen(swapped), "the record has another number");
    // another log of the same length, whose records are whole and chained, under the old head
    let other = Home::written((0..6).map(|_| Records::new().ended()));
    assert_eq!(seen(other.lines()), "the record is not the one that the head names");
    let mut spliced = lines;
    spliced[2] = other.lines()[2].clone();
    assert_eq!(seen(spliced), "the record is not the one that the next one follows");
}

#[test]
fn what_a_writer_or_a_crash_left_unfinished_at_the_end_is_passed_over() {
    let records = Records::new();
    let home = Home::written((0..3).map(|_| records.ended()));
    let whole = std::fs::read(home.log()).unwrap();
    for rest in ["{\"n\":4,\"prev\":\"", "no record\n", "\0\0\0\0\n\0\0", "no\nrecord\n{\"n\":4"] {
        Home::overwrite(&home.log(), &[&whole, rest.as_bytes()].concat());
        let read = tail(&home.dir(), 9).unwrap();
        assert_eq!(read.iter().map(|r| r.n).collect::<Vec<_>>(), [1, 2, 3], "{rest:?}");
    }
    let long = [&whole[..], &[b'x'; 100_000]].concat();
    Home::overwrite(&home.log(), &long);
    assert_eq!(tail(&home.dir(), 9).unwrap().len(), 3);
}

#[test]
fn an_empty_log_and_none_at_all_have_nothing_recent() {
    let home = Home::new();
    crate::files::create_private_dir(&home.dir()).unwrap();
    assert!(tail(&home.dir(), 3).unwrap().is_empty());
    drop(home.open());
    assert_eq!(recent(&home.dir(), &RecordFilter::default(), 3, None).unwrap().records, []);
    let home = Home::written([Records::new().ended()]);
    std::fs::remove_file(home.head()).unwrap();
    let error = tail(&home.dir(), 3).unwrap_err();
    assert!(error.to_string().contains("the head is missing"), "{error}");
}

/// Counts how often a file was opened, by name.
struct Counted(Disk, std::sync::Mutex<Vec<String>>);

impl Storage for Arc<Counted> {
    fn open(&self, name: &str) -> Result<Option<Box<dyn LogFile>>, FileError> {
        let file = self.0.open(name)?;
        if file.is_some() {
            self.1.lock().unwrap().push(name.to_owned());
        }
        Ok(file)
    }
    fn create(&self, name: &str) -> Result<Box<dyn LogFile>, FileError> {
        self.0.create(name)
    }
    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        self.0.rename(from, to)
    }
    fn sync(&self) -> Result<(), FileError> {
        self.0.sync()
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }
}

#[test]
fn the_end_of_a_long_log_is_read_without_the_rest_of_it() {
    let home = written();
    let last = forward(&home)[0].n;
    let counted = Arc::new(Counted(Disk::reading(&home.dir()).unwrap(), Default::default()));
    let mut log = Backward::open(Arc::new(Arc::clone(&counted))).unwrap().unwrap();
    assert_eq!(log.next().unwrap().unwrap().n, last);
    let opened = std::mem::take(&mut *counted.1.lock().unwrap());
    assert_eq!(opened.len(), 2, "the head and the last file: {opened:?}");
    log.skip_to(2).unwrap();
    assert!(log.next().unwrap().unwrap().n < 5);
    let opened = counted.1.lock().unwrap().len();
    assert!(opened <= 7, "it halves the files that it looks at: {opened} of 20");
}

#[test]
fn activity_counts_each_end_in_its_time_whatever_the_clock_did() {
    let records = Records::new();
    let home = Home::new();
    let quota = LogOptions::default().refusals_a_minute(1);
    let audit = FileAudit::open_with(&home.dir(), &Fixed, quota).unwrap().audit;
    let base = Fixed.wall();
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    for minute in [0, 1, 1, 3, 4, 9] {
        let at = base + minutes(minute);
        let call = records.call(Mark::End(OutcomeKind::Executed));
        audit.append(Record::Call(CallRecord { at, ..call })).unwrap();
    }
    // the clock was set back: later in the log, earlier in time
    let at = base + minutes(2);
    let refused = || CallRecord {
        at,
        point: Point::At(Stage::Policy),
        ..records.call(Mark::End(OutcomeKind::Refused))
    };
    for _ in 0..5 {
        audit.append(Record::Call(refused())).unwrap();
    }
    let asked = records.call(Mark::AwaitingConfirmation);
    audit.append(Record::Call(CallRecord { at, ..asked })).unwrap();
    drop(audit);
    let seen = activity(&home.dir(), 10).unwrap();
    assert!(seen.complete);
    let ends: Vec<_> = seen
        .buckets
        .iter()
        .map(|bucket| {
            let count = |point: &str, outcome: &str| {
                bucket.ends.get(point).and_then(|ends| ends.get(outcome)).copied()
            };
            let minute = bucket.start.strip_prefix("2026-01-02T").unwrap();
            assert_eq!(bucket.ends.len(), 1, "{minute}");
            (minute, count("execute", "executed"), count("policy", "refused"))
        })
        .collect();
    assert_eq!(
        ends,
        [
            ("03:04:00.000Z", Some(1), None),
            ("03:05:00.000Z", Some(2), None),
            ("03:06:00.000Z", None, Some(5)),
            ("03:07:00.000Z", Some(1), None),
            ("03:08:00.000Z", Some(1), None),
            ("03:13:00.000Z", Some(1), None),
        ]
    );
}

#[test]
fn activity_widens_its_spans_until_the_whole_log_fits() {
    let records = Records::new();
    let home = Home::new();
    let quota = LogOptions::default().refusals_a_minute(1);
    let audit = FileAudit::open_with(&home.dir(), &Fixed, quota).unwrap().audit;
    let end = |seconds: u64, point, outcome| {
        let at = Fixed.wall() + Duration::from_secs(seconds);
        let call = records.call(Mark::End(outcome));
        audit.append(Record::Call(CallRecord { at, point, ..call })).unwrap();
    };
    let seen = || {
        let seen = activity(&home.dir(), 10).unwrap();
        assert!(seen.complete);
        let sum = |bucket: &Bucket| bucket.ends.values().flat_map(|o| o.values()).sum::<u64>();
        let buckets: Vec<_> = seen.buckets.iter().map(|b| (b.start.clone(), sum(b))).collect();
        (seen.bucket_seconds, buckets)
    };
    assert_eq!(seen(), (60, Vec::new()));
    let (execute, executed) = (Point::At(Stage::Execute), OutcomeKind::Executed);
    end(0, execute, executed);
    end(300, execute, executed);
    let at = |time: &str| format!("2026-01-02T{time}.000Z");
    assert_eq!(seen(), (60, vec![(at("03:04:00"), 1), (at("03:09:00"), 1)]));
    // one is listed, four are counted
    (0..5).for_each(|_| end(3600, Point::At(Stage::Policy), OutcomeKind::Refused));
    end(3660, execute, executed);
    assert_eq!(seen(), (900, vec![(at("03:00:00"), 2), (at("04:00:00"), 6)]));
    drop(audit);
}

#[test]
fn a_file_of_many_blocks_is_read_from_its_end_to_its_beginning() {
    let records = Records::new();
    let home = Home::written((0..600).map(|_| records.ended()));
    assert!(std::fs::metadata(home.log()).unwrap().len() > 2 << 16, "some blocks of it");
    assert_eq!(paged(&home, &RecordFilter::default(), 100), forward(&home));
}

#[test]
fn damage_to_the_last_sealed_record_is_told_as_its_own() {
    let home = written();
    let last = home.dir().join(verify(&home.dir()).unwrap().head.unwrap().file);
    let mut bytes = std::fs::read(&last).unwrap();
    let start = bytes[..bytes.len() - 1].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    bytes[start + 20] ^= 1;
    Home::overwrite(&last, &bytes);
    let error = tail(&home.dir(), 1).unwrap_err();
    let LogError::Damaged(damage) = error else { panic!("{error}") };
    assert_eq!((damage.file, damage.offset), (last, start as u64));
}

#[test]
fn activity_is_of_what_ended_and_of_no_other_record() {
    let records = Records::new();
    let begun = Record::Call(records.call(Mark::Begin));
    let home = Home::written([records.event(Administrative::Login), begun]);
    assert_eq!(activity(&home.dir(), 10).unwrap().buckets, []);
}
