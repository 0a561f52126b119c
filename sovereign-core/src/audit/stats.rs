use super::error::LogError;
use super::reader::LogReader;
use super::stored::{StoredCall, StoredEntry};
use super::{OutcomeKind, Stage};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// How often each word came up.
pub type Counts = BTreeMap<String, u64>;

/// What a log amounts to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// All records.
    pub records: u64,
    /// Proposals that have ended.
    pub proposals: u64,
    /// Of those, the ones beyond the quota, which only a count stands for.
    pub unlisted: u64,
    /// Calls without an end: running, waiting for a decision, or cut off by a crash.
    pub open: u64,
    /// Ends by outcome.
    pub outcomes: Counts,
    /// Ends by capability (`name@version`, or `unregistered`) and outcome.
    pub capabilities: BTreeMap<String, Counts>,
    /// Ends that carry a code, by point and code (`policy/not_enabled`).
    pub codes: Counts,
    /// Administrative events by name.
    pub events: Counts,
    /// How far proposals got.
    pub accuracy: Accuracy,
}

/// How many proposals got how far: structured-output and selection accuracy as far as the log alone
/// tells (A27). Whether the *right* capability was chosen, a corpus says; it joins by turn id.
///
/// Each figure counts a part of the one before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Accuracy {
    /// Proposals that were judged at all: those the turn had room for.
    pub judged: u64,
    /// Their arguments were one JSON object.
    pub parsed: u64,
    /// They named a registered capability and version.
    pub resolved: u64,
    /// Their arguments fit its schema.
    pub valid: u64,
    /// Policy admitted them.
    pub admitted: u64,
    /// They ran to their end.
    pub executed: u64,
}

/// Counts what the log in `directory` holds.
///
/// # Errors
/// As for [`LogReader`].
pub fn stats(directory: &Path) -> Result<Stats, LogError> {
    let mut stats = Stats::default();
    let mut reader = LogReader::open(directory)?;
    for record in reader.by_ref() {
        bump(&mut stats.records);
        match record?.entry {
            StoredEntry::Administrative(event) => {
                if event.event == "refusals_summarised" {
                    stats.unlisted(&event.details);
                }
                count(&mut stats.events, event.event.into_owned());
            }
            StoredEntry::Call(call) => stats.call(&call),
        }
    }
    stats.open = u64::try_from(reader.open_calls()).unwrap_or(u64::MAX);
    Ok(stats)
}

impl Stats {
    /// Proposals without a record each count as those with one, except by capability and code.
    fn unlisted(&mut self, details: &BTreeMap<String, Value>) {
        let figure = |key: &str| details.get(key).and_then(Value::as_u64).unwrap_or_default();
        let [parse_failed, resolve, validate, policy] =
            ["parse_failed", "resolve", "validate", "policy"].map(figure);
        let budget = ["budget_exhausted", "not_attempted"];
        let refused = resolve.saturating_add(validate).saturating_add(policy);
        let outcomes = [("parse_failed", parse_failed), ("refused", refused)];
        for (outcome, many) in outcomes.into_iter().chain(budget.map(|word| (word, figure(word)))) {
            add(&mut self.proposals, many);
            add(&mut self.unlisted, many);
            if many > 0 {
                add(self.outcomes.entry(outcome.to_owned()).or_default(), many);
            }
        }
        let valid = policy;
        let resolved = valid.saturating_add(validate);
        let parsed = resolved.saturating_add(resolve);
        add(&mut self.accuracy.judged, parsed.saturating_add(parse_failed));
        add(&mut self.accuracy.parsed, parsed);
        add(&mut self.accuracy.resolved, resolved);
        add(&mut self.accuracy.valid, valid);
    }

    fn call(&mut self, call: &StoredCall) {
        let Some(outcome) = &call.outcome else { return };
        bump(&mut self.proposals);
        count(&mut self.outcomes, outcome.clone().into_owned());
        count(self.capabilities.entry(call.named()).or_default(), outcome.clone().into_owned());
        if let Some(code) = &call.code {
            count(&mut self.codes, format!("{}/{code}", call.point));
        }
        self.accuracy.add(call, outcome);
    }
}

impl Accuracy {
    fn add(&mut self, call: &StoredCall, outcome: &str) {
        if call.point == super::Point::Budget.word() {
            return;
        }
        let refused = outcome == OutcomeKind::Refused.word();
        let refused_at = |stage: Stage| refused && call.point == stage.word();
        let steps = [
            (&mut self.judged, false),
            (&mut self.parsed, outcome == OutcomeKind::ParseFailed.word()),
            (&mut self.resolved, refused_at(Stage::Resolve)),
            (&mut self.valid, refused_at(Stage::Validate)),
            (&mut self.admitted, refused_at(Stage::Policy)),
            (&mut self.executed, outcome != OutcomeKind::Executed.word()),
        ];
        for (figure, stopped) in steps {
            if stopped {
                return;
            }
            bump(figure);
        }
    }
}

fn count(counts: &mut Counts, word: String) {
    bump(counts.entry(word).or_default());
}

const fn bump(figure: &mut u64) {
    add(figure, 1);
}

const fn add(figure: &mut u64, many: u64) {
    *figure = figure.saturating_add(many);
}
