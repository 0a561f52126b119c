//! Faults that people reported against other frameworks, through the whole executor. The page
//! `docs/src/conformance.md` lists them all, with the tests elsewhere that show the rest.
use sovereign_core::audit::OutcomeKind;
use sovereign_core::executor::{Outcome, Proposal, Submitted};
use sovereign_core::prelude::*;
use sovereign_core::testing::Harness;
use std::sync::{Arc, Mutex};

type Ran = Mutex<Vec<String>>;

/// Writes over a file.
#[capability(name = "case.write", side_effect = mutating, network = local, category = files, max_per_turn = 9)]
struct Write {
    /// Which file.
    path: Option<String>,
    /// How.
    mode: Option<String>,
}

impl Run for Write {
    type State = Ran;
    type Output = Changed<()>;
    async fn run(self, call: Call<'_, Self>) -> Result<Changed<()>, Failure> {
        call.state().lock().unwrap().push(format!("{:?} {:?}", self.path, self.mode));
        Ok(Changed::yes(()))
    }
}

/// Waits.
#[capability(name = "case.wait", side_effect = read_only, network = local, category = files, max_per_turn = 9)]
struct Wait {
    /// How long.
    #[arg(range(max = 1000))]
    timeout_ms: u32,
}

impl Run for Wait {
    type State = Ran;
    type Output = u32;
    async fn run(self, call: Call<'_, Self>) -> Result<u32, Failure> {
        call.state().lock().unwrap().push(self.timeout_ms.to_string());
        Ok(self.timeout_ms)
    }
}

static CASES: Plugin<Ran> = Plugin::new("cases", &[Write::ENTRY, Wait::ENTRY]);

struct Lab(Harness, Arc<Ran>);

impl Lab {
    fn new() -> Self {
        let ran = Arc::new(Ran::default());
        Self(Harness::install(&CASES, Arc::clone(&ran)).build(), ran)
    }

    /// With a person who approves whatever is asked.
    async fn call(&self, name: &str, arguments: impl AsRef<[u8]>) -> Outcome {
        self.0.propose(Proposal::new(name, 1, arguments.as_ref())).approved().await
    }

    fn ran(&self) -> Vec<String> {
        self.1.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn no_arguments_where_one_is_required_are_one_precise_violation() {
    let lab = Lab::new();
    let outcome = lab.call("case.wait", "{}").await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Refused, Some("invalid_arguments")));
    let told = outcome.envelope();
    assert_eq!(told.matches("missing_field").count(), 1, "{told}");
    assert!(told.contains("/timeout_ms"), "{told}");
    assert!(lab.ran().is_empty());
}

#[tokio::test]
async fn what_is_not_one_object_never_becomes_a_call_of_defaults() {
    let lab = Lab::new();
    for hostile in [
        "",
        "  ",
        "\n",
        r#"{"path":"#,
        r#"{"path":"/tmp/a","mode":"ap"#,
        r#"{"path":"/tmp/a"}{"path":"/tmp/b"}"#,
        r#"{}{"path":"/tmp/b"}"#,
        r#""{\"path\":\"/tmp/a\"}""#,
        r#"[1]"#,
        r#"[{"path":"/tmp/a"}]"#,
        &format!("{{\"path\":\"{}", "x".repeat(59_991)),
        "{\"path\":\"\u{7}\"}",
        r#"{"path":"\ud83d"}"#,
    ] {
        let outcome = lab.call("case.write", hostile).await;
        assert_eq!(outcome.kind(), OutcomeKind::ParseFailed, "{hostile:.80}");
    }
    assert!(lab.ran().is_empty());
    let outcome = lab.call("case.write", r#"{"path":"/tmp/a"}"#).await;
    assert_eq!(outcome.kind(), OutcomeKind::Executed, "what came before poisons nothing");
    assert_eq!(lab.ran(), [r#"Some("/tmp/a") None"#]);
}

#[tokio::test]
async fn a_whole_number_runs_however_it_is_spelt_and_a_fraction_never_does() {
    let lab = Lab::new();
    for spelt in ["10", "10.0", "1e1", "100e-1", "1e3"] {
        let outcome = lab.call("case.wait", format!(r#"{{"timeout_ms":{spelt}}}"#)).await;
        assert_eq!(outcome.kind(), OutcomeKind::Executed, "{spelt}");
    }
    for refused in ["0.5", "10.5", "1e4", "-1", "\"10\"", "true", "null", "[10]"] {
        let outcome = lab.call("case.wait", format!(r#"{{"timeout_ms":{refused}}}"#)).await;
        assert_eq!(outcome.code(), Some("invalid_arguments"), "{refused}");
    }
    assert_eq!(lab.ran(), ["10", "10", "10", "10", "1000"]);
}

#[tokio::test]
async fn a_key_given_twice_is_neither_shown_nor_run() {
    let lab = Lab::new();
    for twice in
        [r#"{"path":"/tmp/a","path":"/etc/x"}"#, r#"{"path":"/tmp/a","p\u0061th":"/etc/x"}"#]
    {
        let proposal = Proposal::new("case.write", 1, twice.as_bytes());
        match lab.0.executor.invoke(lab.0.scope.clone(), proposal).await {
            Submitted::Settled(outcome) => assert_eq!(outcome.code(), Some("duplicate_key")),
            Submitted::Awaiting(..) => panic!("a person was asked about one of two values"),
        }
    }
    assert!(lab.ran().is_empty());
}

#[tokio::test]
async fn a_call_inside_the_arguments_is_answered_with_the_real_fields() {
    let lab = Lab::new();
    let nested = r#"{"name":"case.write","parameters":{"path":"/tmp/a"}}"#;
    let outcome = lab.call("case.write", nested).await;
    assert_eq!(outcome.code(), Some("invalid_arguments"));
    let told = outcome.envelope();
    assert!(told.contains("`path`") && told.contains("`mode`"), "{told}");
    assert!(!told.contains("/tmp/a") && lab.ran().is_empty(), "{told}");
}

#[tokio::test]
async fn another_spelling_of_a_name_is_another_name() {
    let lab = Lab::new();
    for spelt in [
        "case.w\u{433}ite",
        "c\u{430}se.write",
        "CASE.WRITE",
        "Case.write",
        "case.write ",
        "case.write\u{200b}",
        "case\u{2024}write",
        "case.wri\u{74}\u{301}e",
        "case..write",
        "*",
        "case.*",
    ] {
        let outcome = lab.call(spelt, "{}").await;
        assert_eq!(outcome.code(), Some("unknown_capability"), "{spelt}");
    }
    assert!(lab.ran().is_empty());
}

#[tokio::test]
async fn one_approval_is_for_one_call_and_its_arguments() {
    let lab = Lab::new();
    assert_eq!(lab.call("case.write", r#"{"path":"/a"}"#).await.kind(), OutcomeKind::Executed);
    for other in [r#"{"path":"/a"}"#, r#"{"path":"/b"}"#, r#"{ "path": "/a" }"#, "{}"] {
        let proposal = Proposal::new("case.write", 1, other.as_bytes());
        match lab.0.executor.invoke(lab.0.scope.clone(), proposal).await {
            Submitted::Awaiting(request, _) => assert!(request.is_open(), "{other}"),
            Submitted::Settled(outcome) => panic!("{other} did not ask: {outcome:?}"),
        }
    }
    assert_eq!(lab.ran(), [r#"Some("/a") None"#]);
}
