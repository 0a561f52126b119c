use super::fixture::{descriptor, registry};
use super::*;
use crate::caller::Category;
use std::fs;

const HAND_WRITTEN: &str = r#"{"version": 1, "capabilities": [
  {"name": "old.thing", "version": 3, "side_effect": "mutating", "network": "local", "enabled": true, "via": "old.*"},
  {"name": "web.fetch", "version": 1, "side_effect": "read_only", "network": "local", "enabled": true},
  {"name": "web.fetch", "version": 2, "side_effect": "read_only", "network": "local", "enabled": false},
  {"name": "web.search", "version": 1, "side_effect": "read_only", "network": "external", "enabled": true}
]}"#;

fn written(text: &str) -> (tempfile::TempDir, Arc<PolicyFile>) {
    let home = crate::files::tests::private();
    let policy = PolicyFile::create_default(home.path().join("policy.json")).unwrap();
    fs::write(policy.path(), text).unwrap();
    (home, Arc::new(policy))
}

fn both() -> (tempfile::TempDir, Policy) {
    let (home, file) = written(HAND_WRITTEN);
    let grants = |scope: &CallerScope| match scope {
        CallerScope::LocalOperator { .. } => Categories::from([Category::Search]),
        CallerScope::Mesh { .. } => Categories::NONE,
    };
    (home, Policy::new(Arc::new(grants), file))
}

#[test]
fn entries_that_do_nothing_are_listed_with_why() {
    let (_home, policy) = written(HAND_WRITTEN);
    let stale = policy.stale(&registry()).unwrap();
    let told: Vec<String> = stale.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "old.thing@3 is not installed",
            "web.fetch@1 is read_only, external now, which nobody switched on",
        ],
        "one that switches off holds whatever the class"
    );
    assert_eq!(stale[0].via.as_deref(), Some("old.*"));
    fs::write(policy.path(), "{").unwrap();
    policy.stale(&registry()).unwrap_err();
}

#[test]
fn explanation_says_where_each_answer_comes_from() {
    let (_home, policy) = both();
    let registry = registry();
    let operator = CallerScope::operator("alice", "s1");
    let told = |scope: &CallerScope, name, version| {
        policy.explain(scope, descriptor(&registry, name, version)).to_string()
    };
    assert_eq!(
        told(&operator, "web.search", 1),
        "web.search@1: admitted\n  class: read_only, external\n  grants: operator holds search\n  \
         switch: on; set for this name and version\n  confirmation: a person decides each call\n  \
         own check: asked with the arguments of each call"
    );
    let outgrown = told(&operator, "web.fetch", 1);
    assert!(outgrown.starts_with("web.fetch@1: refused (not_enabled)\n"), "{outgrown}");
    assert!(
        outgrown.contains("switch: off; it was switched on when it was read_only, local:"),
        "{outgrown}"
    );
    let mesh = told(&CallerScope::mesh("!1"), "web.search", 1);
    assert!(mesh.starts_with("web.search@1: refused (not_granted)\n"), "{mesh}");
    assert!(mesh.contains("grants: mesh holds nothing, not search\n"), "{mesh}");
    assert!(mesh.contains("there is none behind this caller"), "{mesh}");
}

#[test]
fn explanation_and_the_question_itself_agree() {
    let (_home, policy) = both();
    for scope in [CallerScope::operator("alice", "s1"), CallerScope::mesh("!1")] {
        for d in registry().descriptors() {
            let explained = policy.explain(&scope, d);
            assert_eq!(explained.verdict, policy.admits(&scope, d));
            let parts = explained.holds_category && explained.switch.unwrap().enabled;
            assert_eq!(parts, explained.verdict.is_ok(), "{}", d.name());
        }
    }
}

#[test]
fn caller_without_a_person_is_told_so_though_policy_admits_the_call() {
    let (_home, file) = written(HAND_WRITTEN);
    let all = |_: &CallerScope| Categories::from([Category::Search]);
    let policy = Policy::new(Arc::new(all), file);
    let registry = registry();
    let search = descriptor(&registry, "web.search", 1);
    assert_eq!(
        policy.explain(&CallerScope::mesh("!1"), search).refused(),
        Some("caller_cannot_confirm")
    );
    assert_eq!(policy.explain(&CallerScope::operator("a", "s"), search).refused(), None);
}

#[test]
fn only_the_entries_that_were_listed_and_still_do_nothing_are_dropped() {
    let (_home, policy) = written(HAND_WRITTEN);
    let registry = registry();
    let stale = policy.stale(&registry).unwrap();
    assert_eq!(policy.drop_stale(&registry, &[]).unwrap(), 0);
    assert_eq!(fs::read_to_string(policy.path()).unwrap(), HAND_WRITTEN, "nothing is written");
    assert_eq!(policy.drop_stale(&registry, &stale[..1]).unwrap(), 1);
    assert_eq!(policy.stale(&registry).unwrap(), stale[1..]);
    assert_eq!(policy.drop_stale(&registry, &stale).unwrap(), 1);
    assert_eq!(policy.stale(&registry).unwrap(), []);
    let left = fs::read_to_string(policy.path()).unwrap();
    assert_eq!(left.matches("\"name\"").count(), 2, "what does something stays: {left}");
}
