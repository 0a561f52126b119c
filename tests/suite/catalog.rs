//! What a model is shown is what is registered, and nothing else resolves.
use sovereign_core::executor::Proposal;
use sovereign_core::testing::Harness;
use sovereign_tests::lab;
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
