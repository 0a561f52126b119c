//! How long a crate with 100 capabilities takes to compile, against the same as serde and schemars
//! derives. The compiler is called on each in turns, with the dependencies that this program was
//! built with; what counts is the time of the processors, so that a busy machine changes little
//! (Linux only).
//!
//! `compile_time [RUNS]`

#[path = "../../generate.rs"]
mod generate;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const CAPABILITIES: usize = 100;
const RUNS: usize = 5;

/// Seconds that the processors spent on all processes that this one has waited for (proc(5): fields
/// 16 and 17 of `/proc/self/stat`, in hundredths).
fn spent() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = text.rsplit_once(')').expect("the name is in brackets");
    let fields = fields.split_whitespace().skip(13).take(2);
    fields.map(|ticks| ticks.parse::<f64>().expect("a number") / 100.0).sum()
}

/// The newest build of a dependency.
fn built(dependencies: &Path, name: &str) -> OsString {
    let entries = fs::read_dir(dependencies).expect("cargo's folder");
    let start = format!("lib{name}-");
    let newest = entries
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| {
            let file = entry.file_name().to_string_lossy().into_owned();
            file.starts_with(&start) && file.ends_with(".rlib")
        })
        .max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok());
    let path = newest.unwrap_or_else(|| panic!("{name} is not built")).path();
    let mut argument = OsString::from(format!("{name}="));
    argument.push(path);
    argument
}

struct Crate {
    source: PathBuf,
    externs: Vec<OsString>,
}

impl Crate {
    fn new(folder: &Path, name: &str, text: &str, dependencies: &Path, externs: &[&str]) -> Self {
        let source = folder.join(format!("{name}.rs"));
        fs::write(&source, text).expect("the folder can be written");
        let externs = externs.iter().map(|name| built(dependencies, name)).collect();
        Self { source, externs }
    }

    /// Seconds of processor time that compiling it takes.
    fn compile(&self, dependencies: &Path, arguments: &[&str]) -> f64 {
        let start = spent();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "--crate-type", "lib", "-L"]).arg(dependencies);
        rustc.args(arguments).arg(&self.source).arg("--out-dir");
        rustc.arg(self.source.with_extension(""));
        for external in &self.externs {
            rustc.arg("--extern").arg(external);
        }
        assert!(rustc.status().expect("rustc starts").success(), "{}", self.source.display());
        spent() - start
    }
}

fn main() {
    let program = env::current_exe().expect("a program has a path");
    let dependencies = program.with_file_name("deps");
    let folder = program.with_file_name("compile-time");
    fs::create_dir_all(&folder).expect("the folder can be written");
    let runs = env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);

    let ours = generate::ours(CAPABILITIES);
    let ours = Crate::new(&folder, "ours", &ours, &dependencies, &["sovereign_core"]);
    let theirs = generate::theirs(CAPABILITIES);
    let externs = ["schemars", "serde", "serde_json"];
    let theirs = Crate::new(&folder, "theirs", &theirs, &dependencies, &externs);

    println!("| {CAPABILITIES} capabilities | ours, s | schemars and serde, s | ratio |");
    println!("|---|---:|---:|---:|");
    for (name, arguments) in [
        ("check", &["--emit=metadata"][..]),
        ("debug", &["-Cdebuginfo=line-tables-only"]),
        ("release", &["-Copt-level=3"]),
    ] {
        let (mut mine, mut other, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            let a = ours.compile(&dependencies, arguments);
            let b = theirs.compile(&dependencies, arguments);
            mine.push(a);
            other.push(b);
            ratios.push(a / b);
        }
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} |",
            middle(&mut mine),
            middle(&mut other),
            middle(&mut ratios)
        );
    }
}

fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
