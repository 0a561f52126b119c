use super::*;
use crate::policy::fixture::registry;

fn names(target: &str) -> Vec<String> {
    let covered = covered(&registry(), target).unwrap();
    covered.descriptors.iter().map(|d| format!("{}@{}", d.name(), d.version())).collect()
}

#[test]
fn target_is_a_name_a_version_or_a_namespace() {
    assert_eq!(names("web.fetch"), ["web.fetch@1", "web.fetch@2"]);
    assert_eq!(names("web.fetch@2"), ["web.fetch@2"]);
    assert_eq!(names("web.*"), ["web.fetch@1", "web.fetch@2", "web.search@1"]);
    assert_eq!(covered(&registry(), "web.*").unwrap().via.as_deref(), Some("web.*"));
    assert_eq!(covered(&registry(), "web.fetch").unwrap().via, None);
}

#[test]
fn nothing_but_an_exact_target_is_taken() {
    for target in [
        "",
        "*",
        ".*",
        "web",
        "web.",
        "web*",
        "web.f*",
        "*.fetch",
        "web.fetch@3",
        "web.fetch@",
        "web.fetch@x",
        "Web.fetch",
        "web.fetch ",
        "web.*;home.*",
        "web.fetch.*",
        "web__fetch__v1",
    ] {
        covered(&registry(), target).unwrap_err();
    }
}

#[test]
fn unknown_target_names_what_is_near() {
    let near = |target: &str| covered(&registry(), target).unwrap_err().near().to_vec();
    assert_eq!(near("web.fetsh"), ["web.fetch@1", "web.fetch@2", "web.search@1"]);
    assert_eq!(near("home.lamp"), ["home.light@1"]);
    assert_eq!(near("health"), ["system.health@1"]);
    assert_eq!(near("xyzzy.plugh"), [""; 0]);
    assert_eq!(
        covered(&registry(), "hone.light\n").unwrap_err().to_string(),
        "`hone.light\\n` names no capability: give a name, `name@version` or a namespace like `web.*`; near it: home.light@1"
    );
    assert!(covered(&registry(), &"a".repeat(9000)).unwrap_err().to_string().len() < 300);
}

#[test]
fn distance_counts_edits() {
    for (a, b, edits) in
        [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("kitten", "sitting", 3)]
    {
        assert_eq!(distance(a, b), edits, "{a} {b}");
    }
}
