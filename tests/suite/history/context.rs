use super::vault::vault;
use super::{Home, chat, model, say, users};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, CallId, DeltaSink, Message, Request,
    WireProposal,
};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{ContextBudget, Conversation, SYSTEM_PROMPT, TurnError};
use sovereign_tests::lab;
use std::sync::{Arc, Mutex};

/// Asks for long results as long as it may, and keeps what it is sent.
#[derive(Default)]
struct Greedy(Mutex<Vec<(usize, Vec<Message>, bool)>>);

#[async_trait::async_trait]
impl Backend for Greedy {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local("greedy", Some("tiny".to_owned()))
    }
    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }
    async fn send(
        &self,
        request: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let tokens = ContextBudget::estimate(request.system, request.messages, request.catalog);
        let whole = request.system == SYSTEM_PROMPT || request.catalog.entries().is_empty();
        self.0.lock().unwrap().push((tokens, request.messages.to_vec(), whole));
        if request.closing {
            return Ok(BackendTurn::text(self.identity(), "enough"));
        }
        let one = WireProposal::new("vault__long__v1", br#"{"chars":4000}"#);
        Ok(BackendTurn::new(self.identity(), "more", vec![one.clone(), one]))
    }
}

fn half_a_pair(messages: &[Message]) -> bool {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        match message {
            Message::Outcome { call, .. } if open.first() == Some(call) => drop(open.remove(0)),
            Message::Outcome { .. } => return true,
            _ if !open.is_empty() => return true,
            Message::Assistant { proposals, .. } => open.extend(proposals.iter().map(|p| p.call)),
            _ => {}
        }
    }
    !open.is_empty()
}

/// Must-beat 29: long turns, long history, a small window.
#[tokio::test]
async fn context_never_exceeds_budget() {
    let (lab, home) = (vault(), Home::new());
    for budget in [ContextBudget::of(4_096, 512), ContextBudget::default()] {
        let greedy = Arc::new(Greedy::default());
        let leg: Arc<dyn Backend> = greedy.clone();
        let builder = Conversation::builder(&lab.executor, lab.scope.clone()).leg(leg);
        let chat = builder.budget(budget).remembered_in(&home.open(&lab)).unwrap().0.open();
        let request = "The open request. ".repeat(60);
        for _ in 0..12 {
            let report = chat.say(request.clone()).unwrap().run(|_| Decision::Deny).await;
            assert_eq!(report.error, None);
        }
        let sent = greedy.0.lock().unwrap();
        assert!(sent.len() > 60, "{}", sent.len());
        for (n, (tokens, messages, whole)) in sent.iter().enumerate() {
            assert!(*tokens <= budget.tokens(), "request {n}: {tokens} tokens");
            assert!(*whole && !half_a_pair(messages), "request {n}");
            let summary = users(messages).is_empty();
            assert!(summary || users(messages).contains(&request.as_str()), "request {n}");
        }
    }
}

#[tokio::test]
async fn message_that_cannot_fit_is_refused_before_anything_is_sent() {
    let (lab, home) = (lab().0, Home::new());
    let script = model().says("hello");
    let (chat, _) = chat(&lab, &home.open(&lab), &lab.scope, script.clone());
    let report = say(&chat, &"long ".repeat(100_000)).await;
    assert_eq!(report.error, Some(TurnError::TooLong));
    assert!(script.seen().is_empty());
    assert_eq!(say(&chat, "short").await.text, "hello", "and the next one is answered");
}

/// Cutting is for what is sent: person and receipt get the exact result.
#[tokio::test]
async fn result_that_is_cut_for_the_model_reaches_the_client_whole() {
    use sovereign_core::conversation::Event;
    let lab = vault();
    let script = model().proposes("vault__long__v1", r#"{"chars":20000}"#).says("long");
    let chat = Conversation::new(&lab.executor, Arc::new(script.clone()), lab.scope.clone());
    let mut turn = chat.say("go").unwrap();
    let mut got = 0;
    while let Some(event) = turn.next().await {
        if let Event::Settled(outcome) = event {
            got = outcome.result().unwrap().chars().count();
        }
    }
    assert_eq!(got, 20_002);
    let told = crate::conversation::outcomes(&script.seen()[1].messages).remove(0).1;
    assert!(told.contains(r#""code":"cut_to_fit""#) && told.len() < 20_000);
}
