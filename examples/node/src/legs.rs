//! The backends of this node, as its configuration has them.

use crate::config::{Backends, Paid, Pay};
use crate::exit::NodeError;
use sovereign_backends::routstr::{Payment, Purse, PurseError};
use sovereign_backends::{
    BaseUrl, Claude, Guarded, KeyFile, Keyword, LegState, Ollama, OllamaConfig, OpenAi,
    OpenAiConfig, Routstr, guarded, in_order,
};
use sovereign_core::backend::{Backend, BackendError};
use sovereign_core::clock::Clock;
use std::sync::Arc;

/// One backend, and where it takes its answers and its key from.
#[derive(Clone)]
pub(crate) struct Leg {
    /// One for the whole process: what it knows of a leg that does not answer holds for everybody.
    pub(crate) backend: Arc<Guarded>,
    /// None for the one without a model.
    pub(crate) at: Option<BaseUrl>,
    pub(crate) key: Option<KeyFile>,
    /// Nobody wrote it into the configuration: without its key it is not there, and nobody is told
    /// with every answer that it is missing.
    only_with_key: bool,
}

impl Leg {
    /// Whether a conversation that begins now would ask it.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.only_with_key || self.key.as_ref().is_some_and(KeyFile::is_there)
    }
}

/// A leg before its place among the others is known.
struct Unplaced {
    backend: Arc<dyn Backend>,
    at: Option<BaseUrl>,
    key: Option<KeyFile>,
    only_with_key: bool,
}

impl Unplaced {
    fn new(backend: impl Backend, at: BaseUrl, key: Option<KeyFile>) -> Self {
        Self { backend: Arc::new(backend), at: Some(at), key, only_with_key: false }
    }
}

/// How the purse is opened: by whoever may pay from it, or to look.
pub(crate) type Opening<'a> = &'a dyn Fn() -> Result<Purse, PurseError>;

/// All of them, in the order in which they are asked, each with its guard.
pub(crate) fn legs(
    backends: &Backends,
    clock: &Arc<dyn Clock>,
    purse: Opening<'_>,
) -> Result<Vec<Leg>, NodeError> {
    let mut legs = Vec::new();
    if let Some(config) = &backends.ollama {
        legs.push(ollama(config.clone())?);
    }
    for config in &backends.openai {
        legs.push(openai(config.clone())?);
    }
    if let Some(config) = &backends.claude {
        let (at, key) = (config.base_url.clone(), config.key.clone());
        let leg = Unplaced::new(Claude::new(config.clone())?, at, key);
        legs.push(Unplaced { only_with_key: backends.claude_by_key, ..leg });
    }
    if let Some(paid) = &backends.routstr {
        legs.push(routstr(paid, purse)?);
    }
    let keyword = Arc::new(Keyword::new());
    legs.push(Unplaced { backend: keyword, at: None, key: None, only_with_key: false });
    Ok(placed(legs, clock))
}

fn ollama(config: OllamaConfig) -> Result<Unplaced, BackendError> {
    let at = config.base_url.clone();
    Ok(Unplaced::new(Ollama::new(config)?, at, None))
}

fn openai(config: OpenAiConfig) -> Result<Unplaced, BackendError> {
    let (at, key) = (config.base_url.clone(), config.key.clone());
    Ok(Unplaced::new(OpenAi::new(config)?, at, key))
}

/// The purse is opened here and stays open as long as the leg is there.
fn routstr(paid: &Paid, purse: Opening<'_>) -> Result<Unplaced, NodeError> {
    let payment = match &paid.pay {
        Pay::Key(key) => Payment::Key(key.clone()),
        Pay::Purse => Payment::Purse(Arc::new(purse()?)),
    };
    let leg = Routstr::new(paid.by(payment))?;
    Ok(Unplaced::new(leg, paid.base_url.clone(), paid.key().cloned()))
}

/// As `in_order` puts the backends in them.
fn placed(mut legs: Vec<Unplaced>, clock: &Arc<dyn Clock>) -> Vec<Leg> {
    let order = in_order(legs.iter().map(|leg| Arc::clone(&leg.backend)).collect());
    legs.sort_by_key(|leg| order.iter().position(|other| Arc::ptr_eq(other, &leg.backend)));
    let leg = |(leg, backend): (Unplaced, Arc<Guarded>)| {
        let Unplaced { at, key, only_with_key, .. } = leg;
        Leg { backend, at, key, only_with_key }
    };
    legs.into_iter().zip(guarded(order, clock)).map(leg).collect()
}

/// What a leg says when somebody looks, and how its circuit stands when that is not closed.
///
/// A look counts for nothing, or else looking at a server that is still starting would keep turns away
/// from it. A leg that is left alone is not asked.
pub(crate) async fn look(leg: &Guarded) -> (Result<(), BackendError>, Option<LegState>) {
    match leg.state() {
        LegState::Closed { .. } => (leg.unguarded().ready().await, None),
        open @ LegState::Open { .. } => (leg.ready().await, Some(open)),
        half_open @ LegState::HalfOpen { .. } => (leg.unguarded().ready().await, Some(half_open)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Leg, legs};
    use crate::config::Backends;
    use sovereign_backends::{ClaudeConfig, OllamaConfig, OpenAiConfig};
    use sovereign_core::backend::Backend as _;
    use sovereign_core::clock::SystemClock;
    use std::sync::Arc;

    fn models(legs: &[Leg]) -> Vec<String> {
        let model = |leg: &Leg| leg.backend.identity().model.unwrap_or_default();
        legs.iter().map(model).collect()
    }

    #[test]
    fn what_is_on_this_device_is_asked_first_and_the_one_without_a_model_last() {
        let home = tempfile::tempdir().unwrap();
        sovereign_core::files::create_private_dir(&home.path().join("data")).unwrap();
        let openai = |url: &str, model: &str| OpenAiConfig::new(url.parse().unwrap(), model);
        let backends = Backends {
            ollama: Some(OllamaConfig::new("http://10.0.0.2:11434".parse().unwrap(), "elsewhere")),
            openai: vec![
                openai("https://a.example/v1", "far"),
                openai("http://127.0.0.1:8080/v1", "near"),
            ],
            claude: Some(ClaudeConfig::in_data_dir(home.path().join("data")).unwrap()),
            claude_by_key: true,
            routstr: None,
        };
        let clock = Arc::new(SystemClock::default()) as _;
        let legs = legs(&backends, &clock, &|| panic!("nothing is paid")).unwrap();
        let haiku = sovereign_backends::claude::CLAUDE_MODEL;
        assert_eq!(models(&legs), ["near", "elsewhere", "far", haiku, ""]);
        let wanted = |legs: &[Leg]| {
            models(&legs.iter().filter(|leg| leg.is_wanted()).cloned().collect::<Vec<_>>())
        };
        assert_eq!(
            wanted(&legs),
            ["near", "elsewhere", "far", ""],
            "nobody spoke of the other one"
        );
        legs[3].key.as_ref().unwrap().put(b"sk-ant-0").unwrap();
        assert_eq!(wanted(&legs), ["near", "elsewhere", "far", haiku, ""]);
    }
}
