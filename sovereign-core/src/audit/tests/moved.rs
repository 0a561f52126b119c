//! Somebody tidies up below a log that is being written.
use super::super::chain::file_name;
use super::*;
use std::fs;

type Tidies = (&'static str, fn(&Home));

const TIDIES: [Tidies; 6] = [
    ("moves the directory away", |home| fs::rename(home.dir(), home.0.path().join("old")).unwrap()),
    ("puts an empty one in its place", |home| {
        fs::rename(home.dir(), home.0.path().join("old")).unwrap();
        crate::files::create_private_dir(&home.dir()).unwrap();
    }),
    ("removes it all", |home| fs::remove_dir_all(home.dir()).unwrap()),
    ("removes the file", |home| fs::remove_file(home.log()).unwrap()),
    ("puts a copy in its place", |home| {
        let copy = home.dir().join("copy");
        fs::copy(home.log(), &copy).unwrap();
        fs::rename(&copy, home.log()).unwrap();
    }),
    ("cuts the file", |home| Home::overwrite(&home.log(), b"")),
];

fn quiet() -> LogOptions {
    LogOptions::default().idle(Duration::from_secs(3600))
}

#[tokio::test]
async fn a_log_that_is_moved_removed_or_cut_while_it_is_written_takes_nothing_more() {
    for (who, tidies) in TIDIES {
        let records = Records::new();
        let home = Home::new();
        let audit = FileAudit::open_with(&home.dir(), &Fixed, quiet()).unwrap().audit;
        audit.append(records.ended()).unwrap();
        audit.durable().await.unwrap();
        tidies(&home);
        drop(audit.append(records.ended()));
        let told = audit.durable().await;
        assert!(told.is_err(), "{who}");
        assert_eq!((audit.ready().is_err(), audit.is_degraded()), (true, true), "{who}");
        assert!(audit.append(records.ended()).is_err(), "{who}");
    }
}

/// The next file would be made where the log no longer is.
#[tokio::test]
async fn a_log_that_was_moved_does_not_go_on_in_what_stands_in_its_place() {
    let records = Records::new();
    let home = Home::new();
    let options = quiet().file_bytes(1500);
    let audit = FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit;
    audit.append(records.ended()).unwrap();
    audit.durable().await.unwrap();
    let (_, empty) = TIDIES[1];
    empty(&home);
    let taken = (0..20).filter(|_| audit.append(records.ended()).is_ok()).count();
    assert!(taken < 5, "{taken} records for nobody");
    assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 0);
    assert!(audit.durable().await.is_err());
}

/// What was written is not what is there, though the file is.
#[tokio::test]
async fn a_record_that_was_cut_away_before_it_was_synced_is_not_called_kept() {
    let records = Records::new();
    let home = Home::new();
    let audit = FileAudit::open_with(&home.dir(), &Fixed, quiet()).unwrap().audit;
    for _ in 0..2 {
        audit.append(records.ended()).unwrap();
    }
    Home::overwrite(&home.log(), b"");
    let told = audit.durable().await.unwrap_err().to_string();
    assert!(told.contains("moved, removed or cut"), "{told}");
    assert!(audit.is_degraded());
}

#[test]
fn a_log_whose_file_was_cut_does_not_go_on_in_the_next_one() {
    let records = Records::new();
    let home = Home::new();
    let options = quiet().file_bytes(1);
    let audit = FileAudit::open_with(&home.dir(), &Fixed, options).unwrap().audit;
    audit.append(records.ended()).unwrap();
    Home::overwrite(&home.log(), b"");
    let told = audit.append(records.ended()).unwrap_err().to_string();
    assert!(told.contains("moved, removed or cut"), "{told}");
    let next = home.dir().join(file_name(2));
    assert!(!next.exists());
}

#[test]
fn who_takes_the_lock_away_gets_no_two_chains_in_one_file() {
    let records = Records::new();
    let home = Home::new();
    let first = FileAudit::open_with(&home.dir(), &Fixed, quiet()).unwrap().audit;
    first.append(records.ended()).unwrap();
    fs::remove_file(home.dir().join("lock")).unwrap();
    let second = FileAudit::open_with(&home.dir(), &Fixed, quiet()).unwrap().audit;
    second.append(records.ended()).unwrap();
    let refused = first.append(records.ended()).unwrap_err().to_string();
    assert!(refused.contains("written by others"), "{refused}");
    drop((first, second));
    assert_eq!(verify(&home.dir()).unwrap().records, 2);
}
