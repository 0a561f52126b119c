//! From the model on this device to the one elsewhere, with the real adapters of both.
use super::fixtures::{
    about_the_model, calls, config, conversation, lab_builder, ollama, says, server,
};
use super::wires::{Dialect, Told, Wire};
use async_trait::async_trait;
use sovereign_backends::{Keyword, Ollama, OllamaConfig, in_order};
use sovereign_core::audit::{Administrative, Record};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Request,
};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Event, Report};
use sovereign_core::policy::RemoteInference;
use sovereign_core::testing::Harness;
use sovereign_tests::double::{Answer, Double};
use std::sync::Arc;

const CLAUDE: Wire = Wire { dialect: Dialect::Claude, in_pieces: true };
const QUESTION: &str = "how much space is left?";

/// The adapter for Anthropic's wire before a double on loopback, which stands for a server elsewhere.
struct Elsewhere(Arc<dyn Backend>);

#[async_trait]
impl Backend for Elsewhere {
    fn identity(&self) -> BackendIdentity {
        let model = self.0.identity().model;
        BackendIdentity::remote("claude", model, "https://api.anthropic.com/v1")
    }
    async fn ready(&self) -> Result<(), BackendError> {
        self.0.ready().await
    }
    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let mut turn = self.0.send(request, sink).await?;
        turn.identity = self.identity();
        Ok(turn)
    }
}

struct Scene {
    lab: Harness,
    claude: Double,
    chat: Conversation,
}

impl Scene {
    /// Ollama, then Claude, then the one without a model, whatever order they are given in.
    async fn with(ollama: Ollama) -> Self {
        let told = Told::text("From afar.");
        let claude = Double::start(move |_| CLAUDE.answer(&told)).await;
        let lab = lab_builder().remote(RemoteInference::Ask).build();
        let elsewhere = Arc::new(Elsewhere(CLAUDE.leg(&claude, None)));
        let legs = in_order(vec![Arc::new(Keyword::new()), elsewhere, Arc::new(ollama)]);
        let chat = conversation(&lab, legs);
        Self { lab, claude, chat }
    }

    /// One turn; says also how often the person was asked about sending, and about whom.
    async fn say(&self, decision: Decision) -> (Report, Vec<String>) {
        let mut turn = self.chat.say(QUESTION).unwrap();
        let mut receivers = Vec::new();
        loop {
            match turn.next().await.expect("it finishes") {
                Event::ConfirmationRequested(request) => {
                    let send = request.disclosure().remote_send().expect("about sending");
                    receivers.push(send.receiver.clone());
                    assert!(self.claude.received_at(CLAUDE.path()).is_empty());
                    request.decide(decision).unwrap();
                }
                Event::Finished(report) => return (*report, receivers),
                _ => {}
            }
        }
    }

    fn sends(&self) -> usize {
        let is_send = |record: &Record| {
            matches!(record, Record::Administrative(r)
                if matches!(r.event, Administrative::RemoteSend { backend: "claude", .. }))
        };
        self.lab.audit.records().iter().filter(|record| is_send(record)).count()
    }
}

/// E10, E12
#[tokio::test]
async fn non_tool_capable_model_falls_through_to_claude() {
    let without_tools = Double::start(|request| match request.path.as_str() {
        "/api/show" => Answer::json(200, r#"{"capabilities":["completion"]}"#),
        _ => about_the_model(request),
    })
    .await;
    let stopped = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}", stopped.local_addr().unwrap());
    drop(stopped);
    let gone = Ollama::new(OllamaConfig::new(at.parse().unwrap(), "m")).unwrap();
    for (leg, reason) in [
        (ollama(&without_tools), "model `m` does not support tools".to_owned()),
        (gone, format!("nothing answers at `{at}`")),
    ] {
        let scene = Scene::with(leg).await;
        let (report, receivers) = scene.say(Decision::Approve).await;
        assert_eq!(receivers, ["api.anthropic.com:443"]);
        assert_eq!((report.text.as_str(), report.error), ("From afar.", None));
        assert_eq!(report.backend.identity.as_ref().unwrap().id, "claude");
        let skipped = &report.backend.skipped[0];
        assert_eq!((skipped.id, &skipped.reason), ("ollama", &reason));
        let sent = scene.claude.received_at(CLAUDE.path());
        assert_eq!((sent.len(), scene.sends()), (1, 1));
        assert!(sent[0].body.contains(QUESTION));
    }
    assert!(without_tools.received_at("/api/chat").is_empty());
}

/// E11, E12
#[tokio::test]
async fn nothing_leaves_while_the_model_on_this_device_answers() {
    let call = r#"[{"function":{"name":"system__disk_status__v1","arguments":{}}}]"#;
    let here = server([calls(call), says("1024 bytes.")]).await;
    let scene = Scene::with(Ollama::new(config(&here)).unwrap()).await;
    let (report, receivers) = scene.say(Decision::Approve).await;
    assert_eq!((report.text.as_str(), report.receipts.len()), ("1024 bytes.", 1));
    assert_eq!(report.backend.identity.as_ref().unwrap().id, "ollama");
    assert!(receivers.is_empty() && report.backend.skipped.is_empty());
    assert_eq!((scene.claude.received_at(CLAUDE.path()).len(), scene.sends()), (0, 0));
}

/// What ran before the leg on this device broke is announced before it leaves, and a no keeps it here.
#[tokio::test]
async fn a_leg_that_breaks_within_the_turn_takes_its_results_elsewhere_only_after_a_yes() {
    for (decision, leaves) in [(Decision::Deny, false), (Decision::Approve, true)] {
        let call = r#"[{"function":{"name":"system__disk_status__v1","arguments":{}}}]"#;
        let here = server([calls(call), Answer::hang_up()]).await;
        let scene = Scene::with(Ollama::new(config(&here)).unwrap()).await;
        let (report, receivers) = scene.say(decision).await;
        assert_eq!((receivers.len(), report.receipts.len()), (1, 1), "{report:?}");
        let sent = scene.claude.received_at(CLAUDE.path());
        assert_eq!((sent.len(), scene.sends()), (usize::from(leaves), usize::from(leaves)));
        assert!(sent.iter().all(|request| request.body.contains("free_bytes")));
        assert_eq!(report.text == "From afar.", leaves, "{report:?}");
    }
}
