//! Whole or not at all.
use super::lossy::after_power_loss;
use super::*;

/// F04, and the storage rows of the issue.
#[test]
fn a_crash_at_any_operation_leaves_the_old_transcript_or_the_new_one() {
    let mut crashed = 0;
    for stop in 0.. {
        let lossy = Arc::<Lossy>::default();
        let loaded = on(Arc::<Lossy>::clone(&lossy)).load(&operator()).unwrap();
        let history = loaded.history;
        lossy.disk.lock().unwrap().stop_at = Some(stop);
        // each state that was saved, or was being saved when power went
        let mut reached = vec![Transcript::default()];
        let mut done = true;
        for step in 0..4 {
            match step {
                0 => drop(turn(&history, "one", "1")),
                1 => drop(turn(&history, "two", "2")),
                2 => history.0.document().transcript.clear(),
                _ => drop(turn(&history, "three", "3")),
            }
            let saved = if step == 2 { history.clear() } else { history.save() };
            reached.push(history.transcript());
            if saved.is_err() {
                done = false;
                break;
            }
            reached.drain(..reached.len() - 1);
        }
        for device in after_power_loss(&lossy) {
            let found = on(device).load(&operator()).unwrap();
            assert!(found.notices.is_empty(), "stop {stop}: {:?}", found.notices);
            let found = found.history.transcript();
            let same = |t: &Transcript| t.turns == found.turns && t.summary == found.summary;
            assert!(reached.iter().any(same), "stop {stop}: {found:?} is none of {reached:?}");
        }
        if done {
            break;
        }
        crashed += 1;
    }
    assert_eq!(crashed, 3 * 5 + 2, "each operation was the last one once");
}

/// A disk that lies about syncing can still tear a file: that is found, told, and kept aside.
#[test]
fn a_file_that_is_not_whole_is_set_aside_loudly_wherever_it_is_cut() {
    let lossy = Arc::<Lossy>::default();
    let history = on(Arc::<Lossy>::clone(&lossy)).load(&operator()).unwrap().history;
    turn(&history, "one", "1");
    history.save().unwrap();
    let name = HistoryKey::of(&operator()).file_name();
    let good = lossy.read(&name).unwrap().unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..good.len()).map(|end| good[..end].to_vec()).collect();
    damaged.extend((0..good.len()).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    }));
    damaged.push([good.as_slice(), &[0; 512]].concat());
    damaged.push(vec![0; good.len()]);
    for bytes in damaged {
        let device = Arc::<Lossy>::default();
        device.replace(&name, &bytes).unwrap();
        let loaded = on(Arc::<Lossy>::clone(&device)).load(&operator()).unwrap();
        assert!(loaded.history.transcript().is_empty());
        let [Notice::Quarantined { path, .. }] = &loaded.notices[..] else {
            panic!("{:?} for {bytes:?}", loaded.notices)
        };
        assert_eq!(device.read(path.to_str().unwrap()).unwrap(), Some(bytes));
        assert_eq!(device.read(&name).unwrap(), None);
    }
}

#[test]
fn transcript_that_ends_in_an_open_call_is_repaired_at_load() {
    let lossy = Arc::<Lossy>::default();
    let history = on(Arc::<Lossy>::clone(&lossy)).load(&operator()).unwrap().history;
    let number = history.begin("pay the bill");
    history.settled(number, call("lab.read", Some("executed")), false);
    history.started(number, call("lab.pay", None));
    history.save().unwrap();
    drop(history);
    for again in 0..2 {
        let loaded = on(Arc::<Lossy>::clone(&lossy)).load(&operator()).unwrap();
        let turn = loaded.history.recent(1).remove(0);
        assert_eq!(turn.end, Some(TurnEnd::Interrupted));
        let outcomes: Vec<_> = turn.calls.iter().map(|c| c.outcome.as_deref().unwrap()).collect();
        assert_eq!(outcomes, ["executed", "unknown_effect"]);
        assert_eq!(turn.calls[1].code.as_deref(), Some("restart"));
        let expected = [Notice::Interrupted { turns: 1, calls: 1 }];
        assert_eq!(loaded.notices, expected[..if again == 0 { 1 } else { 0 }]);
        loaded.history.save().unwrap();
    }
}

#[test]
fn save_that_fails_is_made_good_by_the_next() {
    let lossy = Arc::<Lossy>::default();
    let history = on(Arc::<Lossy>::clone(&lossy)).load(&operator()).unwrap().history;
    turn(&history, "one", "1");
    lossy.disk.lock().unwrap().stop_at = Some(0);
    history.save().unwrap_err();
    lossy.disk.lock().unwrap().stop_at = None;
    history.save().unwrap();
    assert_eq!(words(&on(lossy).load(&operator()).unwrap().history), ["one"]);
}
