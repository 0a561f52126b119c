//! What there is, and who may use it.

use super::{Answer, Call, RpcError, plain};
use crate::legs::look;
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use sovereign_backends::{Guarded, LegState};
use sovereign_core::backend::{Backend as _, BackendIdentity};
use sovereign_core::caller::{Category, ScopeKind, Unavailable};
use sovereign_core::capability::{Confirmation, Descriptor, Network, SideEffect};
use sovereign_core::policy::Explanation;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a backend may take to say whether it could answer.
const PROBE: Duration = Duration::from_secs(5);
/// How long what they said is still said.
const FRESH: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: u32,
    description: &'static str,
    category: Category,
    side_effect: SideEffect,
    network: Network,
    confirmation: Confirmation,
    allowed: bool,
    why: Why,
}

/// Where the answer comes from, and what an operator would do to change it.
#[derive(Serialize)]
struct Why {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    granted: bool,
    enabled: bool,
    /// The whole story, a line each.
    lines: Vec<String>,
    change: Vec<String>,
}

/// Everything that is installed, allowed or not.
pub(crate) async fn list_tools(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    let executor = &call.service.parts.executor;
    let tool = |d: &'static Descriptor| {
        let explained = executor.policy().explain(&call.session.scope(), d);
        Tool {
            name: d.name(),
            version: d.version(),
            description: d.description(),
            category: d.category(),
            side_effect: d.side_effect,
            network: d.network,
            confirmation: d.confirmation(),
            allowed: explained.refused().is_none(),
            why: why(&explained, d),
        }
    };
    let tools: Vec<Tool> = executor.registry().descriptors().map(tool).collect();
    plain(&json!({ "tools": tools }))
}

fn why(explained: &Explanation, d: &Descriptor) -> Why {
    let enabled = explained.switch.as_ref().is_ok_and(|state| state.enabled);
    let grant = (!explained.holds_category).then(|| format!("grant `{}`", d.category()));
    let switch = (!enabled).then(|| format!("switch on `{}`", d.name()));
    Why {
        code: explained.refused(),
        granted: explained.holds_category,
        enabled,
        lines: explained.to_string().lines().map(|line| line.trim().to_owned()).collect(),
        change: grant.into_iter().chain(switch).collect(),
    }
}

#[derive(Serialize)]
struct Scope {
    scope: ScopeKind,
    categories: Vec<Held>,
}

#[derive(Serialize)]
struct Held {
    category: String,
    held: bool,
    meaning: &'static str,
}

/// Which kind of caller holds which category, and what that means.
pub(crate) async fn grants_get(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    let parts = &call.service.parts;
    let mut custom = BTreeSet::new();
    for d in parts.executor.registry().descriptors() {
        if let Category::Custom(_) = d.category() {
            custom.insert(d.category().to_string());
        }
    }
    let held = |kind| parts.grants.held(kind).map_err(unavailable);
    let scopes = [
        (ScopeKind::Operator, held(ScopeKind::Operator)?),
        (ScopeKind::Mesh, held(ScopeKind::Mesh)?),
    ];
    let words = scopes.iter().flat_map(|(_, held)| held.words());
    custom.extend(words.filter(|word| word.starts_with("custom:")));
    let of = |(scope, held): &(ScopeKind, sovereign_core::caller::Categories)| {
        let held = held.words();
        let standard = Category::STANDARD.map(|c| (c.to_string(), meaning(c)));
        let others = custom.iter().map(|word| (word.clone(), meaning(Category::Custom(""))));
        let categories = standard.into_iter().chain(others);
        let categories = categories.map(|(category, meaning)| {
            let held = held.contains(&category);
            Held { category, held, meaning }
        });
        Scope { scope: *scope, categories: categories.collect() }
    };
    plain(&json!({ "scopes": scopes.iter().map(of).collect::<Vec<_>>() }))
}

