//! The page about what a node keeps, held against what a used node has on the disk.
use super::home::{Home, finish};
use super::model::{Model, says};
use super::serving::{Serving, passwd};
use sovereign_tests::served::PASSWORD;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

/// One sat.
const CASH: &str = "cashuAeyJ0b2tlbiI6W3sibWludCI6Imh0dHBzOi8vbWludC5leGFtcGxlIiwicHJvb2ZzIjpbeyJhbW91bnQiOjY0LCJpZCI6IjAwIiwic2VjcmV0IjoiczEiLCJDIjoiMDIifV19XSwidW5pdCI6InNhdCJ9";

/// Every place on the page, as `history/HASH.transcript`; a word in capitals stands for any text, and
/// a slash at the end for everything below it.
fn on_the_page() -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/data-inventory.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with('|') && line.matches('|').count() >= 6);
    let places = rows.filter_map(|row| row.split('|').nth(2)).flat_map(|cell| cell.split('`'));
    places.filter_map(|place| place.strip_prefix("DIR/")).map(str::to_owned).collect()
}

fn is_it(place: &str, path: &str) -> bool {
    let capital = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase());
    let mut rest = path;
    for part in place.split_inclusive(['/', '.']) {
        let (word, end) = match part.strip_suffix(['/', '.']) {
            Some(word) => (word, &part[word.len()..]),
            None => (part, ""),
        };
        let taken = match rest.split_once(end).filter(|_| !end.is_empty()) {
            Some((taken, left)) => {
                rest = left;
                taken
            }
            None => std::mem::take(&mut rest),
        };
        let any = capital(word) && !taken.is_empty();
        if taken != word && !any {
            return false;
        }
    }
    rest.is_empty() || place.ends_with('/')
}

/// Every file below, by its path from the data directory; each is closed to everybody else.
fn on_the_disk(home: &Home) -> BTreeSet<String> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![home.data()]);
    while let Some(folder) = folders.pop() {
        let closed = |path: &Path, mode: u32| {
            let found = path.symlink_metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{} has mode {found:o}", path.display());
        };
        closed(&folder, 0o700);
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            closed(&path, 0o600);
            found.insert(path.strip_prefix(home.data()).unwrap().to_str().unwrap().to_owned());
        }
    }
    found
}

fn fed(home: &Home, arguments: &[&str], input: &str) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writeln!(writer, "{input}").unwrap();
    drop(writer);
    finish(home.command(arguments).stdin(Stdio::from(reader))).succeeded();
}

#[test]
fn whatever_a_used_node_has_on_the_disk_is_in_the_inventory_and_closed_to_others() {
    let home = Home::with_web();
    let model = Model::new(|_| says("Hello."));
    home.write("config.toml", "[mesh]\nenabled = true\n");
    model.ask(&home, "good morning").succeeded();
    fed(&home, &["keys", "set", "claude"], "sk-ant-api03-0123456789abcdef");
    fed(&home, &["purse", "add", "--stdin"], CASH);
    home.run(["policy", "remote", "always"]).succeeded();
    let transcript = on_the_disk(&home).into_iter().find(|p| p.ends_with(".transcript")).unwrap();
    home.write(&transcript, "torn");
    model.ask(&home, "good evening").succeeded();
    let mut serving = Serving::start(&home);
    assert!(serving.says().contains("login-token"));
    let mut found = on_the_disk(&home);
    passwd(&home, "operator", PASSWORD).succeeded();
    assert_eq!(serving.stop().0, 0);
    found.extend(on_the_disk(&home));
    let places = on_the_page();
    let of_none: Vec<_> =
        found.iter().filter(|path| !places.iter().any(|place| is_it(place, path))).collect();
    assert!(of_none.is_empty(), "not in the inventory: {of_none:?}");
    // made by a command of its own that asks a launch to go on
    let unseen: Vec<_> = places
        .iter()
        .filter(|place| !found.iter().any(|path| is_it(place, path)))
        .filter(|place| *place != "secrets/aiui-dev-link")
        .collect();
    assert!(unseen.is_empty(), "in the inventory and not on the disk: {unseen:?}");
}

#[test]
fn a_place_of_the_inventory_is_one_name_and_not_a_part_of_one() {
    for (place, path, is) in [
        ("grants.json", "grants.json", true),
        ("grants.json", "grants.json.bak", false),
        ("history/HASH.transcript", "history/0a1b.transcript", true),
        ("history/HASH.transcript", "history/.transcript", false),
        ("history/HASH.transcript", "history/0a1b.transcript.17.damaged", false),
        ("history/HASH.transcript.TIME.damaged", "history/0a1b.transcript.17.damaged", true),
        ("audit/", "audit/000001.jsonl", true),
        ("audit/", "audit.old", false),
    ] {
        assert_eq!(is_it(place, path), is, "{place} {path}");
    }
}
