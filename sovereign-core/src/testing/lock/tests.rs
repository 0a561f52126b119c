use super::*;
use crate::capability::{Call, Failure, Run};
use crate::prelude::{Arg, Schema, capability};
use serde::Serialize;
use serde_json::json;

/// Looks into a box.
#[capability(
    name = "box.look", version = 2, side_effect = read_only, network = local, category = files,
    timeout = "3s", max_result = "1KiB", max_per_turn = 4,
)]
struct Look {
    /// Which box.
    #[arg(range(min = 1, max = 9))]
    number: u64,
    /// What to look for.
    #[arg(length(max = 20))]
    description: Option<String>,
    /// Where in it.
    place: Option<Place>,
}

/// A place, in another place.
#[derive(Arg)]
#[expect(clippy::use_self, reason = "the derive names field types outside of any impl")]
struct Place {
    /// On which side.
    side: Side,
    /// Inside of which.
    inside: Option<Box<Place>>,
}

/// A side.
#[derive(Arg)]
#[serde(rename_all = "snake_case")]
enum Side {
    Left,
    Right,
}

/// What is in it.
#[derive(Serialize, Schema)]
struct Found {
    /// How many.
    count: u32,
}

impl Run for Look {
    type State = ();
    type Output = Found;
    async fn run(self, _: Call<'_, Self>) -> Result<Found, Failure> {
        let _seen = (self.number, self.description, self.place.map(|p| (p.side, p.inside)));
        Ok(Found { count: 0 })
    }
}

static BOXES: Plugin<()> = Plugin::new("boxes", &[Look::ENTRY]);

/// A lock that was blessed and then changed by hand: the change stands for an older state of the
/// code.
struct Kept {
    folder: tempfile::TempDir,
}

impl Kept {
    fn new() -> Self {
        let kept = Self { folder: tempfile::tempdir().unwrap() };
        kept.lock().bless().unwrap();
        kept
    }

    fn lock(&self) -> CatalogLock {
        CatalogLock::at(self.folder.path().join("capabilities.lock")).plugin(&BOXES)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.lock().path).unwrap()
    }

    fn with(self, pointer: &str, value: Value) -> Self {
        let mut all: Value = serde_json::from_str(&self.text()).unwrap();
        *all["box.look@2"].pointer_mut(pointer).unwrap() = value;
        fs::write(self.lock().path, all.to_string()).unwrap();
        self
    }

    fn difference(&self) -> String {
        let error = self.lock().check().expect_err("it differs");
        let LockError::Differs { differences, .. } = error else { panic!("{error}") };
        assert_eq!(differences.iter().count(), 1, "{differences}");
        differences.to_string()
    }
}

#[test]
fn a_capability_that_is_not_locked_asks_to_be_blessed() {
    let folder = tempfile::tempdir().unwrap();
    let lock = CatalogLock::at(folder.path().join("capabilities.lock")).plugin(&BOXES);
    let error = lock.check().unwrap_err().to_string();
    assert!(error.contains("box.look@2 is not in the lock"), "{error}");
    assert!(error.contains("SOVEREIGN_BLESS=1"), "{error}");
    assert!(!lock.path.exists(), "a check writes nothing");
    let report = lock.bless().unwrap();
    assert_eq!(report, LockReport { added: vec!["box.look@2".to_owned()], texts: vec![] });
    assert_eq!(lock.check().unwrap(), LockReport::default());
}

#[test]
fn a_lock_is_written_the_same_twice_and_says_what_is_enforced() {
    let kept = Kept::new();
    let first = kept.text();
    kept.lock().bless().unwrap();
    assert_eq!(kept.text(), first);
    let entry = &serde_json::from_str::<Value>(&first).unwrap()["box.look@2"];
    for (key, want) in [
        ("category", json!("files")),
        ("side_effect", json!("read_only")),
        ("network", json!("local")),
        ("timeout", json!("3000 ms")),
        ("max_result", json!(1024)),
        ("max_per_turn", json!(4)),
    ] {
        assert_eq!(entry[key], want, "{key}");
    }
    assert!(first.lines().count() > 50 && first.ends_with("}\n"), "one fact a line: {first}");
}

#[test]
fn a_changed_contract_under_the_same_version_is_red_and_shows_the_lines() {
    for (pointer, was, lines) in [
        (
            "/arguments/properties/number/maximum",
            json!(99),
            "  - arguments/properties/number/maximum = 99\n  + arguments/properties/number/maximum = 9",
        ),
        ("/arguments/required", json!([]), "  + arguments/required[] = \"number\""),
        (
            "/arguments/$defs/Place/properties/side/enum",
            json!(["left"]),
            "  + arguments/definition 1/properties/side/enum[] = \"right\"",
        ),
        (
            "/arguments/properties/description/maxLength",
            json!(10),
            "  - arguments/properties/description/maxLength = 10\n  + arguments/properties/description/maxLength = 20",
        ),
        (
            "/result/properties/count/maximum",
            json!(7),
            "  - result/properties/count/maximum = 7\n  + result/properties/count/maximum = 4294967295",
        ),
        (
            "/side_effect",
            json!("mutating"),
            "  - side_effect = \"mutating\"\n  + side_effect = \"read_only\"",
        ),
        ("/network", json!("external"), "  - network = \"external\"\n  + network = \"local\""),
        ("/loopback", json!(true), "  - loopback = true\n  + loopback = false"),
        ("/category", json!("notes"), "  - category = \"notes\"\n  + category = \"files\""),
        ("/timeout", json!("1 ms"), "  - timeout = \"1 ms\"\n  + timeout = \"3000 ms\""),
        ("/max_result", json!(5), "  - max_result = 5\n  + max_result = 1024"),
        ("/max_per_turn", json!(1), "  - max_per_turn = 1\n  + max_per_turn = 4"),
    ] {
        let kept = Kept::new().with(pointer, was);
        let want = format!(
            "box.look@2 changed after it was published: bump the version to 3 \
             (and keep version 2, if anything still asks for it)\n{lines}"
        );
        assert_eq!(kept.difference(), want, "{pointer}");
        let before = kept.text();
        assert!(kept.lock().bless().is_err(), "blessing does not change what was published");
        assert_eq!(kept.text(), before);
    }
}

