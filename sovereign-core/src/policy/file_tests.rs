use super::*;
use crate::policy::covered;
use crate::policy::fixture::{descriptor, old_registry, registry};
use crate::registry::Registry;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

struct Device {
    home: tempfile::TempDir,
    policy: PolicyFile,
}

fn fresh() -> Device {
    let home = crate::files::tests::private();
    let policy = PolicyFile::create_default(home.path().join("policy.json")).unwrap();
    Device { home, policy }
}

fn write(policy: &PolicyFile, text: &str) {
    fs::write(policy.path(), text).unwrap();
}

fn set(policy: &PolicyFile, registry: &Registry, target: &str, enabled: bool) {
    let covered = covered(registry, target).unwrap();
    let via = covered.via;
    let change = |descriptor| SwitchChange { descriptor, enabled, via: via.clone() };
    policy.change(&covered.descriptors.into_iter().map(change).collect::<Vec<_>>()).unwrap();
}

/// `name@version` of all that is on.
fn on(policy: &PolicyFile, registry: &Registry) -> Vec<String> {
    let is_on = |d: &&'static Descriptor| policy.state(d).unwrap().enabled;
    registry.descriptors().filter(is_on).map(|d| format!("{}@{}", d.name(), d.version())).collect()
}

#[test]
fn fresh_install_has_on_only_what_runs_automatically() {
    let Device { home: _home, policy } = fresh();
    assert_eq!(on(&policy, &registry()), ["system.health@1"]);
    assert_eq!(policy.remote_inference(), RemoteInference::Ask);
    assert_eq!(fs::metadata(policy.path()).unwrap().mode() & 0o777, 0o600);
    let state = policy.state(descriptor(&registry(), "web.fetch", 1)).unwrap();
    assert_eq!(state, State { enabled: false, source: Source::Class });
}

#[test]
fn name_covers_its_versions_and_a_version_only_itself() {
    let Device { home: _home, policy } = fresh();
    let registry = registry();
    set(&policy, &registry, "web.fetch@2", true);
    assert_eq!(on(&policy, &registry), ["system.health@1", "web.fetch@2"]);
    set(&policy, &registry, "web.fetch", true);
    assert_eq!(on(&policy, &registry), ["system.health@1", "web.fetch@1", "web.fetch@2"]);
    set(&policy, &registry, "web.fetch@1", false);
    assert_eq!(on(&policy, &registry), ["system.health@1", "web.fetch@2"]);
    let state = policy.state(descriptor(&registry, "web.fetch", 1)).unwrap();
    assert_eq!(state, State { enabled: false, source: Source::Name });
}

#[test]
fn namespace_covers_what_exists_and_no_later_addition() {
    let Device { home: _home, policy } = fresh();
    set(&policy, &old_registry(), "web.*", true);
    assert_eq!(on(&policy, &old_registry()), ["web.fetch@1"]);
    let updated = registry();
    assert_eq!(on(&policy, &updated), ["system.health@1", "web.fetch@1"]);
    let state = policy.state(descriptor(&updated, "web.fetch", 1)).unwrap();
    assert_eq!(state.source, Source::Namespace("web.*".to_owned()));
}

#[test]
fn wider_class_is_off_again_and_off_stays_off_whatever_the_class() {
    let Device { home: _home, policy } = fresh();
    let registry = registry();
    let fetch = descriptor(&registry, "web.fetch", 1);
    set(&policy, &registry, "web.fetch@1", true);
    let mutating = Descriptor { side_effect: SideEffect::Mutating, ..*fetch };
    assert!(policy.state(fetch).unwrap().enabled);
    assert!(!policy.state(&mutating).unwrap().enabled);

    let light = descriptor(&registry, "home.light", 1);
    set(&policy, &registry, "home.light", true);
    let external = Descriptor { network: Network::External, ..*light };
    assert!(policy.state(light).unwrap().enabled);
    assert!(!policy.state(&external).unwrap().enabled);

    set(&policy, &registry, "home.light", false);
    let automatic = Descriptor { side_effect: SideEffect::ReadOnly, ..*light };
    assert!(State::default_of(&automatic).enabled);
    assert!(!policy.state(&automatic).unwrap().enabled);
}

