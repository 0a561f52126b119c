//! The machine itself: each through the executor, in a turn of its own, like a model's proposal.

use super::{Answer, Call, RpcError};
use serde_json::value::RawValue;
use sovereign_core::executor::{Outcome, Proposal, Submitted};

pub(crate) async fn disk_status(call: Call) -> Result<Answer, RpcError> {
    through_the_executor(&call, "system.disk_status").await
}

pub(crate) async fn health(call: Call) -> Result<Answer, RpcError> {
    through_the_executor(&call, "system.health").await
}

async fn through_the_executor(call: &Call, capability: &str) -> Result<Answer, RpcError> {
    call.no_params()?;
    if !call.session.may_run(call.service.parts.clock.now()) {
        return Err(RpcError::TOO_MANY);
    }
    let proposal = Proposal::new(capability, 1, b"{}");
    let outcome = match call.service.parts.executor.invoke(call.session.scope(), proposal).await {
        Submitted::Settled(outcome) => outcome,
        // dropping it ends the call: no button of this page asks for a decision
        Submitted::Awaiting(..) => return Err(because("caller_cannot_confirm")),
    };
    let result = outcome.result().and_then(|text| RawValue::from_string(text.to_owned()).ok());
    let refused = || because(outcome.code().unwrap_or_else(|| word(&outcome)));
    Ok(Answer { result: result.ok_or_else(refused)?, cookie: None, browser: None })
}

const fn word(outcome: &Outcome) -> &'static str {
    outcome.kind().word()
}

fn because(code: &'static str) -> RpcError {
    RpcError::because(code, format!("it was not done: {code}"))
}
