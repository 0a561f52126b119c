use syn::DeriveInput;

use crate::args::{Role, impls};
use crate::errors::Errors;

fn texts(role: Role, source: &str) -> Vec<String> {
    let item: DeriveInput = syn::parse_str(source).unwrap();
    let mut errors = Errors::new();
    impls(&item, role, &mut errors);
    errors.into_texts()
}

fn argument(fields: &str) -> Vec<String> {
    texts(Role::Argument, &format!("/// Some.\nstruct Some {{ {fields} }}"))
}

fn result(fields: &str) -> Vec<String> {
    texts(Role::Result, &format!("struct Some {{ {fields} }}"))
}

#[test]
fn a_field_without_mistakes_gives_no_error() {
    let good =
        "/// What.\n#[arg(length(min = 1, max = 5))]\n#[serde(rename = \"what\")]\nwhat: String";
    assert_eq!(argument(good), [""; 0]);
    assert_eq!(result("#[serde(rename = \"x\", alias = \"y\", default)] what: u8"), [""; 0]);
}

#[test]
fn all_errors_of_an_item_come_at_once() {
    let texts = argument(
        "one: u8,
         /// Two.
         #[arg(lenght(max = 1))] two: String,
         /// Three.
         #[serde(flatten)] three: Three,
         /// Four.
         #[arg(range(min = 2, max = 1))] four: u8",
    );
    assert_eq!(texts.len(), 4, "{texts:#?}");
}

#[test]
fn every_serde_item_that_changes_reading_is_refused_on_arguments() {
    for item in [
        "alias = \"x\"",
        "flatten",
        "with = \"x\"",
        "deserialize_with = \"x\"",
        "serialize_with = \"x\"",
        "skip",
        "skip_serializing",
        "skip_deserializing",
        "default",
        "default = \"x\"",
        "borrow",
        "getter = \"x\"",
        "rename = \"other\"",
        "invented_tomorrow",
    ] {
        let texts = argument(&format!("/// What.\n#[serde({item})] what: u8"));
        assert_eq!(texts.len(), 1, "{item}: {texts:?}");
    }
    for item in [
        "from = \"x\"",
        "try_from = \"x\"",
        "into = \"x\"",
        "remote = \"x\"",
        "untagged",
        "tag = \"x\"",
        "tag = \"x\", content = \"y\"",
        "transparent",
        "default",
    ] {
        let source = format!("/// Some.\n#[serde({item})] struct Some {{ /// What.\n what: u8 }}");
        let texts = texts(Role::Argument, &source);
        assert!(!texts.is_empty(), "{item}");
    }
    let other = "enum Some { This, #[serde(other)] That }";
    assert_eq!(texts(Role::Argument, other).len(), 1);
}

#[test]
fn every_serde_item_that_changes_the_shape_is_refused_on_results() {
    for item in ["flatten", "with = \"x\"", "serialize_with = \"x\"", "invented_tomorrow"] {
        let texts = result(&format!("#[serde({item})] what: u8"));
        assert_eq!(texts.len(), 1, "{item}: {texts:?}");
    }
    for item in ["into = \"x\"", "untagged", "tag = \"x\"", "transparent", "remote = \"x\""] {
        let fields = "what: u8, more: u8";
        let texts = texts(Role::Result, &format!("#[serde({item})] struct Some {{ {fields} }}"));
        assert_eq!(texts.len(), 1, "{item}: {texts:?}");
    }
    let skipped = "enum Some { This, #[serde(skip)] That }";
    assert_eq!(texts(Role::Result, skipped).len(), 1, "a value without a wire form");
}

#[test]
fn more_fields_than_the_reader_can_track_are_refused() {
    let fields = |n: usize| (0..n).map(|i| format!("f{i}: u8,")).collect::<String>();
    assert_eq!(result(&fields(120)), [""; 0]);
    assert_eq!(result(&fields(121)).len(), 1);
}

#[test]
fn an_option_in_an_option_is_seen_at_any_depth() {
    for ty in ["Option<Option<u8>>", "Vec<std::option::Option<Option<u8>>>"] {
        assert_eq!(result(&format!("what: {ty}")).len(), 1, "{ty}");
    }
    assert_eq!(result("what: Option<Vec<Option<u8>>>"), [""; 0]);
}