#[test]
fn automatic_capability_can_be_switched_off_and_on() {
    let Device { home: _home, policy } = fresh();
    let registry = registry();
    set(&policy, &registry, "system.health", false);
    assert_eq!(on(&policy, &registry), [""; 0]);
    set(&policy, &registry, "system.health", true);
    assert_eq!(on(&policy, &registry), ["system.health@1"]);
}

#[test]
fn file_that_says_both_on_and_off_means_off() {
    let Device { home: _home, policy } = fresh();
    let entry = |enabled: bool| {
        format!(
            r#"{{"name": "web.fetch", "version": 1, "side_effect": "read_only", "network": "external", "enabled": {enabled}}}"#
        )
    };
    for (first, second) in [(true, false), (false, true)] {
        write(
            &policy,
            &format!(r#"{{"version": 1, "capabilities": [{}, {}]}}"#, entry(first), entry(second)),
        );
        assert_eq!(on(&policy, &registry()), ["system.health@1"]);
    }
}

/// Must-beat 47.
#[test]
fn stringly_false_is_off() {
    let Device { home: _home, policy } = fresh();
    let registry = registry();
    for value in ["\"false\"", "\"true\"", "1", "0", "null", "[true]", "\"\""] {
        let text = format!(
            "{{\"version\": 1, \"capabilities\": [\n{{\"name\": \"web.fetch\", \"version\": 1, \
             \"side_effect\": \"read_only\", \"network\": \"external\",\n\"enabled\": {value}}}]}}"
        );
        write(&policy, &text);
        for d in registry.descriptors() {
            let error = policy.state(d).unwrap_err().to_string();
            let start = format!("`{}`, line 3: ", policy.path().display());
            assert!(error.starts_with(&start), "{error}");
        }
        assert_eq!(policy.remote_inference(), RemoteInference::Never);
        assert_eq!(fs::read_to_string(policy.path()).unwrap(), text);
    }
}

#[test]
fn whatever_is_not_exactly_the_shape_switches_everything_off() {
    let Device { home: _home, policy } = fresh();
    let health = descriptor(&registry(), "system.health", 1);
    let entry = r#""name": "web.fetch", "version": 1, "side_effect": "read_only", "network": "external", "enabled": true"#;
    for text in [
        String::new(),
        "{}".to_owned(),
        "[1, [], [\"always\"]]".to_owned(),
        r#"{"version": 2}"#.to_owned(),
        r#"{"version": 1, "capabilities": {}}"#.to_owned(),
        r#"{"version": 1, "capability": []}"#.to_owned(),
        r#"{"version": 1, "inference": "always"}"#.to_owned(),
        r#"{"version": 1, "inference": ["always"]}"#.to_owned(),
        r#"{"version": 1, "inference": {"remote": "yes"}}"#.to_owned(),
        r#"{"version": 1, "inference": {"remote": true}}"#.to_owned(),
        r#"{"version": 1, "inference": {"remote": "ask"}, "inference": {"remote": "always"}}"#
            .to_owned(),
        format!(r#"{{"version": 1, "capabilities": [{{{entry}, "confirmation": "none"}}]}}"#),
        format!(r#"{{"version": 1, "capabilities": [{{{entry}, "enabled": false}}]}}"#),
        format!(r#"{{"version": 1, "capabilities": [{{{}}}]}}"#, entry.replace("1,", "\"1\",")),
        format!(r#"{{"version": 1, "capabilities": [{{{}}}]}}"#, entry.replace("read_only", "safe")),
        r#"{"version": 1, "capabilities": [["web.fetch", 1, "read_only", "external", true, null]]}"#
            .to_owned(),
    ] {
        write(&policy, &text);
        let error = policy.state(health).unwrap_err().to_string();
        assert!(error.contains(", line 1: "), "{text}: {error}");
        assert!(error.ends_with("; until this is mended, everything is off"), "{error}");
        assert_eq!(policy.remote_inference(), RemoteInference::Never, "{text}");
        policy.check().unwrap_err();
        let change = SwitchChange { descriptor: health, enabled: false, via: None };
        policy.would(&change).unwrap_err();
        policy.change(&[change]).unwrap_err();
        assert_eq!(fs::read_to_string(policy.path()).unwrap(), text);
    }
}

#[test]
fn remote_inference_is_what_the_file_says_now() {
    let Device { home: _home, policy } = fresh();
    for (word, expected) in [
        ("never", RemoteInference::Never),
        ("always", RemoteInference::Always),
        ("ask", RemoteInference::Ask),
    ] {
        write(&policy, &format!(r#"{{"version": 1, "inference": {{"remote": "{word}"}}}}"#));
        assert_eq!(policy.remote_inference(), expected);
    }
    write(&policy, r#"{"version": 1}"#);
    assert_eq!(policy.remote_inference(), RemoteInference::Ask);
}

#[test]
fn change_keeps_the_rest_of_the_file() {
    let Device { home: _home, policy } = fresh();
    let gone = r#"{"name": "old.thing", "version": 3, "side_effect": "mutating", "network": "local", "enabled": true}"#;
    write(
        &policy,
        &format!(
            r#"{{"version": 1, "capabilities": [{gone}], "inference": {{"remote": "never"}}}}"#
        ),
    );
    set(&policy, &registry(), "web.search", true);
    let text = fs::read_to_string(policy.path()).unwrap();
    assert!(text.contains("\"old.thing\"") && text.contains("\"web.search\""), "{text}");
    assert_eq!(policy.remote_inference(), RemoteInference::Never);
}

#[test]
fn missing_or_unsafe_file_switches_everything_off() {
    let Device { home, policy } = fresh();
    let health = descriptor(&registry(), "system.health", 1);
    fs::set_permissions(policy.path(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(policy.state(health).unwrap_err().to_string().contains("run `chmod 600 "));
    fs::set_permissions(policy.path(), fs::Permissions::from_mode(0o600)).unwrap();
    policy.state(health).unwrap();
    let elsewhere = home.path().join("elsewhere");
    fs::rename(policy.path(), &elsewhere).unwrap();
    assert!(policy.state(health).unwrap_err().to_string().contains("does not exist"));
    assert_eq!(policy.remote_inference(), RemoteInference::Never);
    symlink(&elsewhere, policy.path()).unwrap();
    assert!(policy.state(health).unwrap_err().to_string().contains("is a symbolic link"));
}

#[test]
fn each_answer_about_remote_models_has_its_word() {
    let answers = [RemoteInference::Never, RemoteInference::Ask, RemoteInference::Always];
    assert_eq!(answers.map(RemoteInference::word), ["never", "ask", "always"]);
    assert_eq!(answers.map(|a| RemoteInference::of_word(a.word())), answers.map(Some));
    assert_eq!(RemoteInference::of_word("yes"), None);
}

#[test]
fn the_answer_about_remote_models_is_set_only_where_it_makes_a_difference() {
    let Device { home: _home, policy } = fresh();
    assert!(!policy.would_set_remote(RemoteInference::Ask).unwrap());
    assert!(policy.would_set_remote(RemoteInference::Always).unwrap());
    policy.set_remote(RemoteInference::Always).unwrap();
    assert_eq!(policy.remote_inference(), RemoteInference::Always);
    assert!(!policy.would_set_remote(RemoteInference::Always).unwrap());
    write(&policy, "{");
    policy.would_set_remote(RemoteInference::Ask).unwrap_err();
    policy.set_remote(RemoteInference::Ask).unwrap_err();
    assert_eq!(fs::read_to_string(policy.path()).unwrap(), "{", "what says nothing is kept");
}

#[test]
fn what_the_file_says_already_is_not_written_again() {
    let Device { home: _home, policy } = fresh();
    let registry = registry();
    let health = descriptor(&registry, "system.health", 1);
    let change = |enabled| SwitchChange { descriptor: health, enabled, via: None };
    assert!(policy.would(&change(true)).unwrap(), "on by its class is not said by the file");
    policy.change(&[change(true)]).unwrap();
    assert!(!policy.would(&change(true)).unwrap() && policy.would(&change(false)).unwrap());
    let via = Some("system.*".to_owned());
    policy.change(&[SwitchChange { via, ..change(true) }]).unwrap();
    let state = policy.state(health).unwrap();
    assert_eq!(state.source, Source::Name, "the entry that says so already stays");
}

#[test]
fn reset_puts_a_fresh_policy_in_place_of_whatever_is_there() {
    let Device { home: _home, policy } = fresh();
    write(&policy, "{");
    policy.check().unwrap_err();
    policy.reset().unwrap();
    policy.check().unwrap();
    assert_eq!(on(&policy, &registry()), ["system.health@1"]);
    assert_eq!(policy.remote_inference(), RemoteInference::Ask);
}
