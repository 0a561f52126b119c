use super::*;
use std::fs;

fn three_files() -> Home {
    let records = Records::new();
    let home = Home::new();
    let audit = home.open_short().audit;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for _ in 0..10 {
        audit.append(records.ended()).unwrap();
        runtime.block_on(audit.durable()).unwrap();
    }
    drop(audit);
    home
}

#[test]
fn export_is_the_files_one_after_the_other() {
    let home = three_files();
    let mut exported = Vec::new();
    let verified = export(&home.dir(), &mut exported).unwrap();
    assert_eq!(verified, verify(&home.dir()).unwrap());
    let mut all = Vec::new();
    for i in 1.. {
        let Ok(bytes) = fs::read(home.dir().join(chain::file_name(i))) else { break };
        all.extend(bytes);
    }
    assert_eq!(String::from_utf8(exported).unwrap(), String::from_utf8(all).unwrap());
}

#[test]
fn export_of_a_damaged_log_ends_with_the_damage() {
    let home = three_files();
    let mut bad = fs::read(home.dir().join("000002.jsonl")).unwrap();
    bad[20] ^= 1;
    Home::overwrite(&home.dir().join("000002.jsonl"), &bad);
    let mut exported = Vec::new();
    assert!(matches!(export(&home.dir(), &mut exported), Err(LogError::Damaged(_))));
    assert_eq!(exported, fs::read(home.log()).unwrap());
}

#[test]
fn export_into_something_full_says_so() {
    let home = three_files();
    let mut room = [0; 700];
    let error = export(&home.dir(), &mut room.as_mut_slice()).unwrap_err();
    assert!(matches!(error, LogError::Export(_)), "{error}");
}

/// What the chain alone cannot show: a log written anew, whole and sealed, by the same user.
#[test]
fn log_written_anew_is_found_against_a_head_kept_off_the_device() {
    let home = three_files();
    let kept = export_head(&home.dir()).unwrap().unwrap();
    assert_eq!(kept, verify(&home.dir()).unwrap().head.unwrap());
    verify_against(&home.dir(), &kept).unwrap();
    let more = home.open_short().audit;
    more.append(Records::new().ended()).unwrap();
    drop(more);
    assert_eq!(verify_against(&home.dir(), &kept).unwrap().records, 11, "it may have grown");

    let forged = Home::new();
    let audit = forged.open_short().audit;
    let records = Records::new();
    for _ in 0..20 {
        let call = records.call(Mark::End(OutcomeKind::Denied));
        audit.append(Record::Call(call)).unwrap();
    }
    drop(audit);
    verify(&forged.dir()).unwrap();
    let error = verify_against(&forged.dir(), &kept).unwrap_err();
    assert!(matches!(&error, LogError::Damaged(d) if d.record <= kept.n), "{error}");

    let shorter = Home::written([Records::new().ended()]);
    let error = verify_against(&shorter.dir(), &kept).unwrap_err();
    assert!(error.to_string().contains("the kept head names it"), "{error}");
}

#[test]
fn head_of_no_log_is_none_and_a_damaged_one_is_not_handed_out() {
    let home = Home::new();
    crate::files::create_private_dir(&home.dir()).unwrap();
    assert_eq!(export_head(&home.dir()).unwrap(), None);
    let home = three_files();
    fs::remove_file(home.head()).unwrap();
    assert!(matches!(export_head(&home.dir()), Err(LogError::Damaged(_))));
}