#[test]
fn names_that_a_provider_refuses_are_refused() {
    assert_eq!(result("#[serde(rename = \"\")] what: u8").len(), 1);
    assert_eq!(result("#[serde(rename = \"free space\")] what: u8").len(), 1);
    assert_eq!(result(&format!("{}: u8", "a".repeat(65))).len(), 1);
    assert_eq!(result(&format!("{}: u8", "a".repeat(64))), [""; 0]);
}

#[test]
fn serde_may_repeat_a_published_name_but_not_change_it() {
    let on = |rule: &str| {
        texts(Role::Argument, &format!("#[serde(rename_all = \"{rule}\")] enum Some {{ LastDay }}"))
    };
    assert_eq!(on("snake_case"), [""; 0]);
    assert_eq!(on("lowercase").len(), 1);
}

#[test]
fn limits_are_judged_before_the_type_is_known() {
    for constraint in [
        "length()",
        "length",
        "length = 5",
        "length(min = 2, max = 1)",
        "length(min = -1)",
        "length(max = 1.5)",
        "length(max = 4294967296)",
        "length(equal = 1, max = 2)",
        "length(min = 1, min = 2)",
        "length(most = 1)",
        "length(min)",
        "range(equal = 1)",
        "range(min = 1.5, max = 1)",
        "range(max = \"9\")",
        "pattern(\"x\")",
    ] {
        let texts = argument(&format!("/// What.\n#[arg({constraint})] what: String"));
        assert_eq!(texts.len(), 1, "{constraint}: {texts:?}");
    }
    for constraint in ["length(min = 2, max = 2)", "length(equal = 0)", "range(min = -5, max = -5)"]
    {
        let texts = argument(&format!("/// What.\n#[arg({constraint})] what: String"));
        assert_eq!(texts, [""; 0], "{constraint}");
    }
}

fn item(source: &str) -> Vec<String> {
    texts(Role::Argument, source)
}

#[test]
fn each_key_is_taken_where_it_belongs_and_nowhere_else() {
    for (key, ty) in [
        ("multiple_of = 5", "u8"),
        ("pattern = \"^a$\"", "String"),
        ("format = \"uuid\"", "String"),
        ("inner(length(max = 1), pattern = \"^a$\")", "Vec<String>"),
        ("default", "u8"),
        ("default = -5", "i8"),
        ("default = LIMIT", "u8"),
        ("default = Some::path(5)", "u8"),
        ("rename = \"other\"", "u8"),
        ("sensitive", "u8"),
        ("examples(1, 2)", "u8"),
    ] {
        let field = format!("/// What.\n#[arg({key})] what: {ty}");
        assert_eq!(argument(&field), [""; 0], "{key}");
        let on_type = format!("/// Some.\n#[arg({key})] struct Some {{ {field} }}");
        assert_eq!(item(&on_type).len(), 1, "{key} on a type");
    }
    for key in ["rename_all = \"camelCase\"", "rename_all_fields = \"camelCase\"", "tag = \"a\""] {
        assert_eq!(item(&format!("#[arg({key})] enum Some {{ A, B }}")), [""; 0], "{key}");
        assert_eq!(argument(&format!("/// What.\n#[arg({key})] what: u8")).len(), 1, "{key}");
    }
}

#[test]
fn values_that_the_field_refuses_are_refused() {
    for (keys, ty) in [
        ("default = 6, range(max = 5)", "u8"),
        ("default = -0.5, range(min = 0.0)", "f64"),
        ("default = 7, multiple_of = 5", "u8"),
        ("default = \"\", length(min = 1)", "String"),
        ("default = \"éé\", length(equal = 3)", "String"),
        ("examples(\"a\", \"B\"), pattern = \"^[a-z]$\"", "String"),
        ("default = || 5", "u8"),
        ("default = 5", "Option<u8>"),
        ("default(5)", "u8"),
        ("examples()", "u8"),
        ("examples(LIMIT)", "u8"),
    ] {
        let texts = argument(&format!("/// What.\n#[arg({keys})] what: {ty}"));
        assert_eq!(texts.len(), 1, "{keys}: {texts:?}");
    }
    let fits = "/// What.\n#[arg(default = \"éé\", length(equal = 2))] what: String";
    assert_eq!(argument(fits), [""; 0]);
}

