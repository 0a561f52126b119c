//! What the macros and traits say about mistakes, one fault per file under `ui/`, and what must
//! compile and mean what it looks like, under `ui_passes/`.
//!
//! Messages are compared to the letter on the pinned compiler. On any other one, where rustc's own
//! words may differ, every case still has to fail, with our own message in its output.
#[path = "ui_lines.rs"]
mod lines;
#[path = "ui_passes/mod.rs"]
mod passes;

/// The compiler whose output the `.stderr` files hold.
const PINNED: &str = "rustc 1.95.0 ";

#[test]
fn each_mistake_is_one_clear_message() {
    // The second way can be asked for, so that it is tested on the pinned compiler as well.
    let asked = std::env::var_os("SOVEREIGN_UI_LINES").is_some();
    if lines::compiler().starts_with(PINNED) && !asked {
        trybuild::TestCases::new().compile_fail("ui/*/*.rs");
    } else {
        lines::check();
    }
}

/// A mistake that two files describe would be two mistakes.
#[test]
fn every_case_has_its_expected_output() {
    let cases = lines::cases();
    assert!(cases.len() >= 150, "{} cases", cases.len());
    for area in ["attribute", "args", "call", "plugin"] {
        let folder = if area == "attribute" { "capability" } else { area };
        let of_area = cases.iter().filter(|c| c.parent().is_some_and(|p| p.ends_with(folder)));
        assert!(of_area.count() >= 5, "too few cases of {area}");
    }
    for case in cases {
        assert!(case.with_extension("stderr").is_file(), "{} has no .stderr", case.display());
        let text = std::fs::read_to_string(&case).unwrap();
        assert!(text.lines().count() <= 25, "{} is too long", case.display());
    }
}

/// What rustc derives from a mistake is no help to the one who made it.
#[test]
fn one_mistake_is_one_message_and_two_are_two() {
    const TWO: &[&str] =
        &["constraint_wrong_type", "two_faults", "two_faults_in_behaviour", "two_faults_in_types"];
    for case in lines::cases() {
        let text = std::fs::read_to_string(case.with_extension("stderr")).unwrap();
        let messages = text.lines().filter(|l| l.starts_with("error")).count();
        let name = case.file_stem().unwrap().to_string_lossy();
        let expected = if TWO.contains(&&*name) { 2 } else { 1 };
        assert_eq!(messages, expected, "{}", case.display());
    }
}

/// For a trait that says nothing, rustc would use words of its own.
#[test]
fn every_public_trait_says_what_is_missing() {
    // hidden from authors: the macro's own, and the seal
    const HIDDEN: &[&str] = &["Behaving", "Sealed", "Unseen"];
    let (mut open, mut said, mut silent) = (vec!["../sovereign-core/src".into()], 0, Vec::new());
    while let Some(path) = open.pop() {
        let path: std::path::PathBuf = path;
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix("pub trait ") else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            let above = lines[..at].iter().rev().take_while(|line| !line.trim().is_empty());
            match above.filter(|line| line.contains("diagnostic::on_unimplemented(")).count() {
                1 => said += 1,
                _ if HIDDEN.contains(&&*name) => {}
                _ => silent.push(name),
            }
        }
    }
    assert!(said >= 20 && silent.is_empty(), "{said} speak, {silent:?} do not");
}
