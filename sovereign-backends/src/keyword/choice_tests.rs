use super::{Choice, choose};
use crate::keyword::words::Question;
use sovereign_core::capability::Reach;
use sovereign_core::prelude::*;
use sovereign_core::testing::{Harness, Replies};
use std::sync::Arc;

/// Reports how much disk space is free, used and left on the data volume.
#[capability(name = "system.disk_status", side_effect = read_only, network = local, category = system)]
struct DiskStatus {}

/// Tells whether the node is healthy: load, memory, temperature, disk and uptime.
#[capability(name = "system.health", side_effect = read_only, network = local, category = system)]
struct Health {}

/// Fetches one page from the web as text.
#[capability(name = "web.fetch", side_effect = read_only, network = external, category = search)]
#[expect(dead_code, reason = "only its schema is read")]
struct Fetch {
    /// The page to fetch; this leaves the device.
    url: String,
}

/// Searches the web.
#[capability(name = "web.search", side_effect = read_only, network = external, category = search)]
#[expect(dead_code, reason = "only its schema is read")]
struct Search {
    /// What to look for; this text leaves the device.
    query: String,
}

/// Switches a lamp.
#[capability(name = "lamp.switch", side_effect = read_only, network = local, category = notes)]
#[expect(dead_code, reason = "only its schema is read")]
struct Lamp {
    /// To what.
    state: State,
    /// In which room.
    room: Option<String>,
}

#[derive(Arg, Clone, Copy)]
enum State {
    /// Lit.
    On,
    /// Dark.
    Off,
}

/// Rings the first bell.
#[capability(name = "bell.first", side_effect = read_only, network = local, category = notes)]
struct First {}

/// Rings the second bell.
#[capability(name = "bell.second", side_effect = read_only, network = local, category = notes)]
struct Second {}

/// Rings the second bell louder.
#[capability(name = "bell.second", version = 2, side_effect = read_only, network = local, category = notes)]
struct SecondLouder {}

macro_rules! runs {
    ($($name:ident),*) => {$(
        impl Run for $name {
            type State = ();
            type Output = bool;
            async fn run(self, _: Call<'_, Self>) -> Result<bool, Failure> {
                Ok(true)
            }
        }
    )*};
}
runs!(DiskStatus, Health, Fetch, Search, Lamp, First, Second, SecondLouder);

static HERE: Plugin<()> = Plugin::new(
    "here",
    &[
        DiskStatus::ENTRY,
        Health::ENTRY,
        Lamp::ENTRY,
        First::ENTRY,
        Second::ENTRY,
        SecondLouder::ENTRY,
    ],
);
static WEB: Plugin<()> = Plugin::new("web", &[Fetch::ENTRY, Search::ENTRY]);

/// The choice as text.
fn chosen(text: &str) -> String {
    let lab = Harness::install(&HERE, Arc::default())
        .install_reaching(&WEB, Arc::default(), Arc::new(Replies::reaching(Reach::public())))
        .build();
    let catalog = lab.executor.catalog(&lab.scope);
    match choose(catalog.entries(), &Question::read(text)) {
        Choice::Propose(entry, arguments) => {
            format!("{}@{} {}", entry.name, entry.version, serde_json::Value::Object(arguments))
        }
        Choice::Incomplete(entry, missing) => format!("{} lacks {}", entry.name, missing.join(",")),
        Choice::Tie(entries) => {
            format!("tie {}", entries.iter().map(|e| e.name).collect::<Vec<_>>().join(","))
        }
        Choice::Nothing => "nothing".to_owned(),
    }
}

#[test]
fn plain_questions_find_their_capability() {
    for (text, expected) in [
        ("how much space is left?", "system.disk_status@1 {}"),
        ("How much free space do I have", "system.disk_status@1 {}"),
        ("disk status please", "system.disk_status@1 {}"),
        ("is the disk full?", "system.disk_status@1 {}"),
        ("is everything healthy?", "system.health@1 {}"),
        ("show me the temperature", "system.health@1 {}"),
        ("fetch https://example.com/", r#"web.fetch@1 {"url":"https://example.com/"}"#),
        (
            "what does https://example.com/a?b=c say?",
            r#"web.fetch@1 {"url":"https://example.com/a?b=c"}"#,
        ),
        ("switch the lamp ON", r#"lamp.switch@1 {"state":"on"}"#),
        ("the second bell", "bell.second@2 {}"),
    ] {
        assert_eq!(chosen(text), expected, "{text}");
    }
}

#[test]
fn a_weak_match_proposes_nothing() {
    for text in [
        "",
        "?",
        "hello",
        "how is it?",
        "tell me a joke about disk encryption",
        "thanks, the disk arrived yesterday morning",
        "please write a poem",
    ] {
        assert_eq!(chosen(text), "nothing", "{text}");
    }
}

#[test]
fn a_tie_proposes_nothing() {
    assert_eq!(chosen("ring the bell"), "tie bell.first,bell.second");
}

#[test]
fn what_cannot_be_filled_in_completely_is_not_proposed() {
    for (text, expected) in [
        ("fetch a page", "web.fetch lacks url"),
        ("fetch https://a.example/ https://b.example/", "web.fetch lacks url"),
        ("search the web for rust", "web.search lacks query"),
        ("switch the lamp", "lamp.switch lacks state"),
        ("switch the lamp on off", "lamp.switch lacks state"),
        ("switch the lamp onwards", "lamp.switch lacks state"),
    ] {
        assert_eq!(chosen(text), expected, "{text}");
    }
}

#[test]
fn a_negated_request_proposes_nothing() {
    assert_eq!(chosen("do not fetch https://example.com/"), "nothing");
    assert_eq!(chosen("don’t switch the lamp on"), "nothing");
}

#[test]
fn choosing_is_deterministic_and_never_panics() {
    let odd = ["\u{0}", "://", "a://b://c", "😀😀", "İ", &"disk ".repeat(10_000), "ß\u{202e}x"];
    for text in odd {
        assert_eq!(chosen(text), chosen(text));
    }
}
