use super::*;
use crate::backend::{CallId, Proposed};
use crate::entropy::{Entropy, EntropyError};
use crate::id::IdSource;
use crate::schema::RawArguments;

struct Same;

impl Entropy for Same {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(7);
        Ok(())
    }
}

fn outcome(result: &str) -> Outcome {
    Outcome {
        audit_id: IdSource::new(&Same).unwrap().invocation(),
        capability: Some("lab.read"),
        version: Some(1),
        proposed: None,
        ending: Ending::Executed {
            result: Json::checked(serde_json::to_vec(result).unwrap()),
            code: None,
            changed: None,
            citations: Vec::new(),
        },
    }
}

/// A reply with `calls` proposals, and what each came to.
fn round(calls: u16, argument: usize, result: usize) -> Vec<Message> {
    let id = |index| CallId::new(1, 0, index);
    let arguments = format!("{{\"text\":\"{}\"}}", "a".repeat(argument));
    let proposals = (0..calls).map(|index| Proposed {
        call: id(index),
        wire_id: None,
        wire_name: "lab__read__v1".to_owned(),
        arguments: RawArguments::parse(arguments.as_bytes()),
    });
    let reply =
        Message::Assistant { text: "Let me look.".to_owned(), proposals: proposals.collect() };
    let ended = (0..calls)
        .map(|index| Message::Outcome { call: id(index), outcome: outcome(&"内".repeat(result)) });
    [reply].into_iter().chain(ended).collect()
}

fn exchange(words: usize, result: usize) -> Vec<Message> {
    let user = Message::User("u".repeat(words));
    [user].into_iter().chain(round(1, 10, result)).collect()
}

fn request(words: usize) -> Vec<Message> {
    vec![Message::User("r".repeat(words))]
}

/// A call without its outcome, or an outcome without its call.
fn has_half_a_pair(messages: &[Message]) -> bool {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        match message {
            Message::Outcome { call, .. } if open.first() == Some(call) => drop(open.remove(0)),
            Message::Outcome { .. } => return true,
            _ if !open.is_empty() => return true,
            Message::Assistant { proposals, .. } => open.extend(proposals.iter().map(|p| p.call)),
            Message::User(_) | Message::Recalled(_) => {}
        }
    }
    !open.is_empty()
}

/// Must-beat 29, over sizes from nothing to far too much.
#[test]
fn whatever_there_is_the_budget_holds_and_pairs_stay_whole() {
    let budget = ContextBudget::of(4_096, 512);
    let head = Recalled::new("earlier turns", &"s".repeat(2_000));
    for earlier in [0, 1, 12] {
        for rounds in [0, 1, 4] {
            for calls in [1, 12] {
                for argument in [0, 500, 60_000] {
                    for result in [0, 200, 1_000] {
                        let context = Context {
                            head: Some(head.clone()),
                            left_out: 0,
                            earlier: (0..earlier).map(|_| exchange(200, result).into()).collect(),
                            request: request(300),
                            rounds: (0..rounds)
                                .map(|_| round(calls, argument, result).into())
                                .collect(),
                        };
                        let case = (earlier, rounds, calls, argument, result);
                        let sent = context.fit(budget, 1_000).unwrap();
                        assert!(cost(&sent) + 1_000 <= budget.tokens(), "{case:?}");
                        assert!(!has_half_a_pair(&sent), "{case:?}");
                        let asked = Message::User("r".repeat(300));
                        let kept = sent.iter().filter(|m| format!("{m:?}") == format!("{asked:?}"));
                        assert_eq!(kept.count(), 1, "the open request is whole: {case:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_fits_is_sent_as_it_is() {
    let context = Context {
        earlier: vec![exchange(10, 10).into()],
        request: request(10),
        rounds: vec![round(2, 10, 10).into()],
        ..Context::default()
    };
    let whole = [exchange(10, 10), request(10), round(2, 10, 10)].concat();
    let sent = context.fit(ContextBudget::default(), 100).unwrap();
    assert_eq!(format!("{sent:?}"), format!("{whole:?}"));
}

#[test]
fn request_that_cannot_fit_is_not_cut_but_refused() {
    let context = Context { request: request(30_000), ..Context::default() };
    assert_eq!(context.fit(ContextBudget::default(), 100).unwrap_err(), TooLong);
}

#[test]
fn cut_result_says_so_outside_its_data_and_is_cut_between_characters() {
    let whole = outcome(&"内".repeat(100));
    let short = cut(&whole, 10).unwrap();
    assert_eq!(short.code(), Some("cut_to_fit"));
    let told: serde_json::Value = serde_json::from_str(&short.envelope()).unwrap();
    assert_eq!(told["code"], "cut_to_fit");
    assert_eq!(told["untrusted_data"], format!("\"{}", "内".repeat(9)));
    assert_eq!((short.audit_id, short.capability), (whole.audit_id, whole.capability));
    let shorter = cut(&short, 4).unwrap();
    assert_eq!(shorter.result(), Some("\"\\\"内内内\""));
    assert!(cut(&shorter, 4).is_none(), "short enough");
}

#[test]
fn turns_that_are_left_out_are_counted_and_the_latest_stay() {
    let context = Context {
        earlier: (0..40).map(|_| exchange(1_000, 0).into()).collect(),
        request: request(10),
        ..Context::default()
    };
    let sent = context.fit(ContextBudget::default(), 100).unwrap();
    let Message::Recalled(note) = &sent[0] else { panic!("{:?}", sent[0]) };
    let users = sent.iter().filter(|m| matches!(m, Message::User(_))).count();
    assert!((10..40).contains(&users));
    let expected = format!("\"earlier_turns_left_out\":{}}}", 41 - users);
    assert!(note.envelope().contains(&expected), "{}", note.envelope());
}

#[test]
fn folded_rounds_leave_what_each_call_came_to() {
    let context = Context {
        request: request(10),
        rounds: (0..4).map(|_| round(1, 9_000, 10).into()).collect(),
        ..Context::default()
    };
    let sent = context.fit(ContextBudget::default(), 100).unwrap();
    let Message::Recalled(record) = &sent[1] else { panic!("{:?}", sent[1]) };
    assert!(record.envelope().contains("\"outcome\":\"executed\""), "{}", record.envelope());
    assert!(!record.envelope().contains('内'), "no data");
    assert!(matches!(sent.last(), Some(Message::Outcome { .. })), "the last round is whole");
}