#[test]
fn a_tag_needs_an_enum_and_room_beside_it() {
    for source in [
        "/// Some.\n#[arg(tag = \"a\")] struct Some { /// What.\n what: u8 }",
        "#[arg(content = \"a\")] enum Some { A(u8) }",
        "#[arg(tag = \"a\", content = \"a\")] enum Some { A(u8) }",
        "#[arg(tag = \"a b\")] enum Some { A }",
        "#[arg(tag = \"a\")] enum Some { A { /// What.\n a: u8 } }",
        "#[arg(transparent)] enum Some { A }",
        "enum Some { A(u8, u8) }",
        "enum Some { A() }",
        "enum Some { A { what: u8 } }",
        "enum Some { A, #[arg(rename = \"a\")] B }",
        "#[arg(rename_all = \"snake_case\")] enum Some { A, a }",
    ] {
        assert_eq!(item(source).len(), 1, "{source}: {:?}", item(source));
    }
    let adjacent = "#[arg(tag = \"a\", content = \"b\")] enum Some { A { /// What.\n a: u8 } }";
    assert_eq!(item(adjacent), [""; 0]);
}

#[test]
fn serde_may_repeat_what_the_model_is_shown() {
    let both = |arg: &str, serde: &str| {
        item(&format!(
            "#[arg({arg})] #[serde({serde})] enum Some {{ OneA {{ /// What.\n what_for: u8 }} }}"
        ))
    };
    for (arg, serde) in [
        ("tag = \"a\"", "tag = \"a\", rename_all = \"snake_case\""),
        ("rename_all = \"camelCase\"", "rename_all = \"camelCase\""),
        ("rename_all_fields = \"camelCase\"", "rename_all_fields = \"camelCase\""),
    ] {
        assert_eq!(both(arg, serde), [""; 0], "{serde}");
    }
    for (arg, serde) in [
        ("tag = \"a\"", "tag = \"b\""),
        ("tag = \"a\"", "tag = \"a\", content = \"b\""),
        ("rename_all = \"camelCase\"", "rename_all = \"kebab-case\""),
        ("rename_all_fields = \"camelCase\"", "rename_all_fields = \"kebab-case\""),
        ("tag = \"a\"", "untagged"),
    ] {
        assert_eq!(both(arg, serde).len(), 1, "{arg} {serde}: {:?}", both(arg, serde));
    }
    let default = |arg: &str| argument(&format!("/// What.\n#[serde(default)] {arg} what: u8"));
    assert_eq!(default("#[arg(default)]"), [""; 0]);
    assert_eq!(default("").len(), 1);
}

#[test]
fn a_result_goes_by_serde_alone() {
    for source in [
        "#[arg(rename_all = \"camelCase\")] struct Some { what: u8 }",
        "#[arg(tag = \"a\")] enum Some { A }",
        "struct Some { #[arg(rename = \"a\")] what: u8 }",
        "struct Some { #[arg(default = 5)] what: u8 }",
        "struct Some { #[arg(sensitive)] what: u8 }",
        "enum Some { #[arg(rename = \"a\")] A }",
        "struct Some(#[serde(skip)] u8);",
    ] {
        let found = texts(Role::Result, source);
        assert_eq!(found.len(), 1, "{source}: {found:?}");
    }
    for source in [
        "#[serde(tag = \"a\", content = \"b\", rename_all_fields = \"camelCase\")] enum Some { A(u8) }",
        "#[serde(transparent)] struct Some { what: u8 }",
        "struct Some { #[arg(range(max = 5), examples(1))] what: u8 }",
        "struct Some(#[arg(length(max = 5))] String);",
    ] {
        assert_eq!(texts(Role::Result, source), [""; 0], "{source}");
    }
}
