//! `audit`: what it says of a log, whole and damaged.
use super::home::Home;
use serde_json::Value;

fn used() -> Home {
    let home = Home::with_web();
    home.run(["ask", "how much space is left?"]).succeeded();
    home.run(["ask", "fetch https://example.com/"]);
    home
}

#[test]
fn audit_of_a_directory_that_is_not_there_is_status_1_and_makes_nothing() {
    let home = Home::new();
    for command in ["verify", "tail", "stats", "start-anew"] {
        let ran = home.run(["audit", command]);
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.stderr.contains("there is no data directory"), "{ran:?}");
    }
    assert!(!home.data().exists());
}

#[test]
fn first_use_of_any_command_begins_the_log() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    let ran = home.run(["audit", "verify"]).succeeded();
    assert!(ran.stdout.starts_with("whole: 0 records"), "{ran:?}");
}

#[test]
fn log_that_is_gone_is_status_1_everywhere_until_a_person_begins_a_new_one() {
    let home = used();
    std::fs::remove_dir_all(home.data().join("audit")).unwrap();
    for command in [&["audit", "verify"][..], &["ask", "how much space is left?"], &["tools"]] {
        let ran = home.run(command);
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.stderr.contains("start-anew"), "{ran:?}");
    }
    assert!(!home.data().join("audit").exists());
    home.run(["audit", "start-anew"]).succeeded();
    assert_eq!(home.run(["audit", "start-anew"]).status, 2, "a log that is there stays");
    home.run(["ask", "how much space is left?"]).succeeded();
    assert!(home.run(["audit", "verify"]).succeeded().stdout.starts_with("whole: 1 records"));
}

#[test]
fn tail_and_stats_show_what_happened() {
    let home = used();
    let tail = home.run(["audit", "tail", "-n", "2"]).succeeded().stdout;
    let [first, second] = tail.lines().collect::<Vec<_>>()[..] else { panic!("{tail}") };
    assert!(first.contains("operator web.fetch@1 confirm: awaiting_confirmation"), "{tail}");
    assert!(second.contains("operator web.fetch@1 confirm: denied"), "{tail}");
    let stats = home.run(["audit", "stats", "--json"]).succeeded().json();
    assert_eq!(stats["proposals"], 2);
    assert_eq!(stats["open"], 0);
    assert_eq!(stats["outcomes"]["denied"], 1);
    assert_eq!(stats["outcomes"]["executed"], 1);
    assert_eq!(stats["events"]["grant_added"], 1);
    assert_eq!(stats["events"]["policy_changed"], 1);
    let plain = home.run(["audit", "stats"]).succeeded().stdout;
    assert!(plain.contains("proposals  2\n") && plain.contains("web.fetch@1"), "{plain}");
}

#[test]
fn verify_passes_and_after_any_damage_names_the_record() {
    let home = used();
    let name = "audit/000001.jsonl";
    let (whole, head) = (home.read(name), home.read("audit/head"));
    let verify = || home.run(["audit", "verify"]);
    assert!(verify().succeeded().stdout.starts_with("whole: 5 records"));
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let joined = |order: &[usize]| order.iter().map(|i| lines[*i]).collect::<String>();
    let flipped = whole.replacen("\"executed\"", "\"refused\" ", 1);
    for (text, record) in [
        (flipped, 3),
        (joined(&[0, 2, 3, 4]), 2),
        (joined(&[0, 1, 3, 2, 4]), 3),
        (joined(&[0, 1, 2, 3]), 5),
        (String::new(), 1),
    ] {
        home.write(name, &text);
        home.write("audit/head", &head);
        let ran = verify();
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.stderr.contains(&format!("record {record}")), "{record}: {ran:?}");
        assert!(ran.stderr.contains("keep a copy"), "{ran:?}");
        // what was written stays as it is, for whoever looks into it
        let asked = home.run(["ask", "how much space is left?"]);
        assert!(home.read(name).starts_with(&text), "{asked:?}");
        assert_eq!(verify().status, 1, "a later record does not mend it");
    }
    home.write(name, &whole);
    home.write("audit/head", &head);
    verify().succeeded();
}

#[test]
fn log_holds_one_end_for_each_proposal() {
    let home = used();
    let log = home.read("audit/000001.jsonl");
    let records: Vec<Value> = log.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let calls = records.iter().filter(|r| r["kind"] == "call");
    let mut ends: Vec<_> = calls.filter(|r| r["mark"] == "end").map(|r| r["id"].clone()).collect();
    ends.dedup();
    assert_eq!(ends.len(), 2);
}

#[test]
fn head_kept_elsewhere_shows_that_the_log_was_made_anew() {
    let home = used();
    let kept = home.root().join("head.json");
    let head = home.run(["audit", "export", "--head"]).succeeded();
    assert_eq!(head.json()["n"], 5, "{head:?}");
    std::fs::write(&kept, &head.stdout).unwrap();
    home.run(["ask", "how much space is left?"]).succeeded();
    let against =
        |path: &std::path::Path| home.run(["audit", "verify", "--head", path.to_str().unwrap()]);
    let ran = against(&kept).succeeded();
    assert!(ran.stdout.ends_with("it goes on from the kept head\n"), "{ran:?}");
    std::fs::remove_dir_all(home.data().join("audit")).unwrap();
    home.run(["audit", "start-anew"]).succeeded();
    home.run(["ask", "how much space is left?"]).succeeded();
    home.run(["audit", "verify"]).succeeded();
    let ran = against(&kept);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stderr.contains("kept head"), "{ran:?}");
    std::fs::write(&kept, "{}").unwrap();
    let ran = against(&kept);
    assert!(ran.status == 2 && ran.stderr.contains("holds no head"), "{ran:?}");
    assert_eq!(against(std::path::Path::new("/no/such/head")).status, 2);
}

#[test]
fn export_is_the_log_as_it_is_and_fails_where_it_is_damaged() {
    let home = used();
    let ran = home.run(["audit", "export"]).succeeded();
    let log = home.read("audit/000001.jsonl");
    assert_eq!(ran.stdout, log);
    assert!(ran.stderr.contains("whole: 5 records"), "{ran:?}");
    home.write("audit/000001.jsonl", &log.replacen("executed", "refused_", 1));
    let ran = home.run(["audit", "export"]);
    assert!(ran.status == 1 && ran.stderr.contains("damaged at record 3"), "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 2, "what stands before the damage is right");
}
