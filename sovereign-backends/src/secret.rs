//! Keys of model providers: read from a private file when they are needed, and never shown.
use reqwest::header::HeaderValue;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use sovereign_core::backend::{BackendError, FailureClass};
use sovereign_core::files::{self, FileError};
use std::path::{Path, PathBuf};

/// The longest key file that is read.
const MAX_KEY_BYTES: u64 = 4096;

/// Where one key is kept: `data_dir/secrets/NAME`, a file that only its owner may read.
///
/// It is read anew for each exchange, so that a key that was replaced or removed counts at once, and
/// none stays in memory between exchanges.
///
/// ```
/// use sovereign_backends::KeyFile;
///
/// let key = KeyFile::new("/var/lib/sovereign", "claude-api-key");
/// assert_eq!(key.path().to_str(), Some("/var/lib/sovereign/secrets/claude-api-key"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile(PathBuf);

impl KeyFile {
    /// The key of that name in that data directory. Nothing is read yet.
    #[must_use]
    pub fn new(data_dir: impl AsRef<Path>, name: &str) -> Self {
        Self(data_dir.as_ref().join("secrets").join(name))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// # Errors
    /// When there is none, others may read it, or it holds no key; the reason names the file and
    /// nothing of what is in it.
    pub(crate) fn read(&self) -> Result<SecretKey, BackendError> {
        let unusable = |why: &str| {
            let reason = format!("the key file `{}` {why}", self.0.display());
            BackendError::new(FailureClass::Unsupported, reason)
        };
        let bytes = match files::read_private(&self.0, MAX_KEY_BYTES) {
            Ok(bytes) => Zeroizing::new(bytes),
            Err(FileError::Missing { .. }) => return Err(unusable("is not there")),
            Err(error) => {
                return Err(BackendError::new(
                    FailureClass::Unsupported,
                    format!("its key is not used: {error}"),
                ));
            }
        };
        let text = std::str::from_utf8(&bytes).map(str::trim_ascii_end).unwrap_or_default();
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(unusable("does not hold one line of printable characters"));
        }
        Ok(SecretKey(SecretString::from(text)))
    }
}

/// A key for the length of one exchange; overwritten when dropped. Nothing prints or serialises it.
pub(crate) struct SecretKey(SecretString);

impl SecretKey {
    /// As a header value that HTTP does not log; the copies that HTTP makes are not overwritten.
    pub(crate) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut text = Zeroizing::new(String::from(prefix));
        text.push_str(self.0.expose_secret());
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

#[cfg(test)]
#[path = "secret_tests.rs"]
mod tests;
