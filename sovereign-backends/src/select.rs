//! Which backend is asked first.
use crate::{Guarded, Keyword, Ollama, OllamaConfig};
use sovereign_core::backend::{Backend, BackendError, Locality};
use sovereign_core::clock::Clock;
use std::sync::Arc;

/// The legs of a turn in the order in which they are asked: on this device, then elsewhere, then the
/// one without a model. Legs of one kind keep their order.
///
/// The turn's driver asks each whether it is [ready](Backend::ready), goes on with the next one when
/// it is not or when it fails, and shows the reasons (E07).
#[must_use]
pub fn in_order(mut legs: Vec<Arc<dyn Backend>>) -> Vec<Arc<dyn Backend>> {
    legs.sort_by_key(|leg| {
        let identity = leg.identity();
        match identity.locality {
            _ if identity.id == Keyword::ID => 2,
            Locality::Local => 0,
            Locality::Remote => 1,
        }
    });
    legs
}

/// Each leg with a circuit breaker around it, in the same order: hand them to a conversation, and keep
/// them to show their [state](Guarded::state). The keyword backend has nothing that could fail, and
/// stays closed.
///
/// # Example
/// ```
/// use sovereign_backends::{guarded, local_first};
/// use sovereign_core::clock::SystemClock;
/// use sovereign_core::backend::Backend;
/// use std::sync::Arc;
/// let legs = guarded(local_first([])?, &(Arc::new(SystemClock::default()) as _));
/// for leg in &legs {
///     println!("{}: {}", leg.identity().id, leg.state());
/// }
/// let legs: Vec<Arc<dyn Backend>> = legs.into_iter().map(|leg| leg as _).collect();
/// # assert_eq!(legs.len(), 1);
/// # Ok::<(), sovereign_core::backend::BackendError>(())
/// ```
#[must_use]
pub fn guarded(
    legs: impl IntoIterator<Item = Arc<dyn Backend>>,
    clock: &Arc<dyn Clock>,
) -> Vec<Arc<Guarded>> {
    legs.into_iter().map(|leg| Arc::new(Guarded::new(leg, Arc::clone(clock)))).collect()
}

/// The legs of a node: the configured Ollama models, and the keyword backend, which is always there.
///
/// # Errors
/// When the HTTP client cannot be set up.
pub fn local_first(
    ollama: impl IntoIterator<Item = OllamaConfig>,
) -> Result<Vec<Arc<dyn Backend>>, BackendError> {
    let mut legs: Vec<Arc<dyn Backend>> = vec![Arc::new(Keyword::new())];
    for config in ollama {
        legs.push(Arc::new(Ollama::new(config)?));
    }
    Ok(in_order(legs))
}

#[cfg(test)]
mod tests {
    use super::local_first;
    use crate::OllamaConfig;

    #[test]
    fn local_legs_come_before_remote_ones_and_keyword_is_last() {
        let at = |url: &str, model: &str| OllamaConfig::new(url.parse().unwrap(), model);
        let legs = local_first([
            at("http://10.0.0.2:11434", "far"),
            at("http://127.0.0.1:11434", "gpt-oss:120b-cloud"),
            at("http://127.0.0.1:11434", "near"),
            at("http://localhost:11434", "nearer"),
        ])
        .unwrap();
        let order: Vec<_> = legs
            .iter()
            .map(|leg| leg.identity().model.unwrap_or_else(|| leg.identity().id.to_owned()))
            .collect();
        assert_eq!(order, ["near", "nearer", "far", "gpt-oss:120b-cloud", "keyword"]);
    }
}
