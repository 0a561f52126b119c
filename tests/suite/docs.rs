//! The book, the README and the code say the same.

use crate::source::{code, files, read, root, words};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The checklist's ids, as ranges.
const CHECKLIST: [(char, u8); 5] = [('A', 30), ('B', 32), ('D', 10), ('E', 12), ('F', 11)];

/// A row or a rule that no test holds yet says so with these words, and why.
const GAP: &str = "not yet: ";

#[test]
fn every_invariant_names_a_test_that_exists() {
    let text = read("docs/src/architecture.md");
    let tests = tests_in_the_tree();
    let mut wrong = Vec::new();
    let mut number = 0;
    let mut held = true;
    for line in text.lines() {
        if let Some(n) = line.split_once(". ").and_then(|(n, _)| n.parse::<u32>().ok()) {
            assert!(held, "invariant {number} names no test");
            assert_eq!(n, number + 1, "the invariants are numbered in order");
            (number, held) = (n, false);
        } else if let Some(names) = line.trim().strip_prefix("Held by ") {
            wrong.extend(not_there(&format!("invariant {number}"), names, &tests));
            held = true;
        }
    }
    assert!(held && number > 0, "invariant {number} names no test");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_requirement_has_a_row_with_a_test_that_exists_or_a_stated_gap() {
    let text = read("docs/src/conformance.md");
    let tests = tests_in_the_tree();
    let mut wrong = Vec::new();
    let mut rows = BTreeSet::new();
    for cells in table_rows(&text) {
        let [id, asked, place, shown] = cells[..] else { continue };
        if !is_checklist_id(id) {
            continue;
        }
        assert!(rows.insert(id.to_owned()), "{id} has two rows");
        assert!(!asked.is_empty(), "{id} does not say what is asked");
        let (shown, gap) = shown.split_once(GAP).unwrap_or((shown, ""));
        if shown.is_empty() && !gap.is_empty() {
            continue;
        }
        wrong.extend(not_there(id, shown, &tests));
        wrong.extend(not_there(id, place, &BTreeSet::new()));
    }
    let asked =
        CHECKLIST.iter().flat_map(|(c, last)| (1..=*last).map(move |n| format!("{c}{n:02}")));
    assert_eq!(rows, asked.collect());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_abuse_case_says_how_it_is_stopped_and_names_a_test_that_exists() {
    let text = read("docs/src/threat-model.md");
    let tests = tests_in_the_tree();
    let mut wrong = Vec::new();
    let mut count = 0;
    for cells in table_rows(&text) {
        let [id, abuse, mechanism, shown] = cells[..] else { continue };
        let Some(number) = id.strip_prefix('T').and_then(|n| n.parse::<u32>().ok()) else {
            continue;
        };
        count += 1;
        assert_eq!(number, count, "abuse cases are numbered in order");
        assert!(!abuse.is_empty() && !mechanism.is_empty(), "{id} says too little");
        wrong.extend(not_there(id, shown, &tests));
    }
    assert!(count >= 50, "{count} abuse cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_names_a_test_that_exists_or_a_stated_gap() {
    let text = read("docs/src/conformance.md");
    let (_, cases) = text.split_once("## Cases").expect("a section of cases");
    let tests = tests_in_the_tree();
    let rows: Vec<_> = table_rows(cases).filter(|cells| cells.len() == 3).skip(2).collect();
    let mut wrong = Vec::new();
    for cells in &rows {
        let (shown, gap) = cells[2].split_once(GAP).unwrap_or((cells[2], ""));
        if !shown.is_empty() || gap.is_empty() {
            wrong.extend(not_there(cells[0], shown, &tests));
        }
    }
    assert!(rows.len() >= 23, "{} cases", rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_of_the_contract_names_tests_that_exist() {
    let text = read("docs/src/conformance.md");
    let contract = between(&text, "## The contract", "## Cases").next().expect("a section");
    let tests = tests_in_the_tree();
    let rows: Vec<_> = table_rows(contract).filter(|cells| cells.len() == 2).collect();
    // the heads of the three tables name nothing
    let rows = rows.iter().filter(|cells| cells[1] != "shown by" && !cells[1].starts_with("---"));
    let (mut count, mut wrong) = (0, Vec::new());
    for cells in rows {
        count += 1;
        wrong.extend(not_there(cells[0], cells[1], &tests));
    }
    assert!(count >= 35, "{count} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_mutant_is_listed_with_the_test_that_kills_it() {
    let text = read("docs/src/testing.md");
    let tests = tests_in_the_tree();
    let listed = table_rows(&text).filter_map(|cells| match cells[..] {
        [mutant, _, killer] => Some((*backticked(mutant).first()?, *backticked(killer).first()?)),
        _ => None,
    });
    let listed: BTreeSet<(String, String)> =
        listed.map(|(mutant, killer)| (mutant.to_owned(), killer.to_owned())).collect();
    let mut patches = BTreeSet::new();
    for path in files("tests/data/mutants", "patch") {
        let patch = read(&path);
        let killer = between(&patch, "Killed by: ", "\n").next().expect("a named test");
        let killer = killer.rsplit("::").next().unwrap_or(killer);
        assert!(tests.contains(killer), "{}: there is no `{killer}`", path.display());
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        patches.insert((name, killer.to_owned()));
    }
    assert!(patches.len() >= 12);
    assert_eq!(listed, patches);
}

#[test]
fn the_page_about_the_daemon_lists_every_method_with_its_role() {
    let page = read("docs/src/reference/rpc.md");
    let listed: Vec<(String, String)> = table_rows(&page)
        .filter_map(|cells| match cells[..] {
            [method, role, _, _] if !method.is_empty() => {
                Some((backticked(method).first()?.to_string(), role.to_owned()))
            }
            _ => None,
        })
        .collect();
    let role = |least: Option<sovereign_node::serve::Role>| {
        least.map_or("none", sovereign_node::serve::Role::word).to_owned()
    };
    let methods = sovereign_node::serve::methods();
    let registered: Vec<_> = methods.map(|(name, least)| (name.to_owned(), role(least))).collect();
    assert_eq!(listed, registered);
}

#[test]
fn the_summary_names_every_page_and_no_other() {
    let summary = read("docs/src/SUMMARY.md");
    let named: BTreeSet<PathBuf> =
        links(&summary).map(|link| Path::new("docs/src").join(link)).collect();
    let mut pages = BTreeSet::from_iter(files("docs/src", "md"));
    pages.remove(Path::new("docs/src/SUMMARY.md"));
    assert_eq!(named, pages);
    assert!(root().join("docs/book.toml").exists());
}

#[test]
fn links_and_includes_point_at_something() {
    for page in pages() {
        let text = read(&page);
        let folder = page.parent().unwrap_or(Path::new(""));
        for link in links(&text) {
            assert!(root().join(folder).join(link).exists(), "{}: {link}", page.display());
        }
        for include in between(&text, "{{#include ", "}}") {
            let (path, anchor) = include.split_once(':').unwrap_or((include, ""));
            let included = read(folder.join(path));
            let (start, end) = (format!("ANCHOR: {anchor}"), format!("ANCHOR_END: {anchor}"));
            let has = |mark: &str| included.lines().any(|line| line.trim_end().ends_with(mark));
            assert!(
                anchor.is_empty() || (has(&start) && has(&end)),
                "{}: {include}",
                page.display()
            );
        }
    }
}

#[test]
fn the_readme_shows_the_hello_program_as_it_is() {
    let program = read("examples/hello/src/main.rs");
    let readme = read("README.md");
    let shown = between(&readme, "```rust\n", "```").next().expect("the README shows a program");
    assert_eq!(shown, program, "copy examples/hello/src/main.rs into the README");
    assert!(program.lines().count() <= 40, "the hello program fits on one screen");
}

#[test]
fn the_tutorial_quotes_only_what_is_in_the_compiled_example() {
    let program = read("examples/hello/src/main.rs");
    let tutorial = read("docs/src/tutorial.md");
    let quotes: Vec<&str> = between(&tutorial, "```rust\n", "```").collect();
    assert!(!quotes.is_empty());
    for quote in quotes.iter().filter(|quote| !quote.starts_with("{{#include ")) {
        assert!(program.contains(quote), "not in the example:\n{quote}");
    }
}

#[test]
fn every_dependency_has_its_reason_and_every_reason_its_dependency() {
    let mut used = BTreeSet::new();
    let workspace: Table = read("Cargo.toml").parse().expect("a manifest");
    let members = workspace["workspace"]["members"].as_array().expect("members");
    for member in members.iter().filter_map(Value::as_str) {
        let manifest: Table = read(format!("{member}/Cargo.toml")).parse().expect("a manifest");
        let targets = manifest.get("target").and_then(Value::as_table);
        let targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        for table in targets.chain([&manifest]) {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let names =
                    table.get(kind).and_then(Value::as_table).into_iter().flat_map(Table::keys);
                used.extend(names.filter(|name| !name.starts_with("sovereign-")).cloned());
            }
        }
    }
    let text = read("docs/src/dependencies.md");
    let mut given = BTreeSet::new();
    for cells in table_rows(&text).filter(|cells| cells.len() == 3) {
        for name in backticked(cells[0]) {
            assert!(!cells[1].is_empty() && !cells[2].is_empty(), "`{name}` has no reason");
            assert!(given.insert(name.to_owned()), "`{name}` has two lines");
        }
    }
    let unexplained: Vec<_> = used.difference(&given).collect();
    let unused: Vec<_> = given.difference(&used).collect();
    assert!(
        unexplained.is_empty() && unused.is_empty(),
        "unexplained {unexplained:?}, unused {unused:?}"
    );
}

#[test]
fn the_reference_lists_every_code_of_core_and_none_that_is_nowhere() {
    let text = read("docs/src/reference/refusals.md");
    let rows: Vec<_> = table_rows(&text).filter(|cells| cells.len() == 3).collect();
    let listed: BTreeSet<&str> = rows.iter().flat_map(|cells| backticked(cells[0])).collect();
    let source = read("sovereign-core/src/executor/code.rs");
    let of_core: BTreeSet<&str> = between(&source, "&str = \"", "\"").collect();
    let unlisted: Vec<_> = of_core.difference(&listed).collect();
    assert!(!of_core.is_empty() && unlisted.is_empty(), "not in the reference: {unlisted:?}");
    let sources: Vec<String> = ["sovereign-core/src", "sovereign-backends/src", "examples"]
        .iter()
        .flat_map(|folder| files(folder, "rs"))
        .filter(|path| !crate::source::is_test_file(path))
        .map(read)
        .collect();
    let is_there = |code: &str| sources.iter().any(|text| text.contains(&format!("\"{code}\"")));
    let nowhere: Vec<_> = listed.iter().filter(|code| !is_there(code)).collect();
    assert!(nowhere.is_empty(), "in the reference and nowhere else: {nowhere:?}");
}

/// Names of the functions in the tree that a test runner calls.
fn tests_in_the_tree() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in files(".", "rs").into_iter().filter(|path| !path.starts_with("tests/ui")) {
        found.extend(tests_of(&code(&read(path))));
    }
    assert!(found.contains("every_invariant_names_a_test_that_exists"));
    found
}

fn tests_of(code: &str) -> Vec<String> {
    let all: Vec<_> = words(code).collect();
    let functions = all.windows(2).filter(|pair| pair[0].1 == "fn");
    let tests = functions.filter(|pair| {
        let before = &code[..pair[0].0];
        let start = before.rfind(['{', '}', ';']).map_or(0, |at| at + 1);
        before[start..].contains("test]") || before[start..].contains("test(")
    });
    tests.map(|pair| pair[1].1.to_owned()).collect()
}

#[test]
fn a_test_is_a_function_that_a_runner_calls() {
    let text =
        "#[test] fn a() {} fn b() {} #[tokio::test(flavor = \"x\")] async fn c() { fn d() {} }
        #[cfg(test)] mod tests; fn e();";
    assert_eq!(tests_of(&code(text)), ["a", "c"]);
}

/// What is wrong with a cell that should name tests or paths, in backticks, and at least one.
fn not_there(place: &str, cell: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let cited = backticked(cell);
    if cited.is_empty() {
        return vec![format!("{place} names nothing")];
    }
    let exists = |name: &str| match name.contains(['/', '.']) {
        true => root().join(name).exists(),
        false => tests.contains(name),
    };
    let missing = cited.into_iter().filter(|name| !exists(name));
    missing.map(|name| format!("{place}: there is no `{name}`")).collect()
}

fn is_checklist_id(cell: &str) -> bool {
    let mut chars = cell.chars();
    let known = chars.next().is_some_and(|c| CHECKLIST.iter().any(|(letter, _)| *letter == c));
    known && cell.len() == 3 && chars.all(|c| c.is_ascii_digit())
}

/// Everything that a reader may open: the book, the README and the notes beside it.
fn pages() -> Vec<PathBuf> {
    let mut pages = files("docs/src", "md");
    let others = ["README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"];
    pages.extend(others.map(PathBuf::from));
    pages
}

/// The cells of each table row; a `|` inside a cell is written `\|`.
fn table_rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter_map(|line| line.trim().strip_prefix('|')?.strip_suffix('|'));
    rows.map(|row| {
        let mut cells = Vec::new();
        let mut start = 0;
        for (at, _) in row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')) {
            cells.push(row[start..at].trim());
            start = at + 1;
        }
        cells.push(row[start..].trim());
        cells
    })
}

fn backticked(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Targets of the links to files of this project, without their fragments.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = between(text, "](", ")").filter(|link| !link.contains("://"));
    targets.map(|link| link.split('#').next().unwrap_or(link)).filter(|link| !link.is_empty())
}

fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(open).skip(1).filter_map(move |rest| rest.find(close).map(|end| &rest[..end]))
}
