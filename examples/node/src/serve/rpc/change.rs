//! Grants and switches: recorded first, then changed.

use super::{Answer, Call, RpcError, plain};
use serde::Deserialize;
use serde_json::{Value, json};
use sovereign_core::caller::ScopeKind;
use sovereign_core::executor::{AdministrationError, Switched};
use sovereign_core::policy::RemoteInference;

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Scope {
    Operator,
    Mesh,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    scope: Scope,
    category: String,
    held: bool,
}

/// Grants a category or takes it away; it counts at the next ask, also for what is pending.
pub(crate) async fn grants_set(call: Call) -> Result<Answer, RpcError> {
    let Grant { scope, category, held } = call.params.read()?;
    let scope = match scope {
        Scope::Operator => ScopeKind::Operator,
        Scope::Mesh => ScopeKind::Mesh,
    };
    let administration = &call.service.parts.administration;
    let changed = if held {
        administration.grant(scope, &category).await
    } else {
        administration.revoke(scope, &category).await
    };
    plain(&json!({ "changed": changed.map_err(not_changed)? }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    target: Option<String>,
    enabled: Option<bool>,
    remote_inference: Option<RemoteInference>,
}

/// Switches a capability or a namespace, or says whether models elsewhere may be asked.
pub(crate) async fn policy_set(call: Call) -> Result<Answer, RpcError> {
    let asked: Policy = call.params.read()?;
    let administration = &call.service.parts.administration;
    match asked {
        Policy { target: Some(target), enabled: Some(enabled), remote_inference: None } => {
            let switched = if enabled {
                administration.enable(&target).await
            } else {
                administration.disable(&target).await
            };
            let switched = switched.map_err(not_changed)?;
            plain(&json!({ "switched": switched.iter().map(shown).collect::<Vec<_>>() }))
        }
        Policy { target: None, enabled: None, remote_inference: Some(remote) } => {
            let changed = administration.set_remote_inference(remote).await;
            let switched: [Value; 0] = [];
            let changed = changed.map_err(not_changed)?;
            plain(&json!({ "switched": switched, "changed": changed }))
        }
        _ => Err(RpcError::invalid_params(
            "give `target` and `enabled`, or `remote_inference` alone",
        )),
    }
}

fn shown(switched: &Switched) -> Value {
    json!({
        "name": switched.name,
        "version": switched.version,
        "enabled": switched.enabled,
        "changed": switched.changed,
    })
}

fn not_changed(error: AdministrationError) -> RpcError {
    match error {
        AdministrationError::UnknownCategory(_) => {
            RpcError::because("unknown_category", "there is no such category")
        }
        AdministrationError::UnknownTarget(_) => {
            RpcError::because("unknown_target", "no installed capability has this name")
        }
        error => {
            tracing::error!(%error, "a change was not made");
            RpcError::NOT_CHANGED
        }
    }
}
