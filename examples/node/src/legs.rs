//! The backends of this node, as its configuration has them.

use crate::config::Backends;
use sovereign_backends::{
    BaseUrl, Claude, KeyFile, Keyword, Ollama, OllamaConfig, OpenAi, OpenAiConfig, in_order,
};
use sovereign_core::backend::{Backend, BackendError};
use std::sync::Arc;

/// One backend, and where it takes its answers and its key from.
#[derive(Clone)]
pub(crate) struct Leg {
    pub(crate) backend: Arc<dyn Backend>,
    /// None for the one without a model.
    pub(crate) at: Option<BaseUrl>,
    pub(crate) key: Option<KeyFile>,
    /// Nobody wrote it into the configuration: without its key it is not there, and nobody is told
    /// with every answer that it is missing.
    only_with_key: bool,
}

impl Leg {
    fn new(backend: impl Backend, at: BaseUrl, key: Option<KeyFile>) -> Self {
        Self { backend: Arc::new(backend), at: Some(at), key, only_with_key: false }
    }

    /// Whether a conversation that begins now would ask it.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.only_with_key || self.key.as_ref().is_some_and(KeyFile::is_there)
    }
}

/// All of them, in the order in which they are asked.
pub(crate) fn legs(backends: &Backends) -> Result<Vec<Leg>, BackendError> {
    let mut legs = Vec::new();
    if let Some(config) = &backends.ollama {
        legs.push(ollama(config.clone())?);
    }
    for config in &backends.openai {
        legs.push(openai(config.clone())?);
    }
    if let Some(config) = &backends.claude {
        let (at, key) = (config.base_url.clone(), config.key.clone());
        let leg = Leg::new(Claude::new(config.clone())?, at, key);
        legs.push(Leg { only_with_key: backends.claude_by_key, ..leg });
    }
    let keyword = Arc::new(Keyword::new());
    legs.push(Leg { backend: keyword, at: None, key: None, only_with_key: false });
    Ok(ordered(legs))
}

fn ollama(config: OllamaConfig) -> Result<Leg, BackendError> {
    let at = config.base_url.clone();
    Ok(Leg::new(Ollama::new(config)?, at, None))
}

fn openai(config: OpenAiConfig) -> Result<Leg, BackendError> {
    let (at, key) = (config.base_url.clone(), config.key.clone());
    Ok(Leg::new(OpenAi::new(config)?, at, key))
}

/// As `in_order` puts the backends in them.
fn ordered(mut legs: Vec<Leg>) -> Vec<Leg> {
    let order = in_order(legs.iter().map(|leg| Arc::clone(&leg.backend)).collect());
    legs.sort_by_key(|leg| order.iter().position(|other| Arc::ptr_eq(other, &leg.backend)));
    legs
}

#[cfg(test)]
mod tests {
    use super::{Leg, legs};
    use crate::config::Backends;
    use sovereign_backends::{ClaudeConfig, OllamaConfig, OpenAiConfig};

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
        };
        let legs = legs(&backends).unwrap();
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
