//! What a model is shown is what is registered, and nothing else resolves.
use sovereign_core::caller::{CallerScope, GrantsFile};
use sovereign_core::executor::Proposal;
use sovereign_core::files;
use sovereign_core::policy::{Policy, PolicyFile};
use sovereign_core::schema::Profile;
use sovereign_core::testing::Harness;
use sovereign_tests::{lab, lab_builder};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn propose(name: &str, version: u32, arguments: &str) -> Proposal {
    Proposal::new(name, version, arguments.as_bytes())
}

/// One capability before and after an author added a field: nothing else was edited.
macro_rules! greeting {
    ($module:ident { $($field:tt)* }) => {
        mod $module {
            use sovereign_core::prelude::*;

            /// Greets somebody.
            #[capability(name = "lab.greet", side_effect = read_only, network = local, category = notes)]
            pub(super) struct Greet {
                /// Whom.
                name: String,
                $($field)*
            }

            impl Run for Greet {
                type State = ();
                type Output = String;
                async fn run(self, _: Call<'_, Self>) -> Result<String, Failure> {
                    Ok(self.name)
                }
            }

            pub(super) static PLUGIN: Plugin<()> = Plugin::new("greet", &[Greet::ENTRY]);
        }
    };
}

greeting!(before {});
greeting!(after {
    /// How often.
    #[expect(dead_code, reason = "only its schema is looked at")]
    times: Option<u8>,
});

#[tokio::test]
async fn adding_a_field_changes_the_catalog() {
    let shown = |plugin| {
        let lab = Harness::install(plugin, Arc::default()).build();
        let catalog = lab.executor.catalog(&lab.scope);
        let [entry] = catalog.entries() else { panic!("one entry") };
        entry.arguments.value().clone()
    };
    let (mut before, after) = (shown(&before::PLUGIN), shown(&after::PLUGIN));
    assert_ne!(before, after);
    before["properties"]["times"] = after["properties"]["times"].clone();
    assert_eq!(before, after, "what else differs");
    assert_eq!(after["properties"]["times"]["description"], "How often.");
}

#[tokio::test]
async fn catalog_has_description() {
    let (lab, _) = lab();
    for entry in lab.executor.catalog(&lab.scope).entries() {
        assert!(!entry.description.is_empty() && !entry.description.contains('\n'));
        assert_eq!(entry.arguments.value()["type"], "object");
        assert!(entry.arguments.value()["properties"].is_object(), "{}", entry.name);
    }
}

#[tokio::test]
async fn wire_names_are_injective_and_map_back_exactly() {
    let (lab, _) = lab();
    let catalog = lab.executor.catalog(&lab.scope);
    let two = catalog.resolve("lab__echo__v2").expect("registered");
    assert_eq!((two.name(), two.version()), ("lab.echo", 2));
    for near in ["lab__echo__v3", "lab__echo", "lab.echo", "LAB__ECHO__V2", "lab__echo__v02"] {
        assert!(catalog.resolve(near).is_none(), "{near}");
    }
}

