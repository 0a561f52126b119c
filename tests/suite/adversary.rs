//! Any sequence of hostile operations: nothing that needs a person's yes runs without its own, and
//! every proposal ends once.
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::caller::{CallerScope, Categories, Category};
use sovereign_core::confirmation::{ConfirmationToken, Decision, WINDOW};
use sovereign_core::executor::{Outcome, Proposal, Submitted, Suspended, TurnLedger};
use sovereign_core::id::{InvocationId, PendingId};
use sovereign_core::policy::Policy;
use sovereign_core::testing::Harness;
use sovereign_tests::{Lab, lab_builder};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

#[derive(Debug, Clone)]
enum Op {
    /// A proposal of one of the sessions, in a turn of its own or in the shared one.
    Propose { session: usize, name: usize, version: u32, arguments: usize, shared: bool },
    /// A token for a decision, asked for by any session.
    Surface { session: usize, decision: usize },
    /// Any token, real or forged, presented by any session for any decision.
    Present { session: usize, decision: usize, token: usize, approve: bool },
    /// The right person, with a token of its own.
    Answer { decision: usize, approve: bool },
    /// The grant is taken away or given back.
    Grant(bool),
    /// Time passes, on both clocks or on one.
    Pass { seconds: u64, clocks: usize },
    /// A session ends.
    Void(usize),
    /// Whoever waits goes away.
    Drop(usize),
    /// Whoever waits begins to be polled.
    Wait(usize),
}

const SESSIONS: usize = 3;
const NAMES: [&str; 6] =
    ["lab.change", "lab.odd_change", "lab.send", "lab.read", "lab.changes", "lab__change__v1"];
const ARGUMENTS: [&str; 9] = [
    r#"{"text":"a"}"#,
    r#"{"text":"b"}"#,
    r#"{ "text":"a" }"#,
    r#"{"text":"a","approved":true}"#,
    r#"{"text":"a","text":"b"}"#,
    r#"{"query":"a"}"#,
    "{}",
    "{",
    r#"[{"text":"a"}]"#,
];

fn op() -> impl Strategy<Value = Op> {
    let small = 0..6usize;
    prop_oneof![
        4 => (0..SESSIONS, 0..NAMES.len(), 0..3u32, 0..ARGUMENTS.len(), any::<bool>()).prop_map(
            |(session, name, version, arguments, shared)| Op::Propose { session, name, version, arguments, shared }
        ),
        4 => (0..SESSIONS, 0..2usize, 0..2usize, any::<bool>()).prop_map(
            |(session, name, arguments, shared)| Op::Propose { session, name: name * 2, version: 1, arguments: arguments + name * 5, shared }
        ),
        4 => (0..SESSIONS, small.clone()).prop_map(|(session, decision)| Op::Surface { session, decision }),
        6 => (0..SESSIONS, small.clone(), 0..8usize, prop::bool::weighted(0.8)).prop_map(
            |(session, decision, token, approve)| Op::Present { session, decision, token, approve }
        ),
        4 => (small.clone(), prop::bool::weighted(0.8))
            .prop_map(|(decision, approve)| Op::Answer { decision, approve }),
        1 => any::<bool>().prop_map(Op::Grant),
        1 => (prop_oneof![Just(1), Just(60), Just(119), Just(120)], 0..3usize)
            .prop_map(|(seconds, clocks)| Op::Pass { seconds, clocks }),
        1 => (0..SESSIONS).prop_map(Op::Void),
        1 => small.clone().prop_map(Op::Drop),
        3 => small.prop_map(Op::Wait),
    ]
}

struct Asked {
    id: PendingId,
    session: usize,
    call: InvocationId,
    waits: Option<Suspended>,
    task: Option<JoinHandle<Outcome>>,
    approved: bool,
}

struct World {
    lab: Harness,
    state: Arc<Lab>,
    granted: Arc<AtomicBool>,
    turns: Vec<Arc<TurnLedger>>,
    asked: Vec<Asked>,
    tokens: Vec<(usize, String)>,
    proposed: usize,
    automatic: usize,
}

fn session(n: usize) -> CallerScope {
    CallerScope::operator("tester", format!("session-{n}"))
}

fn world() -> World {
    let granted = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&granted);
    let all = [Category::Notes, Category::Search, Category::System];
    let policy =
        Policy::granting(
            move |_| {
                if seen.load(Ordering::SeqCst) { all.into() } else { Categories::NONE }
            },
        );
    let policy = NAMES.iter().fold(policy, |policy, name| policy.enabled(name));
    let (builder, state) = lab_builder();
    let lab = builder.policy(policy).build();
    let open = |n| lab.executor.open_turn(session(n), lab.executor.open_conversation());
    let turns = (0..SESSIONS).map(open).collect();
    let (asked, tokens) = (Vec::new(), Vec::new());
    World { lab, state, granted, turns, asked, tokens, proposed: 0, automatic: 0 }
}

impl World {
    async fn apply(&mut self, op: Op) {
        let before = self.state.ran().len();
        self.act(op).await;
        // whoever is polled gets as far as it can
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        let held = self.granted.load(Ordering::SeqCst);
        assert!(held || self.state.ran().len() == before, "it ran after the grant was taken away");
    }

