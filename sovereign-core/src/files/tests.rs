use super::*;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};

pub(crate) fn private() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
    dir
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

fn names(dir: &Path) -> Vec<String> {
    fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn new_directory_and_file_are_closed_to_others() {
    let dir = private();
    let inner = dir.path().join("a/b");
    create_private_dir(&inner).unwrap();
    write_private(&inner.join("f"), b"x").unwrap();
    assert_eq!((mode(&inner), mode(&inner.join("f"))), (0o700, 0o600));
    assert_eq!(mode(&dir.path().join("a")), 0o700);
}

#[test]
fn temporary_file_is_closed_to_others_and_has_a_random_name() {
    let dir = private();
    let path = dir.path().join("grants.json");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let look = |temp: &Path| {
            assert_eq!(mode(temp), 0o600);
            assert_eq!(fs::read(temp).unwrap(), b"new");
            seen.push(temp.to_owned());
            Ok(())
        };
        write(&path, b"new", look, |temp| temp.persist(&path).map(drop).map_err(|e| e.error))
            .unwrap();
    }
    assert_ne!(seen[0], seen[1]);
    assert_eq!(names(dir.path()), ["grants.json"]);
}

#[test]
fn failed_write_leaves_the_old_content_and_no_rubbish() {
    let dir = private();
    let path = dir.path().join("f");
    write_private(&path, b"old").unwrap();
    let full = |_: &Path| Err(io::Error::from(io::ErrorKind::StorageFull));
    let place = |temp: tempfile::NamedTempFile| temp.persist(&path).map(drop).map_err(|e| e.error);
    assert!(matches!(write(&path, b"new", full, place), Err(FileError::System { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn create_private_refuses_to_overwrite() {
    let dir = private();
    let path = dir.path().join("f");
    create_private(&path, b"first").unwrap();
    create_private(&path, b"second").unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn symbolic_links_are_refused_for_files_and_directories() {
    let dir = private();
    let (target, link) = (dir.path().join("target"), dir.path().join("link"));
    write_private(&target, b"x").unwrap();
    symlink(&target, &link).unwrap();
    assert!(matches!(read_private(&link, 10), Err(FileError::Link { .. })));
    let (real, alias) = (dir.path().join("real"), dir.path().join("alias"));
    create_private_dir(&real).unwrap();
    symlink(&real, &alias).unwrap();
    for spelled in [alias.clone(), alias.join("")] {
        assert!(matches!(check_private_dir(&spelled), Err(FileError::Link { .. })), "{spelled:?}");
        assert!(matches!(create_private_dir(&spelled), Err(FileError::Link { .. })));
    }
    assert!(matches!(write_private(&alias.join("f"), b"x"), Err(FileError::Link { .. })));
}

#[test]
fn file_open_to_others_is_refused_with_the_command_that_mends_it() {
    let dir = private();
    let path = dir.path().join("f");
    for open_mode in [0o640, 0o604, 0o610, 0o622, 0o644] {
        write_private(&path, b"x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(open_mode)).unwrap();
        let error = read_private(&path, 10).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "`{0}` is open to other users (mode {open_mode:04o}): run `chmod 600 {0}`",
                path.display()
            )
        );
    }
}

#[test]
fn directory_open_to_others_takes_no_file() {
    let dir = private();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o750)).unwrap();
    let error = write_private(&dir.path().join("f"), b"x").unwrap_err();
    assert!(error.to_string().ends_with(&format!("run `chmod 700 {}`", dir.path().display())));
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn file_of_another_user_is_refused() {
    let dir = private();
    let path = dir.path().join("f");
    write_private(&path, b"x").unwrap();
    let stat = rustix::fs::stat(&path).unwrap();
    check(&path, &stat, Kind::File, stat.st_uid).unwrap();
    let other = stat.st_uid.wrapping_add(1);
    let error = check(&path, &stat, Kind::File, other).unwrap_err();
    assert!(
        matches!(error, FileError::Owner { owner, user, .. } if owner == stat.st_uid && user == other)
    );
}

#[test]
fn directory_or_pipe_is_no_file_and_opening_it_does_not_wait() {
    let dir = private();
    let (inner, pipe) = (dir.path().join("d"), dir.path().join("p"));
    create_private_dir(&inner).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    assert!(matches!(read_private(&inner, 10), Err(FileError::NotAFile { .. })));
    assert!(matches!(read_private(&pipe, 10), Err(FileError::NotAFile { .. })));
    let writing = open_private_with(&pipe, OFlags::WRONLY | OFlags::APPEND);
    assert!(matches!(writing, Err(FileError::NotAFile { .. })));
    assert!(matches!(check_private_dir(&pipe), Err(FileError::NotADirectory { .. })));
}

#[test]
fn reading_stops_at_the_limit() {
    let dir = private();
    let path = dir.path().join("f");
    write_private(&path, b"12345").unwrap();
    assert_eq!(read_private(&path, 5).unwrap(), b"12345");
    assert!(matches!(read_private(&path, 4), Err(FileError::TooLong { limit: 4, .. })));
}

#[test]
fn missing_file_and_missing_directory_are_both_missing() {
    let dir = private();
    assert!(matches!(read_private(&dir.path().join("f"), 1), Err(FileError::Missing { .. })));
    assert!(matches!(read_private(&dir.path().join("d/f"), 1), Err(FileError::Missing { .. })));
}

#[test]
fn path_with_control_characters_stays_on_one_line() {
    let error = read_private(Path::new("/no\nsuch\u{2028}file`"), 1).unwrap_err();
    assert_eq!(error.to_string(), "`/no\\u{a}such\\u{2028}file\\u{60}` does not exist");
}

#[test]
fn removal_takes_the_link_and_not_its_target_and_only_where_nobody_else_writes() {
    let dir = private();
    let (kept, link) = (dir.path().join("kept"), dir.path().join("link"));
    write_private(&kept, b"x").unwrap();
    symlink(&kept, &link).unwrap();
    assert!(remove_private(&link).unwrap() && kept.exists());
    assert!(!remove_private(&link).unwrap(), "it was gone");
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(remove_private(&kept), Err(FileError::OpenToOthers { .. })));
    assert!(kept.exists());
}
