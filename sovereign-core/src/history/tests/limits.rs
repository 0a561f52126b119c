//! What is kept, and how long.
use super::*;

#[test]
fn count_limit_drops_the_oldest_and_counts_them() {
    let histories = on(Arc::<Lossy>::default()).retention(Retention::default().turns(3));
    let history = histories.load(&operator()).unwrap().history;
    for n in 1..=5 {
        turn(&history, &n.to_string(), "");
    }
    assert_eq!(words(&history), ["3", "4", "5"]);
    assert_eq!(history.transcript().dropped, 2);
}

#[test]
fn age_limit_drops_turns_and_the_summary_of_what_is_too_old() {
    let clock = Arc::<Wall>::default();
    let week = Duration::from_secs(7 * 24 * 3600);
    let histories = Histories::on(Arc::<Lossy>::default(), Arc::<Wall>::clone(&clock))
        .retention(Retention::default().age(week));
    let history = histories.load(&operator()).unwrap().history;
    for n in 1..=10 {
        turn(&history, &n.to_string(), "");
    }
    let batch = history.to_fold().unwrap();
    history.compact(&batch, "they counted");
    clock.advance(8 * 24 * 3600);
    turn(&history, "now", "");
    let transcript = history.transcript();
    assert_eq!((words(&history), transcript.summary), (vec!["now".to_owned()], None));
    assert_eq!(transcript.dropped, 10);
}

#[test]
fn byte_limit_holds_however_long_the_turns_are() {
    let lossy = Arc::<Lossy>::default();
    let limits = Retention::default().bytes(0);
    let histories = on(Arc::<Lossy>::clone(&lossy)).retention(limits);
    let history = histories.load(&operator()).unwrap().history;
    let long = "\u{1}".repeat(MAX_TEXT_CHARS * 2);
    for _ in 0..10 {
        let number = history.begin(&long);
        for _ in 0..MAX_CALLS * 2 {
            let result = Some(Excerpt::of(&long, MAX_TOOL_RESULT_CHARS));
            history.settled(
                number,
                PastCall { result, ..call("lab.read", Some("executed")) },
                false,
            );
        }
        history.end(number, &long, TurnEnd::Answered, None);
        history.save().unwrap();
        let bytes = lossy.read(&HistoryKey::of(&operator()).file_name()).unwrap().unwrap();
        assert!(bytes.len() <= limits.max_bytes() + 200, "{} bytes", bytes.len());
    }
    let last = history.recent(1).remove(0);
    assert_eq!((last.calls.len(), last.more_calls), (MAX_CALLS, MAX_CALLS as u64));
}

#[test]
fn summary_takes_the_place_of_what_went_into_it_and_of_nothing_else() {
    let history = History::default();
    for n in 1..=9 {
        turn(&history, &n.to_string(), "");
        assert!(history.to_fold().is_none(), "too few");
    }
    turn(&history, "10", "");
    let batch = history.to_fold().unwrap();
    assert_eq!(batch.turns.len(), FOLD_TURNS);
    history.compact(&batch, "they counted to four");
    assert_eq!(words(&history), ["5", "6", "7", "8", "9", "10"]);
    // another conversation of the same caller may have folded the same turns
    history.compact(&batch, "late");
    assert_eq!(history.transcript().summary.unwrap().text.text, "they counted to four");
    assert_eq!(words(&history).len(), KEEP_VERBATIM_TURNS);
}

#[test]
fn two_loads_of_one_caller_are_one_transcript() {
    let histories = on(Arc::<Lossy>::default());
    let first = histories.load(&operator()).unwrap().history;
    turn(&first, "one", "1");
    let second = histories.load(&CallerScope::operator("alice", "s2")).unwrap().history;
    turn(&second, "two", "2");
    assert_eq!(words(&first), ["one", "two"]);
}

#[test]
fn text_is_cut_between_characters_and_the_marker_stands_beside_it() {
    let cut = Excerpt::of("内内内", 2);
    assert_eq!((cut.text.as_str(), cut.of_chars), ("内内", Some(3)));
    assert_eq!(serde_json::to_string(&cut).unwrap(), r#"{"text":"内内","of_chars":3}"#);
    assert_eq!(Excerpt::of("内内", 2).of_chars, None);
}
