//! Keys of model providers: put into a private file, read from it when they are needed, never shown.
use reqwest::header::HeaderValue;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use sovereign_core::backend::{BackendError, FailureClass};
use sovereign_core::files::{self, FileError};
use std::path::{Path, PathBuf};

/// The longest key file that is read.
const MAX_KEY_BYTES: u64 = 4096;

/// Why a key was not put into its place, or not taken from it. It holds nothing of the key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// What was given is no key.
    #[error("a key is one line of at most {MAX_KEY_BYTES} printable characters without blanks")]
    Malformed,
    /// Its file or directory cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

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

    /// Whether there is something in its place, usable or not.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.0.symlink_metadata().is_ok()
    }

    /// Whether it could be used now.
    ///
    /// # Errors
    /// When there is none, others may read it, or it holds no key; the reason names the file and
    /// nothing of what is in it.
    pub fn check(&self) -> Result<(), BackendError> {
        self.read().map(drop)
    }

    /// Puts a key in the place of the one that was there, whole or not at all: a file that only this
    /// user may read (0600), in a directory that only this user may enter. White space around it is
    /// not part of it. It counts for the next exchange.
    ///
    /// # Errors
    /// When it is no key, or the file or its directory cannot be used.
    ///
    /// # Example
    /// ```
    /// use sovereign_backends::KeyFile;
    /// # let home = tempfile::tempdir().unwrap();
    /// # let data = home.path().join("data");
    /// sovereign_core::files::create_private_dir(&data).unwrap();
    /// let key = KeyFile::new(&data, "claude-api-key");
    /// assert!(key.put(b"two words").is_err() && !key.is_there());
    /// key.put(b"sk-ant-0\n").unwrap();
    /// assert!(key.check().is_ok() && key.remove().unwrap());
    /// ```
    pub fn put(&self, key: &[u8]) -> Result<(), KeyError> {
        let key = key.trim_ascii();
        let limit = usize::try_from(MAX_KEY_BYTES).unwrap_or(usize::MAX);
        if !is_key(key) || key.len() > limit {
            return Err(KeyError::Malformed);
        }
        if let Some(directory) = self.0.parent() {
            files::create_private_dir(directory)?;
        }
        Ok(files::write_private(&self.0, key)?)
    }

    /// Takes the key away; says whether there was one.
    ///
    /// # Errors
    /// When its directory is not a private one, or the file cannot be removed.
    pub fn remove(&self) -> Result<bool, KeyError> {
        match self.0.parent().map(files::check_private_dir) {
            Some(Err(FileError::Missing { .. })) => return Ok(false),
            Some(checked) => checked?,
            None => {}
        }
        Ok(files::remove_private(&self.0)?)
    }

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
        if !is_key(text.as_bytes()) {
            return Err(unusable("does not hold one line of printable characters"));
        }
        Ok(SecretKey(SecretString::from(text)))
    }
}

/// Nothing in it can end a header or begin another.
fn is_key(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic)
}

/// A key for the length of one exchange; overwritten when dropped. Nothing prints or serialises it.
pub(crate) struct SecretKey(SecretString);

impl SecretKey {
    pub(crate) const fn new(text: SecretString) -> Self {
        Self(text)
    }

    pub(crate) fn starts_with(&self, prefix: &str) -> bool {
        self.0.expose_secret().starts_with(prefix)
    }

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
