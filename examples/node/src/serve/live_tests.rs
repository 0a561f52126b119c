use super::{Live, Over, Phase, Running, Waiting};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::watch;

fn over(turn: &str) -> Arc<Over> {
    let (turn, report) = (turn.parse().unwrap(), RawValue::NULL.to_owned());
    Arc::new(Over { turn, report, cancelled: true, receipts: Vec::new() })
}

#[test]
fn the_end_of_an_earlier_turn_leaves_the_question_of_the_next_one_open() {
    let (live, phase) = (Live::default(), watch::Sender::new(Phase::Going));
    let waiting = Waiting {
        id: "p00000000000a-1".parse().unwrap(),
        audit_id: "i00000000000a-2".parse().unwrap(),
    };
    let (first, second) = (over("t00000000000a-3"), over("t00000000000a-4"));
    let seen = phase.subscribe();
    live.state().running = Some(Running {
        turn: second.turn,
        text: String::new(),
        waiting: Some(waiting),
        phase,
        stop: watch::Sender::new(false),
    });
    let mut stream = live.state().watchers.admit(&"state");
    assert!(stream.try_recv().is_ok());
    live.finish(&first);
    assert!(live.waiting().is_some_and(|open| open.id == waiting.id));
    assert!(stream.try_recv().is_err(), "nobody is told anything");
    assert!(matches!(&*seen.borrow(), Phase::Going));
    live.finish(&second);
    assert!(live.waiting().is_none() && live.state().running.is_none());
    let told = [stream.try_recv().unwrap(), stream.try_recv().unwrap()].concat();
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains("withdrawn") && told.contains("finished"), "{told}");
    assert!(matches!(&*seen.borrow(), Phase::Over(_)));
}
