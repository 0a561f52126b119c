//! Whether the model has read all that it was sent.
//!
//! Ollama is told to refuse an over-long prompt, and some versions and models cut it all the same:
//! status 200, no mark, and a count of about half the window (ollama#17889, #17427, #10980). An answer
//! to a conversation without its beginning is none.
use super::OllamaConfig;
use sovereign_core::backend::{BackendError, FailureClass, Usage};

/// No text of any length has fewer tokens than this many bytes per token.
const MOST_BYTES_PER_TOKEN: usize = 8;

/// # Errors
/// When what was sent cannot have fitted, or a count of half the window says that it was cut. A low
/// count alone says nothing: some versions do not count what they still had from the round before.
pub(super) fn check(
    config: &OllamaConfig,
    sent_bytes: usize,
    usage: Usage,
) -> Result<(), BackendError> {
    let least = u64::try_from(sent_bytes / MOST_BYTES_PER_TOKEN).unwrap_or(u64::MAX);
    let (window, read) = (u64::from(config.num_ctx), usage.input);
    let half = window / 2;
    let at_half = read.abs_diff(half) <= window / 32;
    if least > window || (at_half && least > read) {
        let reason = format!(
            "the conversation does not fit its window of {window} tokens, and it read {read} of at least {least}"
        );
        return Err(BackendError::new(FailureClass::TooLong, reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::ollama::{OLLAMA_BASE_URL, OllamaConfig};
    use sovereign_core::backend::{FailureClass, Usage};

    fn is_cut(sent_bytes: usize, input: u64) -> bool {
        let config = OllamaConfig::new(OLLAMA_BASE_URL.parse().unwrap(), "m");
        let checked = check(
            &OllamaConfig { num_ctx: 4096, ..config },
            sent_bytes,
            Usage { input, output: 1 },
        );
        checked.is_err_and(|error| error.class() == FailureClass::TooLong)
    }

    #[test]
    fn a_prompt_that_was_cut_in_half_is_noticed() {
        assert!(is_cut(20_000, 2050), "at least 2500 tokens were sent, 2050 were read");
        assert!(is_cut(20_000, 2048));
        assert!(!is_cut(16_000, 2050), "2050 tokens may be all of it");
        assert!(!is_cut(20_000, 3900), "all of it");
        assert!(!is_cut(20_000, 40), "only what was new");
        assert!(!is_cut(20_000, 0), "not counted");
    }

    #[test]
    fn a_prompt_that_cannot_fit_was_not_read() {
        assert!(is_cut(40_000, 0));
        assert!(is_cut(40_000, 4096));
        assert!(!is_cut(30_000, 4000));
    }
}