#[test]
fn changed_texts_and_orders_are_reported_and_not_red() {
    let kept = Kept::new()
        .with("/description", json!("Peeks."))
        .with("/arguments/properties/number/description", json!("Which."))
        .with("/arguments/$defs/Place/properties/side/enum", json!(["right", "left"]));
    let texts = kept.lock().check().unwrap().texts;
    assert_eq!(
        texts,
        [
            r#"box.look@2: arguments/properties/number/description was "Which.", is "Which box.""#,
            r#"box.look@2: description was "Peeks.", is "Looks into a box.""#,
        ]
    );
    assert_eq!(kept.lock().bless().unwrap().texts, texts);
    assert_eq!(kept.lock().check().unwrap(), LockReport::default(), "taken over");
}

#[test]
fn every_keyword_is_a_line_and_a_value_is_never_taken_for_a_text() {
    let entry = json!({
        "description": "Text.",
        "arguments": {
            "properties": {
                "description": {"description": "Text.", "default": {"description": "value"}},
                "free": {"description": "Text."},
                "either": {"anyOf": [{"const": ["a"]}, {"type": "null"}]},
                "next": {"$ref": "#/$defs/B"},
            },
            "$defs": {
                "A": {"type": "string"},
                "B": {"properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}}},
                "C": {"description": "Nothing refers to it."},
            },
        },
    });
    let lines = Lines::of(entry.as_object().unwrap());
    assert_eq!(
        lines.contract.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "arguments/definition 1/properties/a/$ref = \"definition 2\"",
            "arguments/definition 1/properties/b/$ref = \"definition 1\"",
            "arguments/definition 2/type = \"string\"",
            "arguments/properties/description/default = {\"description\":\"value\"}",
            "arguments/properties/either/anyOf/0/const = [\"a\"]",
            "arguments/properties/either/anyOf/1/type = \"null\"",
            "arguments/properties/free = \"anything\"",
            "arguments/properties/next/$ref = \"definition 1\"",
        ]
    );
    assert_eq!(lines.texts.len(), 3, "{:?}", lines.texts);
}

#[test]
fn a_renamed_definition_is_no_change() {
    let kept = Kept::new();
    let renamed = kept.text().replace("\"Place\"", "\"Spot\"").replace("/Place\"", "/Spot\"");
    assert_ne!(renamed, kept.text());
    fs::write(kept.lock().path, renamed).unwrap();
    assert_eq!(kept.lock().check().unwrap(), LockReport::default());
}

#[test]
fn a_removed_capability_is_red_until_it_is_retired_and_never_comes_back() {
    let kept = Kept::new();
    let empty = CatalogLock::at(kept.lock().path);
    let error = empty.check().unwrap_err().to_string();
    assert!(error.contains("box.look@2 is in the lock and no longer published"), "{error}");
    assert!(error.contains(r#"`"retired": true`"#), "{error}");
    assert!(empty.bless().is_err(), "blessing removes nothing");

    let mut all: Value = serde_json::from_str(&kept.text()).unwrap();
    all["box.look@2"]["retired"] = true.into();
    fs::write(kept.lock().path, all.to_string()).unwrap();
    assert_eq!(empty.check().unwrap(), LockReport::default());
    assert_eq!(
        kept.difference(),
        "box.look@2 was retired and is published again: bump the version to 3"
    );
}

#[test]
fn one_name_and_version_in_two_plugins_is_red() {
    let kept = Kept::new();
    let error = kept.lock().plugin(&BOXES).check().unwrap_err().to_string();
    assert!(error.contains("box.look@2 is published twice"), "{error}");
}

#[test]
fn a_file_that_is_no_lock_is_never_overwritten() {
    for text in ["", "[]", r#"{"box.look@2": 1}"#] {
        let kept = Kept::new();
        fs::write(kept.lock().path, text).unwrap();
        for result in [kept.lock().check(), kept.lock().bless()] {
            assert!(matches!(result, Err(LockError::NotALock { .. })), "{text}: {result:?}");
        }
        assert_eq!(kept.text(), text);
    }
}

#[test]
#[should_panic(expected = "bump the version to 3")]
fn a_changed_contract_fails_the_test_that_asserts_it() {
    Kept::new().with("/max_per_turn", json!(1)).lock().assert();
}
