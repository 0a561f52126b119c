use super::*;
use std::fs;

fn files(home: &Home) -> Vec<String> {
    let names = fs::read_dir(home.dir()).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<String> = names.map(|n| n.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".jsonl"));
    names.sort();
    names
}

fn read(home: &Home, name: &str) -> Vec<u8> {
    fs::read(home.dir().join(name)).unwrap()
}

/// A log of many short files with a call open all the while, closed in an orderly way.
fn long() -> (Home, CallRecord) {
    let records = Records::new();
    let home = Home::new();
    let audit = home.open_short().audit;
    let begun = records.call(Mark::Begin);
    audit.append(Record::Call(begun.clone())).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for _ in 0..12 {
        audit.append(records.ended()).unwrap();
        runtime.block_on(audit.durable()).unwrap();
    }
    drop(audit);
    (home, begun)
}

#[test]
fn chain_goes_on_over_files_and_each_names_what_is_open() {
    let (home, begun) = long();
    let names = files(&home);
    assert!(names.len() > 3, "{names:?}");
    let verified = verify(&home.dir()).unwrap();
    let head = verified.head.unwrap();
    assert_eq!((&head.file, head.n), (names.last().unwrap(), verified.records));
    let id = begun.id.to_string();
    assert_eq!(head.open[&id].file, head.file, "the newest record of it is in the newest file");
    let mut carried = 0;
    for record in LogReader::open(&home.dir()).unwrap() {
        if let StoredEntry::Call(call) = record.unwrap().entry
            && call.carried
        {
            assert_eq!((&call.id, &*call.mark), (&id, "begin"));
            carried += 1;
        }
    }
    assert_eq!(carried, names.len() - 1);
    for name in &names[1..] {
        let first = String::from_utf8(read(&home, name)).unwrap();
        assert!(first.lines().next().unwrap().contains("\"carried\":true"));
    }
}

#[test]
fn what_was_open_over_many_files_is_closed_once() {
    let (home, begun) = long();
    let opened = home.open_short();
    assert_eq!(opened.notices, [Notice::ClosedCalls { ids: vec![begun.id.to_string()] }]);
    drop(opened);
    let stats = stats(&home.dir()).unwrap();
    assert_eq!((stats.open, stats.outcomes["unknown_effect"], stats.proposals), (0, 1, 13));
    let StoredEntry::Call(end) = tail(&home.dir(), 1).unwrap().remove(0).entry else { panic!() };
    assert_eq!((&*end.mark, end.carried), ("end", false), "an end of its own");
    assert!(home.open_short().notices.is_empty());
}

#[test]
fn damage_in_any_file_is_named_with_its_file() {
    let (home, _) = long();
    for name in files(&home) {
        let good = read(&home, &name);
        for at in (0..good.len()).step_by(97) {
            let mut bad = good.clone();
            bad[at] ^= 1;
            Home::overwrite(&home.dir().join(&name), &bad);
            assert_eq!(home.damage().file, home.dir().join(&name), "byte {at}");
        }
        Home::overwrite(&home.dir().join(&name), &good);
    }
    verify(&home.dir()).unwrap();
}

#[test]
fn missing_or_swapped_file_is_damage() {
    let (home, _) = long();
    let (second, third) = (home.dir().join("000002.jsonl"), home.dir().join("000003.jsonl"));
    let (two, three) = (fs::read(&second).unwrap(), fs::read(&third).unwrap());
    Home::overwrite(&second, &three);
    Home::overwrite(&third, &two);
    assert_eq!(home.damage().file, second);
    Home::overwrite(&second, &two);
    fs::remove_file(&third).unwrap();
    let damage = home.damage();
    assert_eq!(damage.what, "the record is missing, though the head names a later one");
    Home::overwrite(&third, &three);
    let last = home.dir().join(files(&home).last().unwrap());
    fs::remove_file(last).unwrap();
    home.damage();
    assert!(matches!(FileAudit::open(&home.dir(), &Fixed), Err(LogError::Damaged(_))));
}

#[test]
fn log_goes_on_in_its_file_when_the_next_one_cannot_be_made() {
    let records = Records::new();
    let home = Home::new();
    let short = LogOptions::default().file_bytes(1500);
    let (audit, controls) = flaky_with(&home, None, short);
    controls.refuse_create.store(true, Ordering::SeqCst);
    (0..12).for_each(|_| audit.append(records.ended()).unwrap());
    assert_eq!(files(&home), ["000001.jsonl"]);
    controls.refuse_create.store(false, Ordering::SeqCst);
    (0..12).for_each(|_| audit.append(records.ended()).unwrap());
    assert!(!audit.is_degraded());
    drop(audit);
    assert!(files(&home).len() > 1);
    assert_eq!(verify(&home.dir()).unwrap().records, 24);
}

#[test]
fn file_that_somebody_put_in_the_way_is_not_written_to() {
    let records = Records::new();
    let home = Home::new();
    let audit = home.open_short().audit;
    crate::files::create_private(&home.dir().join("000002.jsonl"), b"mine\n").unwrap();
    (0..12).for_each(|_| audit.append(records.ended()).unwrap());
    drop(audit);
    assert_eq!(read(&home, "000002.jsonl"), b"mine\n");
    assert_eq!(home.damage().record, 13);
    let opened = home.open();
    assert!(matches!(opened.notices.as_slice(), [Notice::TornTail { record: 13, .. }]));
    assert_eq!(verify(&home.dir()).unwrap().records, 13);
}

/// A reader that comes to the end of a file while the writer leaves it looks once more.
#[test]
fn readers_beside_a_writer_that_changes_files_see_no_damage() {
    let records = Records::new();
    let home = Home::new();
    let audit = home.open_short().audit;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut last = 0;
            while !done.load(Ordering::SeqCst) {
                let read = LogReader::open(&home.dir()).unwrap().map(Result::unwrap).count();
                assert!(read >= last);
                last = read;
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for i in 0..200 {
            audit.append(records.ended()).unwrap();
            if i % 10 == 0 {
                runtime.block_on(audit.durable()).unwrap();
            }
        }
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap();
    });
    drop(audit);
    assert_eq!(verify(&home.dir()).unwrap().records, 200);
}
