//! Compile-fail cases on a compiler whose exact words are not known: one `cargo check` over a scratch
//! crate with a binary per case, then a look for our own messages.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

pub fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let out = Command::new(rustc).arg("--version").output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

/// Every case, in order.
pub fn cases() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(Path::new(HERE).join("ui")).unwrap();
    let mut out: Vec<_> = folders
        .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect();
    out.sort();
    out
}

pub fn check() {
    let cases = cases();
    let errors = errors_by_case(&cases);
    let mut wrong = String::new();
    for case in &cases {
        let found = errors.get(&name(case)).map(Vec::as_slice).unwrap_or_default();
        if found.is_empty() {
            writeln!(wrong, "{}: compiles", case.display()).unwrap();
        }
        let expected = std::fs::read_to_string(case.with_extension("stderr")).unwrap();
        for line in own_lines(&expected).filter(|l| !found.iter().any(|text| text.contains(l))) {
            writeln!(wrong, "{}: nothing says `{line}`", case.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The headlines that are our own words: the macros', the traits' and those of const evaluation.
fn own_lines(expected: &str) -> impl Iterator<Item = &str> {
    let ours = ["error: ", "error[E0277]: ", "error[E0080]: evaluation panicked: "];
    // What rustc says by itself about `Send`, futures, private fields and unused items.
    let theirs = ["cannot be sent", "is not a future", "private fields", "is never used"];
    expected
        .lines()
        .filter_map(move |line| ours.iter().find_map(|head| line.strip_prefix(head)))
        .filter(move |line| !theirs.iter().any(|words| line.contains(words)))
}

fn name(case: &Path) -> String {
    let folder = case.parent().and_then(Path::file_name).unwrap().to_string_lossy();
    format!("{folder}-{}", case.file_stem().unwrap().to_string_lossy())
}

/// Rendered errors of each case.
fn errors_by_case(cases: &[PathBuf]) -> BTreeMap<String, Vec<String>> {
    let scratch = scratch(cases);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["check", "--bins", "--keep-going", "--message-format=json"])
        .current_dir(&scratch)
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        .output()
        .unwrap();
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in out.stdout.split(|b| *b == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        if line["reason"] == "compiler-message" && line["message"]["level"] == "error" {
            let target = line["target"]["name"].as_str().unwrap().to_owned();
            let text = line["message"]["rendered"].as_str().unwrap().to_owned();
            errors.entry(target).or_default().push(text);
        }
    }
    assert!(!errors.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    errors
}

/// A crate of its own with the dependencies that the cases name.
fn scratch(cases: &[PathBuf]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    std::fs::create_dir_all(&root).unwrap();
    let mut manifest = format!(
        "[package]\nname = \"ui\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nsovereign-core.path = {core:?}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n",
        core = Path::new(HERE).join("../sovereign-core"),
    );
    for case in cases {
        write!(manifest, "\n[[bin]]\nname = {:?}\npath = {case:?}\n", name(case)).unwrap();
    }
    std::fs::write(root.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(Path::new(HERE).join("../Cargo.lock"), root.join("Cargo.lock")).unwrap();
    root
}
