//! The only source of randomness: confirmation tokens and boot ids come from here.

/// The system gave no random bytes; nothing that needs a token can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system's random source gave nothing")]
#[non_exhaustive]
pub struct EntropyError;

/// Random bytes that nobody else can predict.
///
/// A program uses [`SystemEntropy`]; tests inject a counted source to make ids and tokens repeat.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of randomness",
    label = "not an `Entropy`",
    note = "leave it out for the randomness of the system"
)]
pub trait Entropy: Send + Sync + 'static {
    /// Fills `bytes` with random bytes.
    ///
    /// # Errors
    /// When no randomness can be had; nothing is then confirmed or started.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError>;
}

/// The operating system's generator (`getrandom(2)` on Linux).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        getrandom::fill(bytes).map_err(|_| EntropyError)
    }
}
