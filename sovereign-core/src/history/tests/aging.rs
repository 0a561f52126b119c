//! What becomes of transcripts that nobody opens any more.
use super::*;

const DAY: u64 = 24 * 3600;

struct Device {
    disk: Arc<Lossy>,
    clock: Arc<Wall>,
}

impl Device {
    fn new() -> Self {
        Self { disk: Arc::default(), clock: Arc::default() }
    }

    /// A program that starts, and keeps things for a week.
    fn started(&self) -> Histories {
        let week = Duration::from_secs(7 * DAY);
        let storage: Arc<Lossy> = Arc::clone(&self.disk);
        Histories::on(storage, Arc::<Wall>::clone(&self.clock))
            .retention(Retention::default().age(week))
    }

    /// One turn of that caller, on the disk.
    fn talk(&self, histories: &Histories, who: &CallerScope, words: &str) {
        let history = histories.load(who).unwrap().history;
        turn(&history, words, "");
        history.save().unwrap();
    }

    /// What stands on the disk for that caller.
    fn kept(&self, who: &CallerScope) -> Option<Vec<String>> {
        let bytes = self.disk.read(&HistoryKey::of(who).file_name()).unwrap()?;
        let turns = format::decode(&bytes).unwrap().turns;
        Some(turns.into_iter().map(|turn| turn.user.text).collect())
    }
}

#[test]
fn what_nobody_comes_back_to_is_gone_when_its_time_is_over() {
    let device = Device::new();
    let [gone, back, open] = ["gone", "back", "open"].map(CallerScope::mesh);
    let first = device.started();
    device.talk(&first, &gone, "old");
    device.talk(&first, &back, "old");
    let unfinished = first.load(&open).unwrap().history;
    unfinished.begin("cut off");
    unfinished.save().unwrap();
    drop((first, unfinished));
    device.clock.advance(6 * DAY);
    let second = device.started();
    device.talk(&second, &back, "new");
    assert_eq!(device.kept(&gone).unwrap(), ["old"], "its time is not over");
    drop(second);
    device.clock.advance(2 * DAY);
    drop(device.started().load(&operator()).unwrap());
    assert_eq!(device.kept(&gone), None);
    assert_eq!(device.kept(&open), None, "a turn that was cut off is as old as another");
    assert_eq!(device.kept(&back).unwrap(), ["new"]);
}

#[test]
fn a_program_that_runs_for_long_looks_once_a_day_and_leaves_what_is_open_alone() {
    let device = Device::new();
    let [gone, here] = ["gone", "here"].map(CallerScope::mesh);
    let histories = device.started();
    device.talk(&histories, &gone, "old");
    let held = histories.load(&here).unwrap().history;
    turn(&held, "still here", "");
    held.save().unwrap();
    device.clock.advance(7 * DAY + DAY / 2);
    drop(histories.load(&operator()).unwrap());
    assert_eq!(device.kept(&gone), None);
    assert_eq!(device.kept(&here).unwrap(), ["still here"], "its next turn sees to it");
    device.talk(&histories, &gone, "again");
    drop(held);
    device.clock.advance(DAY / 2);
    drop(histories.load(&operator()).unwrap());
    assert_eq!(device.kept(&here).unwrap(), ["still here"], "it has looked today");
    device.clock.advance(DAY / 2);
    drop(histories.load(&operator()).unwrap());
    assert_eq!((device.kept(&here), device.kept(&gone).unwrap().len()), (None, 1));
}

#[test]
fn what_was_set_aside_goes_after_the_same_time_and_what_is_damaged_waits_for_its_owner() {
    let device = Device::new();
    let [torn, unread] = ["torn", "unread"].map(CallerScope::mesh);
    let name = HistoryKey::of(&torn).file_name();
    device.disk.replace(&name, b"torn").unwrap();
    let loaded = device.started().load(&torn).unwrap();
    assert_eq!(loaded.notices.len(), 1);
    drop(loaded);
    let unread_name = HistoryKey::of(&unread).file_name();
    device.disk.replace(&unread_name, b"torn").unwrap();
    let aside =
        || device.disk.names().unwrap().into_iter().filter(|n| n.ends_with(".damaged")).count();
    device.clock.advance(7 * DAY);
    drop(device.started().load(&operator()).unwrap());
    assert_eq!(aside(), 1, "the last moment of its week");
    device.clock.advance(1);
    drop(device.started().load(&operator()).unwrap());
    assert_eq!(aside(), 0);
    assert_eq!(device.started().load(&unread).unwrap().notices.len(), 1, "told, and set aside now");
}
