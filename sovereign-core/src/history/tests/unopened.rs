//! What stands among real files and cannot be read or must not be, when it is looked for what is old.
use super::*;
use std::fmt::Debug;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use tracing::field::{Field, Visit};
use tracing::span;

const DAY: Duration = Duration::from_secs(24 * 3600);
const LIMIT: Duration = Duration::from_secs(90 * 24 * 3600);
const SECOND: Duration = Duration::from_secs(1);

/// Writes down what is logged.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Said {
    fn enabled(&self, of: &tracing::Metadata<'_>) -> bool {
        *of.level() <= tracing::Level::WARN
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

struct Device {
    home: tempfile::TempDir,
    clock: Arc<Wall>,
}

impl Device {
    fn new() -> Self {
        let device = Self { home: tempfile::tempdir().unwrap(), clock: Arc::default() };
        drop(device.started());
        device
    }

    fn started(&self) -> Histories {
        Histories::open(&self.home.path().join("history"), Arc::<Wall>::clone(&self.clock)).unwrap()
    }

    fn path(&self, who: &str) -> PathBuf {
        let name = HistoryKey::of(&CallerScope::mesh(who)).file_name();
        self.home.path().join("history").join(name)
    }

    /// A file last written so long ago.
    fn put(&self, path: &Path, bytes: &[u8], ago: Duration) {
        crate::files::write_private(path, bytes).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(self.clock.wall() - ago).unwrap();
    }

    /// What the log says when somebody comes for whom there is nothing.
    fn look(&self, histories: &Histories) -> Vec<String> {
        let said = Said::default();
        tracing::subscriber::with_default(said.clone(), || drop(histories.load(&operator())));
        let said = said.0.lock().unwrap();
        said.clone()
    }
}

#[test]
fn what_is_damaged_and_never_opened_goes_at_the_age_of_its_file_and_the_log_names_it() {
    let device = Device::new();
    let whole = format::encode(&Transcript::default());
    let newer = String::from_utf8(whole).unwrap().replacen(":1", ":2", 1);
    let too_long = vec![b'x'; usize::try_from(format::MAX_FILE_BYTES).unwrap() + 1];
    let damages: [(&str, &[u8], &str); 4] = [
        ("torn", b"torn", "its first line is no seal"),
        ("empty", b"", "its first line is no seal"),
        ("newer", newer.as_bytes(), "it was written in a newer format"),
        ("long", &too_long, "its first line is no seal"),
    ];
    for (who, bytes, why) in damages {
        let (old, young) = (device.path(who), device.path("young"));
        device.put(&old, bytes, LIMIT + SECOND);
        device.put(&young, bytes, LIMIT);
        let said = device.look(&device.started());
        assert_eq!((old.exists(), young.exists()), (false, true), "{who}");
        let [line] = &said[..] else { panic!("{who}: {said:?}") };
        let name = old.file_name().unwrap().to_str().unwrap();
        assert!(line.contains(name) && line.contains(why), "{line}");
        assert!(line.contains("a damaged transcript that nobody came back to was removed"));
    }
}

#[test]
fn whoever_comes_back_or_is_still_here_hears_of_the_damage_however_old_the_file_is() {
    let device = Device::new();
    let back = CallerScope::mesh("back");
    device.put(&device.path("back"), b"torn", LIMIT + DAY);
    let histories = device.started();
    assert_eq!(histories.load(&back).unwrap().notices.len(), 1, "set aside, and told");
    let here = histories.load(&CallerScope::mesh("here")).unwrap().history;
    turn(&here, "still here", "");
    here.save().unwrap();
    device.clock.advance(DAY.as_secs());
    device.put(&device.path("here"), b"torn", LIMIT + DAY);
    assert!(device.look(&histories).is_empty());
    assert!(device.path("here").exists());
    drop(here);
    device.clock.advance(DAY.as_secs());
    assert_eq!(device.look(&histories).len(), 1);
    assert!(!device.path("here").exists());
}

#[test]
fn no_link_is_followed_and_nothing_that_others_can_read_is_touched() {
    let device = Device::new();
    let [elsewhere, torn] = ["old", "torn"].map(|name| device.home.path().join("else").join(name));
    crate::files::create_private_dir(&device.home.path().join("else")).unwrap();
    let history = device.started().load(&CallerScope::mesh("gone")).unwrap().history;
    turn(&history, "old", "");
    history.save().unwrap();
    drop(history);
    fs::rename(device.path("gone"), &elsewhere).unwrap();
    let bytes = fs::read(&elsewhere).unwrap();
    device.clock.advance((LIMIT + DAY).as_secs());
    symlink(&elsewhere, device.path("whole link")).unwrap();
    device.put(&torn, b"torn", LIMIT + DAY);
    symlink(&torn, device.path("torn link")).unwrap();
    device.put(&device.path("open"), &bytes, LIMIT + DAY);
    fs::set_permissions(device.path("open"), fs::Permissions::from_mode(0o644)).unwrap();
    let said = device.look(&device.started());
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said.iter().all(|line| line.contains("an old transcript is still there")), "{said:?}");
    for link in ["whole link", "torn link"] {
        assert!(device.path(link).is_symlink(), "{link}");
    }
    assert_eq!(fs::read(&elsewhere).unwrap(), bytes);
    assert_eq!(fs::read(&torn).unwrap(), b"torn");
    assert_eq!(fs::read(device.path("open")).unwrap(), bytes);
}
