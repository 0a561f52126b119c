//! On real files.
use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
    fn dir(&self) -> PathBuf {
        self.0.path().join("history")
    }
    fn open(&self) -> Histories {
        Histories::open(&self.dir(), Arc::<Wall>::default()).unwrap()
    }
    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.dir()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn directory_and_file_are_closed_to_others() {
    let home = Home::new();
    let history = home.open().load(&operator()).unwrap().history;
    turn(&history, "one", "1");
    history.save().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
    let [file] = &home.files()[..] else { panic!("one file") };
    assert_eq!((mode(&home.dir()), mode(file)), (0o700, 0o600));
}

#[test]
fn file_that_others_can_read_is_refused_and_left_as_it_is() {
    let home = Home::new();
    let history = home.open().load(&operator()).unwrap().history;
    turn(&history, "one", "1");
    history.save().unwrap();
    let file = home.files().remove(0);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let error = home.open().load(&operator()).unwrap_err();
    assert!(error.to_string().contains("chmod 600"), "{error}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(words(&home.open().load(&operator()).unwrap().history), ["one"]);
}

#[test]
fn account_and_peer_cannot_be_read_from_the_name_of_the_file() {
    let home = Home::new();
    for scope in [operator(), CallerScope::mesh("alice")] {
        let history = home.open().load(&scope).unwrap().history;
        turn(&history, "one", "1");
        history.save().unwrap();
    }
    let names: Vec<_> = home.files().iter().map(|f| f.display().to_string()).collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|name| !name.contains("alice") && !name.contains("operator")));
}

#[test]
fn clearing_removes_the_callers_files_and_nobody_elses() {
    let home = Home::new();
    let histories = home.open();
    let mesh = histories.load(&CallerScope::mesh("alice")).unwrap().history;
    turn(&mesh, "from afar", "1");
    mesh.save().unwrap();
    let name = HistoryKey::of(&operator()).file_name();
    crate::files::write_private(&home.dir().join(&name), b"torn").unwrap();
    let loaded = histories.load(&operator()).unwrap();
    assert_eq!(loaded.notices.len(), 1);
    turn(&loaded.history, "mine", "1");
    loaded.history.save().unwrap();
    assert_eq!(home.files().len(), 3, "its own, what was set aside from it, the peer's");
    loaded.history.clear().unwrap();
    assert_eq!(
        home.files(),
        [home.dir().join(HistoryKey::of(&CallerScope::mesh("alice")).file_name())]
    );
    assert!(loaded.history.transcript().is_empty());
    assert_eq!(words(&mesh), ["from afar"]);
}

#[test]
fn turn_that_runs_while_the_transcript_is_cleared_leaves_nothing_behind() {
    let home = Home::new();
    let history = home.open().load(&operator()).unwrap().history;
    let number = history.begin("one");
    history.save().unwrap();
    history.clear().unwrap();
    history.started(number, call("lab.read", None));
    history.settled(number, call("lab.read", Some("executed")), true);
    history.end(number, "1", TurnEnd::Answered, None);
    history.save().unwrap();
    assert!(history.transcript().is_empty() && home.files().is_empty());
    assert!(turn(&history, "two", "2") > number, "a number is never used twice");
}

#[test]
fn what_a_crash_left_of_a_write_is_cleared_away() {
    let home = Home::new();
    drop(home.open());
    let left = home.dir().join(".abc.transcript.Xy12.tmp");
    crate::files::write_private(&left, b"half a transcript").unwrap();
    drop(Disk::open(&home.dir()).unwrap());
    assert!(home.files().is_empty());
}

#[test]
fn reader_changes_nothing_and_repairs_nothing() {
    let home = Home::new();
    let look = || read(&home.dir(), &operator());
    assert!(look().unwrap().is_empty() && !home.dir().exists());
    let history = home.open().load(&operator()).unwrap().history;
    history.begin("open still");
    history.save().unwrap();
    let name = home.dir().join(HistoryKey::of(&operator()).file_name());
    let bytes = fs::read(&name).unwrap();
    assert_eq!(look().unwrap(), history.transcript());
    assert_eq!(look().unwrap().turns[0].end, None);
    assert!(read(&home.dir(), &CallerScope::mesh("alice")).unwrap().is_empty());
    assert_eq!(fs::read(&name).unwrap(), bytes);
    crate::files::write_private(&name, b"torn").unwrap();
    assert!(look().unwrap_err().to_string().contains("is damaged: its first line is no seal"));
    assert_eq!(home.files(), [name]);
    fs::set_permissions(home.dir(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(look(), Err(ReadError::File(FileError::OpenToOthers { .. }))));
}
