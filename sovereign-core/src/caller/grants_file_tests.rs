use super::*;
use crate::caller::Category;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn operator() -> CallerScope {
    CallerScope::operator("alice", "s1")
}

struct Device {
    home: tempfile::TempDir,
    grants: GrantsFile,
}

fn fresh() -> Device {
    let home = crate::files::tests::private();
    let grants = GrantsFile::create_default(home.path().join("grants.json")).unwrap();
    Device { home, grants }
}

fn write(grants: &GrantsFile, text: &str) {
    fs::write(grants.path(), text).unwrap();
}

fn change(held: bool, category: &str) -> GrantChange {
    GrantChange { scope: ScopeKind::Mesh, category: category.to_owned(), held }
}

#[test]
fn fresh_install_grants_the_operator_system_and_mesh_nothing() {
    let Device { home: _home, grants } = fresh();
    assert_eq!(grants.granted(&operator()).unwrap(), [Category::System].into());
    assert_eq!(grants.granted(&CallerScope::mesh("!1")).unwrap(), Categories::NONE);
    let metadata = fs::metadata(grants.path()).unwrap();
    assert_eq!(metadata.mode() & 0o777, 0o600);
}

#[test]
fn create_default_leaves_existing_grants_alone() {
    let Device { home: _home, grants } = fresh();
    write(&grants, "what the operator wrote");
    GrantsFile::create_default(grants.path()).unwrap_err();
    assert_eq!(fs::read_to_string(grants.path()).unwrap(), "what the operator wrote");
}

#[test]
fn edit_by_hand_counts_at_the_next_ask() {
    let Device { home: _home, grants } = fresh();
    grants.granted(&operator()).unwrap();
    let stamp = fs::metadata(grants.path()).unwrap().modified().unwrap();
    write(&grants, r#"{"version": 1, "operator": ["wallet"], "mesh": ["custom:home"]}"#);
    // also when the time stamp says that nothing happened
    fs::File::options().write(true).open(grants.path()).unwrap().set_modified(stamp).unwrap();
    assert_eq!(grants.granted(&operator()).unwrap(), [Category::Wallet].into());
    let mesh = grants.granted(&CallerScope::mesh("!1")).unwrap();
    assert_eq!(mesh, [Category::Custom("home")].into());
}

#[test]
fn whatever_is_not_exactly_the_shape_grants_nothing_and_names_file_and_line() {
    let Device { home: _home, grants } = fresh();
    for (line, text) in [
        (1, ""),
        (1, "null"),
        (1, "[]"),
        (1, r#"[1, ["system"], []]"#),
        (1, "{}"),
        (1, r#"{"version": 1, "operator": ["system"]}"#),
        (1, r#"{"version": "1", "operator": ["system"], "mesh": []}"#),
        (1, r#"{"version": 2, "operator": ["system"], "mesh": []}"#),
        (1, r#"{"version": 1, "operator": "system", "mesh": []}"#),
        (1, r#"{"version": 1, "operator": {"system": true}, "mesh": []}"#),
        (1, r#"{"version": 1, "operator": [true], "mesh": []}"#),
        (1, r#"{"version": 1, "operator": ["system"], "mesh": []} x"#),
        (1, r#"{"version": 1, "operator": ["system"], "operator": ["wallet"], "mesh": []}"#),
        (4, "{\n\"version\": 1,\n\"operator\": [\"system\",\n\"sytem\"], \"mesh\": []}"),
        (2, "{\"version\": 1, \"operator\": [],\n\"mesch\": [], \"mesh\": []}"),
        (2, "{\"version\": 1, \"operator\": [],\n\"a\\nb\": [], \"mesh\": []}"),
        (3, "{\"version\": 1,\n\"operator\": [\"system\"],\n"),
    ] {
        write(&grants, text);
        let error = grants.granted(&operator()).unwrap_err().to_string();
        let start = format!("`{}`, line {line}: ", grants.path().display());
        assert!(error.starts_with(&start), "{text}: {error}");
        assert!(error.ends_with("; until this is mended, nothing is granted"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert_eq!(fs::read_to_string(grants.path()).unwrap(), text);
    }
}

#[test]
fn unknown_category_is_named_with_the_known_ones() {
    let Device { home: _home, grants } = fresh();
    write(&grants, r#"{"version": 1, "operator": ["sytem"], "mesh": []}"#);
    let error = grants.granted(&operator()).unwrap_err().to_string();
    assert!(error.contains("`sytem` is not a category: expected one of apps, system,"), "{error}");
}

#[test]
fn missing_or_unsafe_file_grants_nothing() {
    let Device { home, grants } = fresh();
    fs::set_permissions(grants.path(), fs::Permissions::from_mode(0o660)).unwrap();
    let error = grants.granted(&operator()).unwrap_err().to_string();
    assert!(error.contains("(mode 0660): run `chmod 600 "), "{error}");
    fs::set_permissions(grants.path(), fs::Permissions::from_mode(0o600)).unwrap();
    grants.granted(&operator()).unwrap();

    let elsewhere = home.path().join("elsewhere");
    fs::rename(grants.path(), &elsewhere).unwrap();
    let error = grants.granted(&operator()).unwrap_err().to_string();
    assert!(error.contains("does not exist"), "{error}");
    symlink(&elsewhere, grants.path()).unwrap();
    let error = grants.granted(&operator()).unwrap_err().to_string();
    assert!(error.contains("is a symbolic link"), "{error}");
}

#[test]
fn change_is_kept_and_the_rest_stays() {
    let Device { home: _home, grants } = fresh();
    assert!(grants.would(&change(true, "custom:home")).unwrap().unwrap());
    grants.change(&change(true, "custom:home")).unwrap();
    assert!(!grants.would(&change(true, "custom:home")).unwrap().unwrap());
    let again = GrantsFile::at(grants.path());
    assert_eq!(again.held(ScopeKind::Mesh).unwrap().words(), ["custom:home"]);
    assert_eq!(again.held(ScopeKind::Operator).unwrap().words(), ["system"]);
    grants.change(&change(false, "custom:home")).unwrap();
    assert!(again.held(ScopeKind::Mesh).unwrap().is_empty());
    assert_eq!(fs::metadata(grants.path()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn corrupt_file_takes_no_change_and_loses_nothing() {
    let Device { home: _home, grants } = fresh();
    let text = "{\"version\": 1, \"operator\": [\"system\", \"wallet\"], \"mesh\": [],}";
    write(&grants, text);
    grants.would(&change(true, "notes")).unwrap_err();
    grants.change(&change(true, "notes")).unwrap_err();
    assert_eq!(fs::read_to_string(grants.path()).unwrap(), text);
}
