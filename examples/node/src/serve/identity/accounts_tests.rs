use super::{Accounts, AccountsError};
use crate::serve::Role;
use std::os::unix::fs::PermissionsExt as _;

const GOOD: &str = "correct horse battery";

fn accounts() -> (tempfile::TempDir, Accounts) {
    let home = tempfile::tempdir().unwrap();
    let accounts = Accounts::open(&home.path().join("data")).unwrap();
    (home, accounts)
}

#[test]
fn a_fresh_install_has_one_operator_who_has_no_password() {
    let (home, accounts) = accounts();
    let list = accounts.list().unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!((list[0].user.as_str(), list[0].role), ("operator", Role::Operator));
    assert!(!list[0].password_set);
    assert_eq!(accounts.locked_out().unwrap().as_deref(), Some("operator"));
    assert!(accounts.check("operator", "").unwrap().is_none());
    let file = home.path().join("data/secrets/accounts.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_password_is_kept_as_its_hash_and_lets_nobody_else_in() {
    let (home, accounts) = accounts();
    accounts.set_password("operator", GOOD).unwrap();
    assert!(accounts.check("operator", GOOD).unwrap().is_some());
    for wrong in ["", "correct horse batter", "correct horse battery "] {
        assert!(accounts.check("operator", wrong).unwrap().is_none(), "{wrong}");
    }
    assert!(accounts.check("nobody", GOOD).unwrap().is_none());
    assert!(accounts.check("nobody", "nobody's password").unwrap().is_none());
    assert_eq!(accounts.locked_out().unwrap(), None);
    let text = std::fs::read_to_string(home.path().join("data/secrets/accounts.json")).unwrap();
    assert!(text.contains("$argon2id$") && !text.contains(GOOD), "{text}");
    // another program sees it at once
    let other = Accounts::open(&home.path().join("data")).unwrap();
    other.set_password("operator", "another good one").unwrap();
    assert!(accounts.check("operator", GOOD).unwrap().is_none());
}

#[test]
fn every_change_of_role_or_password_draws_a_new_stamp() {
    let (_home, accounts) = accounts();
    accounts.add("carol", Role::Viewer, GOOD).unwrap();
    let stamp = || accounts.now("carol").unwrap().unwrap().stamp;
    let first = stamp();
    accounts.set_role("carol", Role::Viewer).unwrap();
    assert_eq!(stamp(), first, "nothing was changed");
    accounts.set_role("carol", Role::Operator).unwrap();
    let second = stamp();
    accounts.set_password("carol", GOOD).unwrap();
    let third = stamp();
    accounts.remove("carol").unwrap();
    assert!(accounts.now("carol").unwrap().is_none());
    accounts.add("carol", Role::Operator, GOOD).unwrap();
    let all = [first, second, third, stamp()];
    assert!((1..4).all(|i| !all[..i].contains(&all[i])), "{all:?}");
}

#[test]
fn the_last_operator_stays_one() {
    let (_home, accounts) = accounts();
    let last = |done| assert!(matches!(done, Err(AccountsError::LastOperator)), "{done:?}");
    last(accounts.set_role("operator", Role::Viewer));
    last(accounts.remove("operator"));
    accounts.add("carol", Role::Operator, GOOD).unwrap();
    accounts.remove("operator").unwrap();
    last(accounts.remove("carol"));
    assert_eq!(accounts.list().unwrap().len(), 1);
}

#[test]
fn a_name_or_a_password_that_cannot_be_one_changes_nothing() {
    let (_home, accounts) = accounts();
    for name in ["", "Carol", "1st", "a b", "a/b", "ä", "-x", &"x".repeat(33)] {
        let done = accounts.add(name, Role::Viewer, GOOD);
        assert!(matches!(done, Err(AccountsError::Name)), "{name}");
    }
    for password in ["", "nine char", &"x".repeat(1025)] {
        let done = accounts.add("carol", Role::Viewer, password);
        assert!(matches!(done, Err(AccountsError::Password)), "{password}");
    }
    assert!(matches!(accounts.add("operator", Role::Viewer, GOOD), Err(AccountsError::Taken)));
    assert!(matches!(accounts.set_password("carol", GOOD), Err(AccountsError::Unknown)));
    assert_eq!(accounts.list().unwrap().len(), 1);
}

#[test]
fn a_file_that_others_may_read_or_that_is_not_whole_lets_nobody_in() {
    let (home, accounts) = accounts();
    accounts.set_password("operator", GOOD).unwrap();
    let file = home.path().join("data/secrets/accounts.json");
    let whole = std::fs::read(&file).unwrap();
    let mode = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o640);
    assert!(matches!(accounts.check("operator", GOOD), Err(AccountsError::File(_))));
    mode(0o600);
    let text = String::from_utf8(whole.clone()).unwrap();
    for wrong in [
        text.replace("\"version\": 1", "\"version\": 2"),
        text.replace("\"role\"", "\"rule\""),
        text.chars().take(40).collect(),
        String::new(),
    ] {
        std::fs::write(&file, &wrong).unwrap();
        let done = accounts.check("operator", GOOD);
        assert!(matches!(done, Err(AccountsError::Content { .. })), "{wrong}");
        assert!(accounts.set_password("operator", GOOD).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), wrong.as_bytes(), "it is left as it is");
    }
    std::fs::write(&file, &whole).unwrap();
    assert!(accounts.check("operator", GOOD).unwrap().is_some());
}

#[test]
fn accounts_that_were_lost_are_not_made_anew_by_themselves() {
    let (home, accounts) = accounts();
    accounts.set_password("operator", GOOD).unwrap();
    accounts.add("carol", Role::Operator, GOOD).unwrap();
    let is_lost = |lost: Result<Accounts, _>| matches!(lost, Err(AccountsError::Lost { .. }));
    std::fs::remove_file(home.path().join("data/secrets/accounts.json")).unwrap();
    assert!(is_lost(Accounts::open(&home.path().join("data"))));
    std::fs::remove_dir_all(home.path().join("data/secrets")).unwrap();
    assert!(is_lost(Accounts::open(&home.path().join("data"))), "all secrets with them");
    assert!(accounts.check("operator", GOOD).is_err(), "a daemon that runs lets nobody in");
    assert!(matches!(
        Accounts::anew(&home.path().join("data"), "short"),
        Err(AccountsError::Password)
    ));
    assert!(is_lost(Accounts::open(&home.path().join("data"))));
    Accounts::anew(&home.path().join("data"), "another good one").unwrap();
    let anew = Accounts::open(&home.path().join("data")).unwrap();
    assert_eq!((anew.list().unwrap().len(), anew.locked_out().unwrap()), (1, None));
    assert!(anew.check("operator", "another good one").unwrap().is_some());
    assert!(Accounts::anew(&home.path().join("data"), GOOD).is_err(), "what is there stays");
}
