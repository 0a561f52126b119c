//! The attribute among other derives: all of them see the same item.
use sovereign_core::prelude::*;

/// Says something.
#[derive(Debug)]
#[capability(
    name = "a.above",
    version = 2,
    side_effect = mutating,
    network = external,
    category = custom("home"),
    timeout = "250ms", max_result = "1KiB", max_per_turn = 3,
)]
#[derive(Clone, PartialEq)]
struct Above {
    /// What.
    what: u8,
}

impl Run for Above {
    type State = ();
    type Output = Changed<u8>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<u8>, Failure> {
        let _ = call.http();
        Ok(Changed::yes(self.what))
    }
}

static PLUGIN: Plugin<()> = Plugin::new("a", &[Above::ENTRY]);

#[test]
fn derives_above_and_below_are_kept() {
    let one = Above { what: 1 };
    assert_eq!(one.clone(), one);
    assert_eq!(format!("{one:?}"), "Above { what: 1 }");
    assert_eq!(PLUGIN.name(), "a");
}

#[test]
fn every_key_reaches_the_declaration() {
    use sovereign_core::caller::Category;
    use sovereign_core::capability::Capability;

    let declaration = Above::DECLARATION;
    assert_eq!((declaration.name, declaration.version), ("a.above", 2));
    assert_eq!(declaration.description, "Says something.");
    assert_eq!(declaration.category, Category::Custom("home"));
    assert_eq!(declaration.bounds.timeout.as_millis(), 250);
    assert_eq!(declaration.bounds.max_result, 1024);
    assert_eq!(declaration.bounds.max_per_turn, 3);
    assert!(!declaration.loopback);
}

/// Says something else.
#[capability(name = "a.above", version = 3, side_effect = read_only, network = local, category = system)]
struct Later;

impl Run for Later {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> {
        Ok(3)
    }
}

static BOTH: Plugin<()> = Plugin::new("a", &[Above::ENTRY, Later::ENTRY]);

#[test]
fn one_name_at_two_versions_is_no_duplicate() {
    assert_eq!(
        format!("{BOTH:?}"),
        r#"Plugin { name: "a", capabilities: ["a.above", "a.above"] }"#
    );
}
