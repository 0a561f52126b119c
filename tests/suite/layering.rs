//! The rules about the shape of the tree that the compiler does not check.

use crate::source::{braces, code, files, is_test_file, read, root, without_test_modules, words};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::{Table, Value};

/// Core's modules: a module may name itself and what stands before it.
const ORDER: [&str; 18] = [
    "display",
    "entropy",
    "id",
    "clock",
    "files",
    "schema",
    "caller",
    "capability",
    "registry",
    "policy",
    "catalog",
    "audit",
    "confirmation",
    "executor",
    "backend",
    "history",
    "conversation",
    "testing",
];

/// What `lib.rs` itself defines or takes from the macros; everything else is named by its module.
const ROOT_ITEMS: [&str; 5] = ["BoxFuture", "Arg", "Schema", "__private", "__catalog_lock"];

const LONGEST_FILE: usize = 450;

/// What core must not reach, directly or through another crate: HTTP clients and servers, TLS,
/// command lines and terminals.
const NOT_IN_CORE: [&str; 22] = [
    "attohttpc",
    "axum",
    "clap",
    "console",
    "crossterm",
    "curl",
    "dialoguer",
    "h2",
    "hyper",
    "hyper-util",
    "isahc",
    "minreq",
    "native-tls",
    "openssl",
    "ratatui",
    "reqwest",
    "rustls",
    "rustyline",
    "surf",
    "termion",
    "tungstenite",
    "ureq",
];

/// Our crates, and which of ours each may depend on.
const CRATES: [(&str, &[&str]); 8] = [
    ("sovereign-macros", &[]),
    ("sovereign-core", &["sovereign-macros"]),
    ("sovereign-backends", &["sovereign-core"]),
    ("examples/hello", &["sovereign-core", "sovereign-backends"]),
    ("examples/system", &["sovereign-core"]),
    ("examples/web", &["sovereign-core", "sovereign-backends"]),
    (
        "examples/node",
        &["sovereign-core", "sovereign-backends", "sovereign-system", "sovereign-web"],
    ),
    (
        "tests",
        &[
            "sovereign-macros",
            "sovereign-core",
            "sovereign-backends",
            "sovereign-system",
            "sovereign-web",
            "sovereign-node",
        ],
    ),
];

/// Coverage-guided targets: what their macro expands to holds what the workspace forbids.
const FUZZED: &str = "tests/fuzz";

/// The one crate that may name schemars, since it measures against it; nothing depends on it, and it
/// has a lock file of its own.
const MEASURED_AGAINST: &str = "tests/compare";

