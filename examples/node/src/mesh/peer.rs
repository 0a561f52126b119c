use serde::{Serialize, Serializer};
use sovereign_core::caller::CallerScope;
use sovereign_core::history::HistoryKey;
use std::fmt;

/// The longest id, in bytes: a public key in hexadecimal digits fits.
const MAX_ID: usize = 64;

/// A peer's id, as the link authenticates it: 1 to 64 visible ASCII characters, compared byte by
/// byte, so that no two ids look alike.
///
/// Its debug form is a hash: a log says that two lines are about one peer, and not about whom.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peer(Box<str>);

/// A text that is no peer's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a peer's id is 1 to {MAX_ID} visible ASCII characters, without spaces")]
pub struct NotAPeer;

impl Peer {
    /// Reads an id.
    ///
    /// # Errors
    /// When it is empty, too long, or holds anything but visible ASCII characters.
    pub fn parse(id: &str) -> Result<Self, NotAPeer> {
        let fits = (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
        if fits { Ok(Self(id.into())) } else { Err(NotAPeer) }
    }

    /// The id.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        &self.0
    }

    /// The peer as a caller.
    pub(super) fn scope(&self) -> CallerScope {
        CallerScope::mesh(self.as_str())
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        HistoryKey::of(&self.scope()).fmt(f)
    }
}

impl Serialize for Peer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
