//! From what is remembered to what a model is sent: words as words, everything else as a record.
use super::context::Context;
use crate::backend::{Locality, Message, Recalled};
use crate::history::{PastCall, PastTurn, Transcript, TurnEnd};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The messages of recent turns of this run, as they were exchanged, by the turn's number.
pub(super) type Said = BTreeMap<u64, Vec<Message>>;

/// Everything that could be sent while turn `open` runs. The transcript says which turns there are; a
/// turn of this run is sent as it was, an older one as its redacted record. Another conversation of
/// the same caller may have a turn open: that one is nobody else's context.
///
/// What leaves the device holds earlier turns as their redacted records only: a value that the
/// transcript withholds is not sent elsewhere because it is still in memory.
pub(super) fn context(
    transcript: &Transcript,
    said: &Said,
    open: Option<u64>,
    locality: Locality,
) -> Context {
    let mut context = Context { head: head(transcript), ..Context::default() };
    for turn in transcript.turns.iter().filter(|t| Some(t.number) != open && t.end.is_some()) {
        let said = said.get(&turn.number).filter(|_| locality == Locality::Local);
        let messages = said.cloned();
        context.earlier.push(messages.unwrap_or_else(|| recall(turn)).into());
    }
    if let Some(messages) = open.and_then(|number| said.get(&number)) {
        context.open(messages.clone());
    }
    context
}

/// What is said of turns that are no longer there.
fn head(transcript: &Transcript) -> Option<Recalled> {
    #[derive(Serialize)]
    struct Head<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        summarised_turns: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        turns_no_longer_kept: Option<u64>,
    }
    let (summary, dropped) = (transcript.summary.as_ref(), transcript.dropped);
    (summary.is_some() || dropped > 0).then(|| {
        let head = Head {
            summary: summary.map(|summary| summary.text.text.as_str()),
            summarised_turns: summary.map(|summary| summary.turns),
            turns_no_longer_kept: (dropped > 0).then_some(dropped),
        };
        let record = Recalled::new("earlier turns of this conversation", &head);
        if summary.is_some() { record.condensed() } else { record }
    })
}

/// A turn as its record: what ran in it is no proposal any more.
fn recall(turn: &PastTurn) -> Vec<Message> {
    let mut messages = vec![Message::User(turn.user.text.clone())];
    let plain = turn.calls.is_empty()
        && turn.more_calls == 0
        && turn.end == Some(TurnEnd::Answered)
        && !turn.user.is_cut()
        && !turn.assistant.is_cut();
    if !plain {
        let record = Recalled::new("what became of the request above", &facts(turn, usize::MAX));
        let named = turn.calls.iter().filter_map(|call| {
            let (name, version) = call.capability.as_ref().zip(call.version)?;
            Some(format!("{name}@{version}"))
        });
        messages.push(Message::Recalled(record.telling_of(named)));
    }
    if !turn.assistant.text.is_empty() {
        let (text, proposals) = (turn.assistant.text.clone(), Vec::new());
        messages.push(Message::Assistant { text, proposals });
    }
    messages
}

/// What is known of a turn beside its words; results and arguments of at most so many characters.
pub(super) fn facts(turn: &PastTurn, chars: usize) -> Value {
    let calls: Vec<Value> = turn.calls.iter().map(|call| call_facts(call, chars)).collect();
    let mut facts = json!({ "calls": calls, "turn": turn.end, "code": turn.code });
    if let Value::Object(facts) = &mut facts {
        let more = (turn.more_calls > 0).then_some(turn.more_calls);
        facts.insert("more_calls".to_owned(), json!(more));
        facts.insert("request_cut_from_chars".to_owned(), json!(turn.user.of_chars));
        facts.insert("answer_cut_from_chars".to_owned(), json!(turn.assistant.of_chars));
        facts.retain(|_, value| !value.is_null() && *value != json!([]));
    }
    facts
}

fn call_facts(call: &PastCall, chars: usize) -> Value {
    let mut facts = serde_json::to_value(call).unwrap_or_default();
    let Value::Object(fields) = &mut facts else { return facts };
    if let Some(result) = &call.result {
        let mut kept = result.clone();
        kept.cut(chars);
        let result = match serde_json::from_str::<Value>(&kept.text) {
            Ok(whole) if !kept.is_cut() => whole,
            _ => json!({ "beginning": kept.text, "cut_from_chars": kept.of_chars }),
        };
        fields.insert("result".to_owned(), result);
    }
    if call.arguments.as_ref().is_some_and(|given| given.to_string().len() > chars) {
        fields.remove("arguments");
    }
    facts
}
