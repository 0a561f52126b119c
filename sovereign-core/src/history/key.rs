use crate::caller::CallerScope;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Names one caller's transcript: made from a [`CallerScope`] and from nothing else (F01).
///
/// An operator's comes from the account, which outlives sessions; a peer's from its id. The kind of
/// scope is part of it, so that an operator and a peer with one name never meet. The file is called
/// by a hash: neither account nor peer can be read from it.
///
/// ```
/// use sovereign_core::caller::CallerScope;
/// use sovereign_core::history::HistoryKey;
/// let key = |scope: CallerScope| HistoryKey::of(&scope);
/// assert_eq!(key(CallerScope::operator("a", "monday")), key(CallerScope::operator("a", "friday")));
/// assert_ne!(key(CallerScope::operator("a", "monday")), key(CallerScope::mesh("a")));
/// ```
///
/// No text becomes a key:
/// ```compile_fail
/// let key: sovereign_core::history::HistoryKey = "a".into();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HistoryKey([u8; 32]);

impl HistoryKey {
    /// The key of this caller's transcript.
    #[must_use]
    pub fn of(scope: &CallerScope) -> Self {
        let who = match scope {
            CallerScope::LocalOperator { principal, session_id: _ } => principal,
            CallerScope::Mesh { peer_id } => peer_id,
        };
        let mut hash = Sha256::new();
        hash.update(b"sovereign transcript 1\0");
        // a kind's word holds no zero byte, so kind and name cannot run into one another
        hash.update(scope.kind().word().as_bytes());
        hash.update([0]);
        hash.update(who.as_bytes());
        Self(hash.finalize().into())
    }

    /// The name of the file, without its directory.
    pub(super) fn file_name(self) -> String {
        format!("{self}.transcript")
    }
}

impl fmt::Display for HistoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for HistoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HistoryKey({self})")
    }
}
