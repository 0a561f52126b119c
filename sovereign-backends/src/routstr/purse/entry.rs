//! What a purse holds, in memory and as the bytes of its file.
use super::super::token::CashuToken;
use super::PurseError;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Names one token of one purse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(u64);

impl std::fmt::Display for TokenId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a token is in its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Holding {
    /// It can be paid with.
    Unspent,
    /// It was sent, or was about to be, and nobody has said yet what became of it.
    Sent {
        /// To this node.
        node: String,
    },
    /// It was sent, or was about to be, and the node knows nothing of it: it may never have arrived.
    /// It is not paid with until its owner [releases](super::Purse::release) it.
    Unclaimed {
        /// The node that was asked.
        node: String,
    },
    /// The node says that it is worth nothing any more.
    Rejected {
        /// By this word.
        code: String,
    },
    /// A node sent it as change, and it cannot be read.
    Unread,
    /// Its owner took it out; it is not paid with any more.
    Withdrawn,
}

/// As it is shown.
impl std::str::FromStr for TokenId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: TokenId,
    pub(super) cash: Cash,
    pub(super) holding: Holding,
}

/// A token, or a text that may be one.
#[derive(Debug, Clone)]
pub(super) enum Cash {
    Token(Arc<CashuToken>),
    Text(SecretString),
}

impl Cash {
    pub(super) fn expose(&self) -> &str {
        match self {
            Self::Token(token) => token.expose(),
            Self::Text(text) => text.expose_secret(),
        }
    }

    pub(super) fn token(&self) -> Option<&Arc<CashuToken>> {
        match self {
            Self::Token(token) => Some(token),
            Self::Text(_) => None,
        }
    }
}

/// All of a purse.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    next: u64,
    pub(super) all: Vec<Entry>,
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    next: u64,
    tokens: Vec<WrittenEntry<'a>>,
}

#[derive(Serialize)]
struct WrittenEntry<'a> {
    id: TokenId,
    token: &'a str,
    #[serde(flatten)]
    holding: &'a Holding,
}

#[derive(Deserialize)]
struct Read {
    version: u32,
    next: u64,
    tokens: Vec<ReadEntry>,
}

#[derive(Deserialize)]
struct ReadEntry {
    id: TokenId,
    token: String,
    #[serde(flatten)]
    holding: Holding,
}

const VERSION: u32 = 1;

impl Entries {
    pub(super) fn push(&mut self, cash: Cash, holding: Holding) -> TokenId {
        self.next = self.next.saturating_add(1);
        let id = TokenId(self.next);
        self.all.push(Entry { id, cash, holding });
        id
    }

    pub(super) fn get(&self, id: TokenId) -> Option<&Entry> {
        self.all.iter().find(|entry| entry.id == id)
    }

    pub(super) fn get_mut(&mut self, id: TokenId) -> Option<&mut Entry> {
        self.all.iter_mut().find(|entry| entry.id == id)
    }

    pub(super) fn with_text(&self, text: &str) -> Option<&Entry> {
        self.all.iter().find(|entry| entry.cash.expose() == text)
    }

    pub(super) fn remove(&mut self, id: TokenId) {
        self.all.retain(|entry| entry.id != id);
    }

    pub(super) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let tokens = self.all.iter().map(|entry| WrittenEntry {
            id: entry.id,
            token: entry.cash.expose(),
            holding: &entry.holding,
        });
        let written = Written { version: VERSION, next: self.next, tokens: tokens.collect() };
        // INVARIANT: numbers and strings under fixed names are always JSON.
        Zeroizing::new(serde_json::to_vec(&written).unwrap_or_default())
    }

    /// # Errors
    /// When these are not the bytes of a purse: nothing of them is used then, and nothing is written.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, PurseError> {
        let damaged = |line| PurseError::Damaged { line };
        let read: Read = serde_json::from_slice(bytes).map_err(|error| damaged(error.line()))?;
        if read.version != VERSION {
            return Err(PurseError::Version { found: read.version });
        }
        let mut entries = Self { next: read.next, all: Vec::new() };
        for ReadEntry { id, token, holding } in read.tokens {
            let cash = match CashuToken::parse(&token) {
                Ok(parsed) => Cash::Token(Arc::new(parsed)),
                Err(_) => Cash::Text(token.into()),
            };
            if entries.get(id).is_some() || id.0 > read.next {
                return Err(damaged(1));
            }
            entries.all.push(Entry { id, cash, holding });
        }
        Ok(entries)
    }
}
