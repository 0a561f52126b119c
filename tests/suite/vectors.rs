//! The pipeline by the vectors in `tests/data/pipeline`, which other implementations may run as well.
use crate::ground::{GROUNDS, Ground};
use crate::source::read;
use serde::Deserialize;
use sovereign_core::audit::Mark;
use sovereign_core::caller::{CallerScope, Categories, Category};
use sovereign_core::confirmation::{ConfirmationRequest, ConfirmationToken, Decision, WINDOW};
use sovereign_core::executor::{Outcome, Proposal, Submitted, Suspended, TurnLedger};
use sovereign_core::policy::Policy;
use sovereign_core::testing::Harness;
use sovereign_tests::{Lab, lab_builder};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const FILES: [&str; 6] = ["parse", "resolve", "validate", "policy", "confirm", "turn"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    scope: String,
    #[serde(default = "all_grants")]
    grants: Vec<String>,
    enabled: Option<Vec<String>>,
    steps: Vec<Step>,
    ran: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    capability: String,
    version: u32,
    arguments: Option<String>,
    arguments_base16: Option<String>,
    arguments_repeated: Option<(String, String, usize, String)>,
    decision: String,
    expect: Expected,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Expected {
    outcome: String,
    code: Option<String>,
    point: String,
    marks: Vec<String>,
}

#[derive(Deserialize)]
struct Fixture {
    capabilities: Vec<Described>,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    version: u32,
    side_effect: String,
    network: String,
    category: String,
    max_per_turn: u16,
}

fn all_grants() -> Vec<String> {
    ["notes", "search", "system"].map(str::to_owned).to_vec()
}

fn bytes(step: &Step) -> Vec<u8> {
    match (&step.arguments, &step.arguments_base16, &step.arguments_repeated) {
        (Some(text), None, None) => text.as_bytes().to_vec(),
        (None, Some(hex), None) => {
            let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("base 16");
            (0..hex.len()).step_by(2).map(digits).collect()
        }
        (None, None, Some((prefix, unit, times, suffix))) => {
            format!("{prefix}{}{suffix}", unit.repeat(*times)).into_bytes()
        }
        _ => panic!("one form of arguments for {}", step.capability),
    }
}

struct Bench {
    lab: Harness,
    state: Arc<Lab>,
    granted: Arc<AtomicBool>,
    scope: CallerScope,
    turn: Arc<TurnLedger>,
}

fn bench(case: &Case, ground: Ground) -> Bench {
    let granted = Arc::new(AtomicBool::new(true));
    let (held, seen) = (categories(&case.grants), Arc::clone(&granted));
    let policy =
        Policy::granting(
            move |_| {
                if seen.load(Ordering::SeqCst) { held.clone() } else { Categories::NONE }
            },
        );
    let all = || {
        let (builder, _) = lab_builder();
        let registry = builder.build();
        registry.executor.registry().descriptors().map(|d| d.name().to_owned()).collect()
    };
    let enabled: BTreeSet<String> =
        case.enabled.clone().map_or_else(all, |names| names.into_iter().collect());
    let policy = enabled.iter().fold(policy, |policy, name| policy.enabled(name));
    let (builder, state) = lab_builder();
    let lab = builder.policy(policy).build_with(ground);
    let scope = match case.scope.as_str() {
        "operator" => lab.scope.clone(),
        "mesh" => CallerScope::mesh("!a1"),
        other => panic!("no scope `{other}`"),
    };
    let turn = lab.executor.open_turn(scope.clone(), lab.executor.open_conversation());
    Bench { lab, state, granted, scope, turn }
}

fn categories(words: &[String]) -> Categories {
    words
        .iter()
        .map(|word| match word.as_str() {
            "notes" => Category::Notes,
            "search" => Category::Search,
            "system" => Category::System,
            other => panic!("no category `{other}`"),
        })
        .collect()
}

impl Bench {
    async fn take(&self, step: &Step) -> Outcome {
        let proposal = Proposal::new(&step.capability, step.version, &bytes(step));
        match self.lab.executor.submit(&self.turn, proposal).await {
            Submitted::Settled(outcome) => outcome,
            Submitted::Awaiting(request, suspended) => {
                self.decide(&step.decision, request, suspended).await
            }
        }
    }

    async fn decide(
        &self,
        decision: &str,
        request: ConfirmationRequest,
        suspended: Suspended,
    ) -> Outcome {
        let executor = &self.lab.executor;
        let token = || executor.surface(&self.scope, request.id()).expect("its own session");
        let present = |scope: &CallerScope, token: &ConfirmationToken| {
            executor.decide(scope, request.id(), token, Decision::Approve)
        };
        match decision {
            "approve" => drop(request.decide(Decision::Approve).expect("it is open")),
            "deny" => drop(request.decide(Decision::Deny).expect("it is open")),
            "approve_with_token" => drop(present(&self.scope, &token()).expect("it is open")),
            "approve_after_forged_token" => {
                let forged = ConfirmationToken::presented("f".repeat(64));
                assert!(present(&self.scope, &forged).is_err());
                present(&self.scope, &token()).expect("still open");
            }
            "approve_from_another_session" => {
                let stranger = CallerScope::operator("tester", "another-session");
                assert!(present(&stranger, &token()).is_err());
            }
            "expire" => self.lab.clock.advance(WINDOW),
            "withdraw" => assert_eq!(executor.void(&self.scope), 1),
            "revoke_then_approve" => {
                self.granted.store(false, Ordering::SeqCst);
                request.decide(Decision::Approve).expect("it is open");
            }
            "leave" => {
                drop(suspended);
                return self.turn.outcomes().pop().expect("its ending");
            }
            other => panic!("no decision `{other}`"),
        }
        suspended.outcome().await
    }

    fn came_to(&self, outcome: &Outcome) -> Expected {
        let records = self.lab.audit.calls().into_iter().filter(|r| r.id == outcome.audit_id);
        let records: Vec<_> = records.collect();
        let last = records.last().expect("a record");
        assert_eq!(last.mark, Mark::End(outcome.kind()));
        assert_eq!(last.code, outcome.code());
        Expected {
            outcome: outcome.kind().word().to_owned(),
            code: outcome.code().map(str::to_owned),
            point: last.point.word().to_owned(),
            marks: records.iter().map(|r| r.mark.word().to_owned()).collect(),
        }
    }
}

async fn differs(case: &Case, ground: Ground) -> Option<String> {
    let bench = bench(case, ground);
    for (n, step) in case.steps.iter().enumerate() {
        let came = bench.came_to(&bench.take(step).await);
        if came != step.expect {
            return Some(format!("{}, step {n}: {came:?}, not {:?}", case.name, step.expect));
        }
    }
    let ran = bench.state.ran();
    (ran != case.ran).then(|| format!("{}: ran {ran:?}", case.name))
}

#[tokio::test]
async fn every_vector_of_the_pipeline_comes_to_what_it_says() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for file in FILES {
        let text = read(format!("tests/data/pipeline/{file}.json"));
        let cases: Vec<Case> = serde_json::from_str(&text).expect(file);
        for case in &cases {
            for ground in GROUNDS {
                wrong.extend(differs(case, ground).await.map(|what| format!("{file}: {what}")));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 500, "{count} vectors");
}

#[test]
fn the_described_fixture_is_the_installed_one() {
    let fixture: Fixture =
        serde_json::from_str(&read("tests/data/pipeline/fixture.json")).expect("the fixture");
    let lab = lab_builder().0.build();
    for told in fixture.capabilities {
        let found = lab.executor.registry().descriptors();
        let mut found = found.filter(|d| d.name() == told.name && d.version() == told.version);
        let d = found.next().unwrap_or_else(|| panic!("{} is not installed", told.name));
        let word = |value: serde_json::Value| value.as_str().expect("a word").to_owned();
        let classes = (
            word(serde_json::to_value(d.side_effect).expect("a word")),
            word(serde_json::to_value(d.network).expect("a word")),
        );
        assert_eq!(classes, (told.side_effect, told.network), "{}", told.name);
        assert_eq!(d.category().to_string(), told.category);
        assert_eq!(d.declaration.bounds.max_per_turn, told.max_per_turn, "{}", told.name);
    }
}