    async fn act(&mut self, op: Op) {
        match op {
            Op::Propose { session: s, name, version, arguments, shared } => {
                self.proposed += 1;
                let bytes = ARGUMENTS[arguments].as_bytes();
                let proposal = Proposal::new(NAMES[name], version, bytes);
                let executor = &self.lab.executor;
                let submitted = match shared {
                    true => executor.submit(&self.turns[s], proposal).await,
                    false => executor.invoke(session(s), proposal).await,
                };
                match submitted {
                    Submitted::Settled(outcome) if outcome.kind() == OutcomeKind::Executed => {
                        assert_eq!(outcome.capability, Some("lab.read"), "it ran unasked");
                        self.automatic += 1;
                    }
                    Submitted::Settled(_) => {}
                    Submitted::Awaiting(request, suspended) => {
                        let listed = executor.pending(&session(s));
                        let mine = listed.iter().find(|p| p.id == request.id());
                        let call = mine.expect("it is in the list of its session").audit_id;
                        self.asked.push(Asked {
                            id: request.id(),
                            session: s,
                            call,
                            waits: Some(suspended),
                            task: None,
                            approved: false,
                        });
                    }
                }
            }
            Op::Surface { session: s, decision } => {
                let Some(asked) = self.asked.get(decision) else { return };
                let token = self.lab.executor.surface(&session(s), asked.id);
                assert!(token.is_err() || asked.session == s, "a token for a stranger");
                if let Ok(token) = token {
                    self.tokens.push((decision, token.reveal().to_owned()));
                }
            }
            Op::Answer { decision, approve } => {
                let Some(asked) = self.asked.get_mut(decision) else { return };
                let scope = session(asked.session);
                let Ok(token) = self.lab.executor.surface(&scope, asked.id) else { return };
                self.tokens.push((decision, token.reveal().to_owned()));
                let say = if approve { Decision::Approve } else { Decision::Deny };
                let decided = self.lab.executor.decide(&scope, asked.id, &token, say);
                assert_eq!(decided, Ok(asked.call), "a token decides where it belongs");
                assert!(!asked.approved, "decided twice");
                asked.approved = approve;
            }
            Op::Present { session: s, decision, token, approve } => {
                let Some(asked) = self.asked.get_mut(decision) else { return };
                let forged = (usize::MAX, format!("{token:064x}"));
                let (of, text) = self.tokens.get(token).cloned().unwrap_or(forged);
                let (scope, text) = (session(s), ConfirmationToken::presented(text));
                let say = if approve { Decision::Approve } else { Decision::Deny };
                let decided = self.lab.executor.decide(&scope, asked.id, &text, say);
                if decided.is_ok() {
                    assert_eq!((of, s), (decision, asked.session), "decided by a wrong token");
                    assert!(!asked.approved, "decided twice");
                    asked.approved = approve;
                }
            }
            Op::Grant(on) => self.granted.store(on, Ordering::SeqCst),
            Op::Pass { seconds, clocks } => {
                let by = Duration::from_secs(seconds);
                match clocks {
                    0 => self.lab.clock.advance(by),
                    1 => self.lab.clock.advance_wall(by),
                    _ => self.lab.clock.advance_monotonic(by),
                }
            }
            Op::Void(s) => {
                self.lab.executor.void(&session(s));
            }
            Op::Drop(decision) => {
                if let Some(asked) = self.asked.get_mut(decision) {
                    asked.waits = None;
                }
            }
            Op::Wait(decision) => {
                let waits = self.asked.get_mut(decision).and_then(|a| Some((a.waits.take()?, a)));
                if let Some((waits, asked)) = waits {
                    asked.task = Some(tokio::spawn(waits.outcome()));
                }
            }
        }
    }

    async fn finish(mut self) {
        for n in 0..self.asked.len() {
            self.apply(Op::Wait(n)).await;
        }
        self.apply(Op::Pass { seconds: WINDOW.as_secs(), clocks: 0 }).await;
        let approvals = self.asked.iter().filter(|asked| asked.approved).count();
        let mut executed = 0;
        for asked in &mut self.asked {
            if let Some(task) = asked.task.take() {
                let outcome = task.await.expect("it does not panic");
                assert_eq!(outcome.audit_id, asked.call);
                let ran = outcome.kind() == OutcomeKind::Executed;
                assert!(asked.approved || !ran, "it ran without its own approval");
                executed += usize::from(ran);
            }
        }
        let ran = self.state.ran();
        assert_eq!(ran.len(), executed + self.automatic, "{ran:?}");
        assert!(executed <= approvals);
        self.every_proposal_ended_once();
    }

    fn every_proposal_ended_once(&self) {
        let mut ends: HashMap<InvocationId, usize> = HashMap::new();
        let mut ids = BTreeSet::new();
        for record in self.lab.audit.calls() {
            ids.insert(record.id);
            *ends.entry(record.id).or_default() += usize::from(record.mark.outcome().is_some());
        }
        assert_eq!(ids.len(), self.proposed, "one id for each proposal");
        assert!(ends.values().all(|n| *n == 1), "{ends:?}");
        assert!(self.turns.iter().all(|turn| turn.is_idle()));
    }
}

#[test]
fn no_sequence_of_hostile_operations_runs_a_call_without_its_own_approval() {
    let cases = crate::seeded::cases(500, 50_000);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let seed = *b"sovereign: no call runs unasked!";
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let reached = std::cell::Cell::new(0);
    let outcome = runner.run(&vec(op(), 1..40), |ops| {
        runtime.block_on(async {
            let mut world = world();
            for op in ops {
                world.apply(op).await;
            }
            reached.set(reached.get() + world.asked.iter().filter(|a| a.approved).count());
            world.finish().await;
        });
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    assert!(
        reached.get() > cases as usize / 20,
        "only {} approvals: nothing is shown",
        reached.get()
    );
}
