use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use sovereign_core::entropy::Entropy;
use std::sync::OnceLock;

/// The shortest password, in characters.
pub(super) const MIN_CHARS: usize = 10;
/// The longest password, in bytes.
pub(super) const MAX_BYTES: usize = 1024;

/// Hashes and checks passwords with argon2id. Blocks for some tens of milliseconds.
pub(crate) struct Passwords;

impl Passwords {
    /// The PHC string of `password`; `None` when there is no randomness or it cannot be hashed.
    pub(super) fn hash(password: &str, entropy: &dyn Entropy) -> Option<String> {
        let mut salt = [0; 16];
        entropy.fill(&mut salt).ok()?;
        let salt = SaltString::encode_b64(&salt).ok()?;
        let hash = Argon2::default().hash_password(password.as_bytes(), &salt).ok()?;
        Some(hash.to_string())
    }

    /// Whether `password` is the one that `kept` was made of. Without a kept one it takes as long, and
    /// the answer is no: how long it takes says nothing about who has an account.
    pub(super) fn check(password: &str, kept: Option<&str>) -> bool {
        static NOBODY: OnceLock<String> = OnceLock::new();
        let none = || {
            NOBODY.get_or_init(|| {
                let salt = SaltString::encode_b64(&[0; 16]).ok();
                let hash = salt.as_ref().and_then(|salt| {
                    Argon2::default().hash_password(b"nobody's password", salt).ok()
                });
                hash.map(|hash| hash.to_string()).unwrap_or_default()
            })
        };
        let against = kept.unwrap_or_else(|| none());
        let Ok(parsed) = PasswordHash::new(against) else { return false };
        let fits = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
        fits && kept.is_some()
    }
}