#[test]
fn core_modules_name_only_what_stands_before_them() {
    let mut wrong = Vec::new();
    for path in files("sovereign-core/src", "rs") {
        if is_test_file(&path) || path.ends_with("src/lib.rs") {
            continue;
        }
        let place = place(&path);
        let text = without_test_modules(&code(&read(&path)));
        wrong.extend(misplaced(&place, &text).map(|name| format!("{}: `{name}`", path.display())));
    }
    assert!(wrong.is_empty(), "these name a module that stands after them:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_import_is_seen_however_it_is_written() {
    let seen = |place: &[&str], text: &str| -> Vec<String> {
        let place: Vec<String> = place.iter().map(|&part| part.to_owned()).collect();
        misplaced(&place, text).collect()
    };
    assert_eq!(seen(&["policy"], "use crate::executor::Executor;"), ["executor"]);
    assert_eq!(seen(&["policy"], "use crate::{caller::{Grants, audit}, audit::Stage};"), ["audit"]);
    assert_eq!(
        seen(&["policy", "switch"], "fn f(_: super::super::backend::Message) {}"),
        ["backend"]
    );
    assert_eq!(seen(&["clock"], "use super::{id::TurnId, schema};"), ["schema"]);
    assert_eq!(seen(&["policy"], "use sovereign_core::testing::Harness;"), ["testing"]);
    assert_eq!(seen(&["policy"], "use crate::Executor;"), ["Executor"]);
    assert_eq!(seen(&["policy"], "use crate::*;"), ["*"]);
    assert_eq!(seen(&["newcomer"], "fn f() {}"), ["newcomer"]);
    let fine = "use crate::BoxFuture; use crate::{caller, policy::switch}; use super::executor;";
    assert_eq!(seen(&["policy", "switch"], fine), [""; 0]);
}

#[test]
fn no_file_is_too_long() {
    let too_long: Vec<String> = rust_files()
        .map(|path| (read(&path).lines().count(), path))
        .filter(|(lines, _)| *lines > LONGEST_FILE)
        .map(|(lines, path)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(too_long.is_empty(), "split by noun:\n{}", too_long.join("\n"));
}

#[test]
fn clearance_is_granted_at_one_place() {
    let (mut grants, mut constructions) = (Vec::new(), Vec::new());
    for path in files("sovereign-core/src", "rs").into_iter().filter(|path| !is_test_file(path)) {
        let text = without_test_modules(&code(&read(&path)));
        let compact: String = text.split_whitespace().collect();
        let is_home = path.ends_with("capability/clearance.rs");
        grants.extend(compact.matches("Clearance::grant").map(|_| path.clone()));
        let made = compact.replace("structClearance(", "");
        constructions.extend(made.matches("Clearance(").map(|_| path.clone()));
        if is_home {
            constructions.extend(made.matches("Self(").map(|_| path.clone()));
            assert!(!compact.contains("derive("), "a clearance is neither copied nor defaulted");
            assert!(
                !compact.contains("forClearance"),
                "a clearance is neither copied nor defaulted"
            );
            assert!(
                !compact.contains("pubfn") && !compact.contains("pubconst"),
                "core alone grants it"
            );
        }
    }
    let places = |found: &[std::path::PathBuf]| -> Vec<String> {
        found.iter().map(|path| path.display().to_string()).collect()
    };
    assert_eq!(grants.len(), 1, "granted at {:?}", places(&grants));
    assert!(grants[0].starts_with("sovereign-core/src/executor"), "{:?}", places(&grants));
    assert_eq!(places(&constructions), ["sovereign-core/src/capability/clearance.rs"]);
}

#[test]
fn unsafe_appears_nowhere() {
    let found: Vec<String> = files(".", "rs")
        .into_iter()
        .filter(|path| words(&code(&read(path))).any(|(_, word)| word == "unsafe"))
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(found, [""; 0]);
    for (folder, manifest) in manifests() {
        let lints = manifest.get("lints");
        let inherits = lints.and_then(|l| l.get("workspace")) == Some(&Value::Boolean(true));
        let own = lints.and_then(|l| l.get("rust")?.get("unsafe_code")?.as_str());
        assert!(inherits || own == Some("forbid"), "{folder} does not forbid it");
    }
    let workspace = manifest("Cargo.toml");
    let lint = workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str();
    assert_eq!(lint, Some("forbid"));
}

#[test]
fn core_reaches_no_http_client_and_no_terminal() {
    let reached = reached_from("sovereign-core", &locked());
    assert!(reached.contains("serde_json"), "the lock file was not understood: {reached:?}");
    let wrong: Vec<_> = NOT_IN_CORE.iter().filter(|name| reached.contains(**name)).collect();
    assert!(wrong.is_empty(), "sovereign-core depends on {wrong:?}");
}

#[test]
fn no_crate_names_schemars() {
    let banned = "schemars";
    for (folder, manifest) in manifests() {
        let named = dependencies(&manifest).any(|(_, name, _)| name.starts_with(banned));
        assert!(!named, "{folder}/Cargo.toml names it");
    }
    let locked = locked();
    assert!(!locked.keys().any(|name| name.starts_with(banned)), "Cargo.lock holds it");
    for path in files(".", "rs").into_iter().filter(|path| !path.starts_with(MEASURED_AGAINST)) {
        let text = code(&read(&path));
        assert!(!words(&text).any(|(_, word)| word.starts_with(banned)), "{}", path.display());
    }
}

#[test]
fn outside_the_workspace_are_the_two_crates_that_have_a_reason() {
    let workspace = manifest("Cargo.toml");
    let outside = workspace["workspace"]["exclude"].as_array().expect("a list");
    let outside: Vec<&str> = outside.iter().filter_map(Value::as_str).collect();
    assert_eq!(outside, [FUZZED, MEASURED_AGAINST]);
    let all = files(".", "toml").into_iter().filter(|path| path.ends_with("Cargo.toml"));
    let crates: BTreeSet<String> =
        all.filter_map(|path| Some(path.parent()?.to_string_lossy().into_owned())).collect();
    let known = CRATES.iter().map(|(folder, _)| *folder).chain([FUZZED, MEASURED_AGAINST, ""]);
    assert_eq!(crates, known.map(str::to_owned).collect());
    for (folder, manifest) in manifests() {
        for (_, name, value) in dependencies(&manifest) {
            let path = value.get("path").and_then(Value::as_str).unwrap_or_default();
            let inside = !path.contains("fuzz") && !path.contains("compare");
            assert!(inside, "{folder} depends on {name} at {path}");
        }
    }
}

#[test]
fn our_crates_depend_in_one_direction() {
    let workspace = manifest("Cargo.toml");
    let members = workspace["workspace"]["members"].as_array().expect("members");
    let members: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
    let known: Vec<&str> = CRATES.iter().map(|(folder, _)| *folder).collect();
    assert_eq!(BTreeSet::from_iter(members), BTreeSet::from_iter(known), "give each its place");
    let ours: BTreeSet<String> = manifests().map(|(_, m)| package(&m)).collect();
    for (folder, may) in CRATES {
        let manifest = manifest(format!("{folder}/Cargo.toml"));
        let own = package(&manifest);
        for (kind, name, _) in dependencies(&manifest).filter(|(_, name, _)| ours.contains(name)) {
            // Tests and examples of a crate may use what its users use: the crate itself, and core.
            let in_tests = kind == "dev-dependencies" && (name == own || name == "sovereign-core");
            assert!(in_tests || may.contains(&name.as_str()), "{folder} depends on {name}");
        }
    }
}

#[test]
fn the_shipped_node_is_built_without_the_test_doubles() {
    for folder in
        ["sovereign-core", "sovereign-backends", "examples/system", "examples/web", "examples/node"]
    {
        let manifest = manifest(format!("{folder}/Cargo.toml"));
        for (kind, name, value) in dependencies(&manifest) {
            let features = value.get("features").and_then(Value::as_array);
            let testing = features.is_some_and(|f| f.iter().any(|f| f.as_str() == Some("testing")));
            assert!(!testing || kind == "dev-dependencies", "{folder} turns on {name}'s `testing`");
        }
        let default = manifest.get("features").and_then(|f| f.get("default"));
        let default = default.and_then(Value::as_array).cloned().unwrap_or_default();
        assert!(!default.contains(&Value::from("testing")), "{folder} has `testing` by default");
    }
}

/// The module a file of core is, as its path from the crate's root.
fn place(path: &Path) -> Vec<String> {
    let inside =
        path.strip_prefix("sovereign-core/src").expect("a file of core").with_extension("");
    let mut parts: Vec<String> =
        inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// What this module names at the crate's root and should not.
fn misplaced(place: &[String], text: &str) -> impl Iterator<Item = String> {
    let rank = |name: &str| ORDER.iter().position(|module| *module == name);
    let own = place.first().cloned().unwrap_or_default();
    let limit = rank(&own);
    let unknown = limit.is_none().then_some(own);
    let named = named_at_root(place.len(), text).into_iter().filter(move |name| {
        !ROOT_ITEMS.contains(&name.as_str()) && rank(name).is_none_or(|r| Some(r) > limit)
    });
    unknown.into_iter().chain(named)
}

/// The first names of all paths that start at the crate's root, `depth` modules above this one.
fn named_at_root(depth: usize, text: &str) -> Vec<String> {
    let mut named = Vec::new();
    let mut ups = 0;
    for (start, word) in words(text) {
        let after = &text[start + word.len()..];
        let Some(tail) = after.trim_start().strip_prefix("::") else {
            ups = 0;
            continue;
        };
        let continues = text[..start].trim_end().ends_with("::");
        ups = if word == "super" { if continues { ups + 1 } else { 1 } } else { 0 };
        if matches!(word, "crate" | "sovereign_core") || (ups > 0 && ups == depth) {
            first_names(tail, &mut named);
        }
    }
    named.retain(|name| name != "self" && name != "super");
    named
}

/// `a::b` names `a`; `{a::b, c::{d}}` names `a` and `c`.
fn first_names(tail: &str, named: &mut Vec<String>) {
    let tail = tail.trim_start();
    if let Some((_, word)) = words(tail).next().filter(|(start, _)| *start == 0) {
        named.push(word.to_owned());
    } else if tail.starts_with('*') {
        named.push("*".to_owned());
    } else if tail.starts_with('{') {
        let group = &tail[1..braces(tail).saturating_sub(1).max(1)];
        let mut depth = 0usize;
        for item in group.split_inclusive(['{', '}', ',']) {
            if depth == 0 {
                first_names(
                    item.trim_matches(|c: char| c == ',' || c == '}' || c.is_whitespace()),
                    named,
                );
            }
            match item.chars().next_back() {
                Some('{') => depth += 1,
                Some('}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Every file of Rust but the compile-fail cases, which are wrong on purpose.
fn rust_files() -> impl Iterator<Item = std::path::PathBuf> {
    files(".", "rs").into_iter().filter(|path| !path.starts_with("tests/ui"))
}

fn manifest(path: impl AsRef<Path>) -> Table {
    let path = path.as_ref();
    read(path).parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn manifests() -> impl Iterator<Item = (&'static str, Table)> {
    CRATES.into_iter().map(|(folder, _)| (folder, manifest(format!("{folder}/Cargo.toml"))))
}

fn package(manifest: &Table) -> String {
    manifest["package"]["name"].as_str().expect("a package name").to_owned()
}

/// Kind, package and value of everything that a manifest depends on.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (String, String, Value)> {
    let mut tables = vec![manifest.clone()];
    let targets = manifest.get("target").and_then(Value::as_table);
    tables
        .extend(targets.into_iter().flat_map(|t| t.values()).filter_map(Value::as_table).cloned());
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    tables.into_iter().flat_map(move |table| {
        kinds.into_iter().flat_map(move |kind| {
            let found = table.get(kind).and_then(Value::as_table).cloned().unwrap_or_default();
            found.into_iter().map(move |(key, value)| {
                let name = value.get("package").and_then(Value::as_str).unwrap_or(&key).to_owned();
                (kind.to_owned(), name, value)
            })
        })
    })
}

/// The packages of `Cargo.lock` and what each depends on.
fn locked() -> BTreeMap<String, Vec<String>> {
    let lock = manifest(root().join("Cargo.lock"));
    let packages = lock["package"].as_array().expect("packages");
    let mut found = BTreeMap::<String, Vec<String>>::new();
    for package in packages {
        let name = package["name"].as_str().expect("a package name").to_owned();
        let needs = package.get("dependencies").and_then(Value::as_array);
        let needs = needs.into_iter().flatten().filter_map(Value::as_str);
        let needs = needs.filter_map(|need| need.split(' ').next()).map(str::to_owned);
        found.entry(name).or_default().extend(needs);
    }
    found
}

fn reached_from(name: &str, locked: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(next) = open.pop() {
        let needs = locked.get(&next).into_iter().flatten();
        open.extend(needs.filter(|need| reached.insert((*need).clone())).cloned());
    }
    reached
}