/// What holding it means, in plain words.
const fn meaning(category: Category) -> &'static str {
    match category {
        Category::Apps => {
            "may ask what applications are installed, and propose to start or stop them"
        }
        Category::System => "may ask how this machine is: space, load, temperature",
        Category::Network => "may ask about the local network and the devices on it",
        Category::Wallet => "may ask about money, and propose to move it",
        Category::Files => "may ask for the household's files, and propose to change them",
        Category::Media => "may ask about music, pictures and films, and propose to play them",
        Category::Search => {
            "may propose to search and read the web; what is searched for leaves here"
        }
        Category::AiLocal => "may use other models that run on this device",
        Category::Notes => "may read notes, and propose to write them",
        Category::Bitcoin => "may ask about the Bitcoin node",
        Category::Custom(_) => "belongs to a plugin, whose page says what it is about",
    }
}

#[derive(Serialize)]
struct Capability {
    name: &'static str,
    version: u32,
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    category: Category,
    side_effect: SideEffect,
    network: Network,
}

/// What is switched on on this device.
pub(crate) async fn policy_get(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    let parts = &call.service.parts;
    parts.policy.check().map_err(unavailable)?;
    let capability = |d: &'static Descriptor| {
        let switch = parts.executor.policy().explain(&call.session.scope(), d).switch.ok();
        Capability {
            name: d.name(),
            version: d.version(),
            enabled: switch.as_ref().is_some_and(|state| state.enabled),
            source: switch.map(|state| state.source.to_string()),
            category: d.category(),
            side_effect: d.side_effect,
            network: d.network,
        }
    };
    let registry = parts.executor.registry();
    let capabilities: Vec<Capability> = registry.descriptors().map(capability).collect();
    let stale = parts.policy.stale(registry).map_err(unavailable)?;
    plain(&json!({
        "remote_inference": parts.policy.remote_inference(),
        "capabilities": capabilities,
        "stale": stale,
    }))
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unavailable(why: Unavailable) -> RpcError {
    tracing::error!(%why, "grants or policy cannot be read");
    RpcError::because("policy_unavailable", "grants or policy cannot be read: everything is off")
}

#[derive(Serialize)]
struct Leg {
    #[serde(flatten)]
    identity: BackendIdentity,
    state: &'static str,
    /// `open` or `half_open`, when it did not answer the last turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    circuit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Who could answer, in order of preference; all are asked at once, and not again within a while.
pub(crate) async fn backends(call: Call) -> Result<Answer, RpcError> {
    call.no_params()?;
    let mut probed = call.service.probed.lock().await;
    let now = call.service.parts.clock.now();
    if let Some((at, said)) = &*probed
        && now.since(*at) < FRESH
    {
        return plain(said);
    }
    let legs = (call.service.parts.legs)().into_iter();
    let asked: Vec<_> = legs.map(|leg| tokio::spawn(async move { state(&leg).await })).collect();
    let mut legs = Vec::new();
    for leg in asked {
        legs.push(leg.await.map_err(|_| RpcError::INTERNAL)?);
    }
    let said = to_raw_value(&json!({ "legs": legs })).map_err(|_| RpcError::INTERNAL)?;
    *probed = Some((now, said.clone()));
    plain(&said)
}

async fn state(leg: &Guarded) -> Leg {
    let identity = leg.identity();
    let (ready, circuit) = match tokio::time::timeout(PROBE, look(leg)).await {
        Ok((ready, circuit)) => (ready.map_err(|error| error.to_string()), circuit),
        Err(_) => (Err(format!("no answer within {} seconds", PROBE.as_secs())), None),
    };
    let state = if ready.is_ok() { "ready" } else { "not_ready" };
    let reason = ready.err().or_else(|| circuit.as_ref().map(ToString::to_string));
    let circuit = circuit.and_then(|circuit| match circuit {
        LegState::Closed { .. } => None,
        LegState::Open { .. } => Some("open"),
        LegState::HalfOpen { .. } => Some("half_open"),
    });
    Leg { identity, state, circuit, reason }
}
