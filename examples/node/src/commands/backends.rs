use crate::assemble::Node;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::legs::{Leg, legs, look};
use crate::terminal::{Style, json, named, print};
use serde::Serialize;
use sovereign_backends::Keyword;
use sovereign_backends::routstr::Purse;
use sovereign_core::backend::{
    Backend as _, BackendError, BackendIdentity, FailureClass, Locality,
};
use sovereign_core::clock::{Clock, SystemClock};
use sovereign_core::display::Prose;
use sovereign_core::policy::RemoteInference;
use std::fmt::Write as _;
use std::sync::Arc;

/// What can be said of a backend without asking a model anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ability {
    /// It would be asked.
    Ready,
    /// A person would be asked first, each turn.
    Asks,
    /// Policy keeps everything on this device.
    Off,
    /// It could not answer now.
    NotReady,
}

/// One backend as a person reads it.
#[derive(Debug, Serialize)]
pub(super) struct Seen {
    #[serde(flatten)]
    pub(super) identity: BackendIdentity,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<String>,
    pub(super) state: Ability,
    /// How its circuit stands, when it did not answer the last turns of this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) circuit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_do: Option<String>,
}

/// Each backend in the order in which they are asked.
pub(crate) async fn backends(
    data: &DataDir,
    config: &Config,
    as_json: bool,
) -> Result<Exit, NodeError> {
    let remote = data.files().1.remote_inference();
    let seen = fresh(data, config, remote).await?;
    let text = if as_json { json(&seen) } else { Ok(shown(&seen, remote, Style::of_stdout())) };
    text.and_then(|text| print(&text)).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// What this configuration leads to, in a process that has asked nobody yet.
pub(super) async fn fresh(
    data: &DataDir,
    config: &Config,
    remote: RemoteInference,
) -> Result<Vec<Seen>, NodeError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    Ok(see(&legs(&config.backends, &clock, &|| Purse::look(&data.purse()))?, remote).await)
}

/// The backends of a node that talks, with what it found out about them.
pub(super) async fn of_node(node: &Node, style: Style) -> String {
    let remote = node.remote_inference();
    shown(&see(node.all_legs(), remote).await, remote, style)
}

/// Asks each whether it could answer.
async fn see(legs: &[Leg], remote: RemoteInference) -> Vec<Seen> {
    let mut seen = Vec::new();
    for leg in legs {
        let (ready, circuit) = look(&leg.backend).await;
        // asking may have found out that the model is elsewhere
        let identity = leg.backend.identity();
        let (state, reason, to_do) = judge(leg, &identity, ready, remote);
        // what is not ready says why by itself
        let circuit = circuit.filter(|_| state != Ability::NotReady).map(|how| how.to_string());
        let at = leg.at.as_ref().map(ToString::to_string);
        seen.push(Seen { identity, at, state, circuit, reason, to_do });
    }
    seen
}

fn judge(
    leg: &Leg,
    identity: &BackendIdentity,
    ready: Result<(), BackendError>,
    remote: RemoteInference,
) -> (Ability, Option<String>, Option<String>) {
    let said = |text: &str| Some(text.to_owned());
    match (ready, identity.locality, remote) {
        (Err(error), ..) => {
            let to_do = to_do(leg, identity, error.class());
            (Ability::NotReady, Some(error.to_string()), to_do)
        }
        (Ok(()), Locality::Local, _) | (Ok(()), Locality::Remote, RemoteInference::Always) => {
            (Ability::Ready, None, None)
        }
        (Ok(()), Locality::Remote, RemoteInference::Ask) => {
            (Ability::Asks, said("you are asked once a turn, before anything is sent"), None)
        }
        (Ok(()), Locality::Remote, RemoteInference::Never) => (
            Ability::Off,
            said("policy keeps every turn on this device"),
            said("`sovereign-node policy remote ask` lets you decide each turn"),
        ),
    }
}

fn to_do(leg: &Leg, identity: &BackendIdentity, class: FailureClass) -> Option<String> {
    let remote = identity.locality == Locality::Remote;
    let key = leg.key.as_ref().and_then(|key| key.path().file_name()?.to_str());
    Some(match (identity.id, class, key) {
        ("claude", FailureClass::Unsupported, Some(_)) if remote => {
            "`sovereign-node keys set claude`".to_owned()
        }
        ("routstr", FailureClass::Unsupported, None) => "`sovereign-node purse add`".to_owned(),
        (_, FailureClass::Unsupported, Some(key)) => format!("`sovereign-node keys set {key}`"),
        ("ollama", FailureClass::Unsupported, _) if remote => {
            "name a model that runs on this device".to_owned()
        }
        (_, FailureClass::Unsupported, None) if remote => {
            "give it a `key` in the configuration, and put that in its place with \
             `sovereign-node keys set`"
                .to_owned()
        }
        ("ollama", FailureClass::Unreachable, _) => {
            "start Ollama, or say in the configuration where it is".to_owned()
        }
        ("ollama", FailureClass::Unsupported, _) => {
            let model = identity.model.as_deref().unwrap_or_default();
            format!("`ollama pull {model}`, or name another model in the configuration")
        }
        (_, FailureClass::Unreachable, _) => {
            "start it, or say in the configuration where it is".to_owned()
        }
        _ => return None,
    })
}

fn shown(seen: &[Seen], remote: RemoteInference, style: Style) -> String {
    let mut text = String::new();
    for (place, one) in (1_u32..).zip(seen) {
        let state = match one.state {
            Ability::Ready => "ready",
            Ability::Asks => "ready, asks you first",
            Ability::Off => "off",
            Ability::NotReady => "not ready",
        };
        // writing to a String cannot fail
        let _ = writeln!(text, "{place}  {}: {}", named(&one.identity), style.bold(state));
        if let Some(at) = &one.at {
            let _ = writeln!(text, "   {}", style.dim(format!("at {}", Prose(at))));
        }
        for reason in one.circuit.iter().chain(&one.reason) {
            let _ = writeln!(text, "   {}", Prose(reason));
        }
        if let Some(to_do) = &one.to_do {
            let _ = writeln!(text, "   to do: {}", Prose(to_do));
        }
        if one.identity.id == Keyword::ID {
            let _ = writeln!(text, "   matches your words with the catalog");
        }
    }
    let _ = writeln!(text, "Models off this device: {}", remote_said(remote));
    text
}

/// What policy says of models off this device, for a person.
pub(super) const fn remote_said(remote: RemoteInference) -> &'static str {
    match remote {
        RemoteInference::Never => "never (no turn is sent to one)",
        RemoteInference::Ask => "ask (you decide once a turn, before anything is sent)",
        RemoteInference::Always => {
            "always (turns are sent without a question, each send is recorded)"
        }
    }
}