#[tokio::test]
async fn v1_and_v2_coexist_and_resolve_exactly() {
    let (lab, _) = lab();
    let one = lab.propose(propose("lab.echo", 1, "{}")).await;
    let two = lab.propose(propose("lab.echo", 2, "{}")).await;
    let three = lab.propose(propose("lab.echo", 3, "{}")).await;
    assert_eq!(one.result(), Some(r#"{"word":"one"}"#));
    assert_eq!(two.result(), Some(r#"{"word":"two"}"#));
    assert_eq!(three.code(), Some("unknown_capability"));
}

/// The lab with its grants and switches in files.
struct Device {
    _home: tempfile::TempDir,
    lab: Harness,
    grants: PathBuf,
    policy: PathBuf,
}

fn device() -> Device {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    files::create_private_dir(&data).unwrap();
    let (grants, policy) = (data.join("grants.json"), data.join("policy.json"));
    files::create_private(&grants, br#"{"version": 1, "operator": ["system"], "mesh": []}"#)
        .unwrap();
    files::create_private(&policy, br#"{"version": 1}"#).unwrap();
    let (builder, _) = lab_builder();
    let both = Policy::new(Arc::new(GrantsFile::at(&grants)), Arc::new(PolicyFile::at(&policy)));
    Device { _home: home, lab: builder.policy(both).build(), grants, policy }
}

impl Device {
    fn names(&self, scope: &CallerScope) -> Vec<&'static str> {
        self.lab.executor.catalog(scope).entries().iter().map(|e| e.name).collect()
    }
}

/// In place, with the length and the time stamp that it had.
fn rewrite_unnoticed(path: &Path, text: &str) {
    let before = fs::metadata(path).unwrap();
    assert_eq!(before.len(), text.len() as u64);
    fs::write(path, text).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(before.modified().unwrap()).unwrap();
}

#[tokio::test]
async fn revoked_grant_is_gone_from_the_next_catalog() {
    let device = device();
    let scope = device.lab.scope.clone();
    let all = device.names(&scope);
    assert!(all.contains(&"lab.read"), "{all:?}");
    let granted = fs::read_to_string(&device.grants).unwrap();
    rewrite_unnoticed(&device.grants, &granted.replace("system", "wallet"));
    assert!(!device.names(&scope).contains(&"lab.read"));
    rewrite_unnoticed(&device.grants, &granted);
    assert_eq!(device.names(&scope), all);
    fs::write(&device.grants, "{").unwrap();
    assert_eq!(device.names(&scope), [""; 0]);
    files::write_private(&device.grants, granted.as_bytes()).unwrap();
    assert_eq!(device.names(&scope), all);
}

#[tokio::test]
async fn capability_that_is_switched_off_is_gone_from_the_next_catalog() {
    let device = device();
    let scope = device.lab.scope.clone();
    let entry = |enabled: &str| {
        format!(
            r#"{{"version": 1, "capabilities": [{{"name": "lab.read", "version": 1, "side_effect": "read_only", "network": "local", "enabled": {enabled}}}]}}"#
        )
    };
    files::write_private(&device.policy, entry("true ").as_bytes()).unwrap();
    assert!(device.names(&scope).contains(&"lab.read"));
    rewrite_unnoticed(&device.policy, &entry("false"));
    assert!(!device.names(&scope).contains(&"lab.read"));
    rewrite_unnoticed(&device.policy, &entry("true "));
    assert!(device.names(&scope).contains(&"lab.read"));
    fs::remove_file(&device.policy).unwrap();
    assert_eq!(device.names(&scope), [""; 0]);
}

#[tokio::test]
async fn what_one_scope_may_see_is_not_what_the_next_one_is_shown() {
    let device = device();
    let (operator, mesh) = (device.lab.scope.clone(), CallerScope::mesh("!a1"));
    for _ in 0..2 {
        assert!(!device.names(&operator).is_empty());
        assert_eq!(device.names(&mesh), [""; 0]);
    }
}

#[tokio::test]
async fn catalog_is_written_once_for_as_long_as_it_stays_the_same() {
    let device = device();
    let mut written = 0;
    let mut ask = |profile| {
        let catalog = device.lab.executor.catalog(&device.lab.scope);
        let write = |entries: &[_]| {
            written += 1;
            serde_json::value::to_raw_value(entries)
        };
        (catalog.written("test", profile, write).unwrap(), written)
    };
    let (first, _) = ask(Profile::Portable);
    let (second, times) = ask(Profile::Portable);
    assert!(Arc::ptr_eq(&first, &second) && times == 1);
    assert_eq!(ask(Profile::Ollama).1, 2, "another profile is another text");
    let granted = fs::read_to_string(&device.grants).unwrap();
    rewrite_unnoticed(&device.grants, &granted.replace("system", "wallet"));
    let (third, times) = ask(Profile::Portable);
    assert!(times == 3 && third.get() != first.get());
}
