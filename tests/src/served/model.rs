use async_trait::async_trait;
use serde_json::json;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Message, Request, WireProposal,
};

/// A model that proposes what the person's first word says (`read`, `send …`, `change …`, `slow`,
/// `hang`, `disk`), then says what came of it; anything else it repeats. It has no memory, so that many
/// conversations may share it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Obedient;

#[async_trait]
impl Backend for Obedient {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local("obedient", None)
    }

    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }

    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let identity = self.identity();
        let told = match request.messages.last() {
            Some(Message::User(text)) => match proposal(text) {
                Some(proposal) => return Ok(BackendTurn::new(identity, "", vec![proposal])),
                None => format!("you said: {text}"),
            },
            Some(Message::Outcome { outcome, .. }) => {
                let kind = outcome.kind().word();
                format!("{kind}: {}", outcome.result().unwrap_or_default())
            }
            _ => "nothing was said".to_owned(),
        };
        told.split_inclusive(' ').for_each(|word| sink.text(word));
        Ok(BackendTurn::text(identity, told))
    }
}

fn proposal(text: &str) -> Option<WireProposal> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (name, arguments) = match word {
        "read" => ("lab__read__v1", json!({})),
        "hang" => ("lab__slow_change__v1", json!({})),
        "slow" => ("lab__slow__v1", json!({})),
        "disk" => ("system__disk_status__v1", json!({})),
        "send" => ("lab__send__v1", json!({ "query": rest })),
        "change" => ("lab__change__v1", json!({ "text": rest })),
        _ => return None,
    };
    Some(WireProposal::new(name, arguments.to_string().as_bytes()))
}
