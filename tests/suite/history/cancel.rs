use super::vault::vault;
use super::{Home, chat, model, say};
use sovereign_core::backend::{CallId, Message, WireProposal};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Event, Turn};
use sovereign_core::history::TurnEnd;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Drives the turn for so many polls; whether it came to its end.
pub(super) async fn polled(turn: &mut Turn, mut polls: usize) -> bool {
    loop {
        let next = {
            let mut next = pin!(turn.next());
            poll_fn(|cx| {
                if polls == 0 {
                    return Poll::Ready(None);
                }
                polls -= 1;
                match next.as_mut().poll(cx) {
                    Poll::Ready(event) => Poll::Ready(Some(event)),
                    // dropped where it waits, without another wake
                    Poll::Pending if polls == 0 => Poll::Ready(None),
                    Poll::Pending => Poll::Pending,
                }
            })
            .await
        };
        match next {
            None => return false,
            Some(None) => return true,
            Some(Some(Event::ConfirmationRequested(request))) => {
                request.decide(Decision::Approve).unwrap();
            }
            Some(Some(_)) => {}
        }
    }
}

/// Each proposal of the transcript, with the outcomes that follow it directly and in order.
pub(super) fn assert_paired(messages: &[Message], polls: usize) {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        if let Message::Outcome { call, .. } = message {
            assert!(
                !open.is_empty() && open.remove(0) == *call,
                "after {polls} polls: {messages:?}"
            );
            continue;
        }
        assert!(open.is_empty(), "an orphan call after {polls} polls: {messages:?}");
        if let Message::Assistant { proposals, .. } = message {
            open.extend(proposals.iter().map(|p| p.call));
        }
    }
    assert!(open.is_empty(), "an orphan call after {polls} polls: {messages:?}");
}

/// Issue 5.6, cases 4c (goose#1624 and the like) and 4e (codex parallel.rs).
#[tokio::test]
async fn turn_dropped_at_any_poll_leaves_one_outcome_per_call_and_no_orphan() {
    let mut ends_seen = HashMap::new();
    for polls in 0.. {
        let (lab, home) = (vault(), Home::new());
        let wire = |name: &str| WireProposal::new(name, b"{}");
        let first = vec![wire("vault__change__v1"), wire("vault__read__v1"), wire("no_such")];
        let script = model().replies("Let me see.", first).proposes("vault__read__v1", "{}");
        let script = script.says("Done.").says("And on.").says("And on.").says("And on.");
        let (chat_before, _) = chat(&lab, &home.open(&lab), &lab.scope, script);
        let mut turn = chat_before.say("go").unwrap();
        let finished = polled(&mut turn, polls).await;
        let receipts = turn.cancel().await;

        let mut ends = HashMap::<_, usize>::new();
        for record in lab.audit.calls() {
            let count = ends.entry(record.id).or_default();
            *count += usize::from(record.mark.outcome().is_some());
        }
        assert!(ends.values().all(|count| *count == 1), "after {polls} polls: {ends:?}");
        let transcript = chat_before.transcript();
        assert_paired(&transcript, polls);
        let outcomes = transcript.iter().filter(|m| matches!(m, Message::Outcome { .. })).count();
        assert_eq!(outcomes, ends.len(), "after {polls} polls");
        assert!(receipts.iter().all(|r| ends.contains_key(&r.audit_id)), "after {polls} polls");
        assert_eq!(receipts.len(), ends.len(), "after {polls} polls: what ran is told");

        chat_before.history().save().unwrap();
        let kept = chat_before.history().recent(1).remove(0);
        assert_eq!(kept.calls.len(), ends.len(), "after {polls} polls");
        assert!(kept.calls.iter().all(|call| !call.is_open()), "after {polls} polls: {kept:?}");
        let expected = if finished { Some(TurnEnd::Answered) } else { kept.end };
        assert_eq!(kept.end, expected);
        for call in &kept.calls {
            *ends_seen.entry(call.outcome.clone().unwrap()).or_insert(0) += 1;
        }
        // the next turn works, and a restart finds nothing to repair
        let report = say(&chat_before, "next").await;
        assert_eq!(report.error, None, "after {polls} polls");
        drop(chat_before);
        let loaded = home.open(&lab).load(&lab.scope).unwrap();
        assert!(loaded.notices.is_empty(), "after {polls} polls: {:?}", loaded.notices);
        assert_eq!(loaded.history.recent(2)[0], kept);
        if finished {
            break;
        }
        assert!(polls < 500, "it never ends");
    }
    for kind in ["executed", "void", "unknown_effect", "not_attempted", "refused"] {
        assert!(ends_seen.contains_key(kind), "{kind} in {ends_seen:?}");
    }
}
