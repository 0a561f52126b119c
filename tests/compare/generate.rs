//! Source text of the same capabilities twice: declared for Sovereign, and as serde and schemars
//! derives with a table of handlers.

use std::fmt::Write as _;

/// `count` capabilities of five fields each, and the plugin `ALL` that lists them.
pub fn ours(count: usize) -> String {
    let mut text = String::from("use sovereign_core::prelude::*;\n");
    let mut entries = String::new();
    for i in 0..count {
        write!(
            text,
            r#"
/// Does the thing number {i} to what it is given.
#[capability(name = "thing.number_{i}", side_effect = read_only, network = local, category = notes)]
pub struct Thing{i} {{
    /// What the thing is about, in words.
    #[arg(length(min = 1, max = 200))]
    text: String,
    /// How many to return at most.
    #[arg(range(min = 1, max = 100))]
    limit: u32,
    /// Whether to go on after a fault.
    keep_going: Option<bool>,
    /// Marks that all have to be there.
    #[arg(length(max = 8))]
    tags: Vec<String>,
    /// How sure to be.
    ratio: f64,
}}
impl Run for Thing{i} {{
    type State = ();
    type Output = String;
    async fn run(self, _: Call<'_, Self>) -> Result<String, Failure> {{
        Ok(format!("{{}} {{}} {{:?}} {{}} {{}}", self.text, self.limit, self.keep_going, self.tags.len(), self.ratio))
    }}
}}
"#
        )
        .expect("a string");
        writeln!(entries, "    Thing{i}::ENTRY,").expect("a string");
    }
    write!(text, "pub static ALL: Plugin<()> = Plugin::new(\"all\", &[\n{entries}]);\n")
        .expect("a string");
    text
}

/// The same arguments as derives, and the table `ALL` of name, schema and handler.
pub fn theirs(count: usize) -> String {
    let mut text = String::from(
        "use schemars::{JsonSchema, Schema, schema_for};\nuse serde::Deserialize;\n\
         pub type Handler = fn(&[u8]) -> Result<String, serde_json::Error>;\n",
    );
    let mut entries = String::new();
    for i in 0..count {
        write!(
            text,
            r#"
/// Does the thing number {i} to what it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thing{i} {{
    /// What the thing is about, in words.
    #[schemars(length(min = 1, max = 200))]
    text: String,
    /// How many to return at most.
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    /// Whether to go on after a fault.
    keep_going: Option<bool>,
    /// Marks that all have to be there.
    #[schemars(length(max = 8))]
    tags: Vec<String>,
    /// How sure to be.
    ratio: f64,
}}
impl Thing{i} {{
    fn run(self) -> String {{
        format!("{{}} {{}} {{:?}} {{}} {{}}", self.text, self.limit, self.keep_going, self.tags.len(), self.ratio)
    }}
}}
"#
        )
        .expect("a string");
        writeln!(
            entries,
            "    (\"thing.number_{i}\", || schema_for!(Thing{i}), |bytes| Ok(serde_json::from_slice::<Thing{i}>(bytes)?.run())),"
        )
        .expect("a string");
    }
    write!(text, "pub static ALL: &[(&str, fn() -> Schema, Handler)] = &[\n{entries}];\n")
        .expect("a string");
    text
}
