//! A purse of Cashu tokens, in a file that only its owner may read.
//!
//! **Owns** what is known of each token. Each change is on the disk before anybody acts on it, so that
//! a token is marked as sent before it is sent, and change is kept before the token it came for is
//! forgotten. A crash leaves a token that is marked and perhaps was not sent; it is never the other way
//! round. **Trusts** nobody: what a node says of a token moves the token, but deletes none unless other
//! cash came for it or its reply was charged all of it.
mod entry;
mod storage;

pub use entry::{Holding, TokenId};

use super::convert::Verdict;
use super::token::{CashuToken, TokenError};
use entry::{Cash, Entries};
use sovereign_core::files::{self, FileError};
use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::{Disk, Looked, Storage};

/// The most tokens that a purse holds.
pub const MAX_TOKENS: usize = 1024;

/// Why a purse did not do something. No token is in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PurseError {
    /// Its directory or its file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process has it open, and a token must not be sent by two.
    #[error("another process has the purse open")]
    InUse,
    /// Its file is none that we wrote.
    #[error("the purse file is damaged at line {line}: it is left as it is, with the tokens in it")]
    Damaged {
        /// The line.
        line: usize,
    },
    /// Its file is of another version of this program.
    #[error("the purse file has version {found}, and only 1 is known")]
    Version {
        /// That version.
        found: u32,
    },
    /// The text is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// It is in there already.
    #[error("token {id} is the same")]
    Known {
        /// That one.
        id: TokenId,
    },
    /// There are enough.
    #[error("the purse holds {MAX_TOKENS} tokens, and no more fit")]
    Full,
    /// There is none of that name.
    #[error("there is no token {id}")]
    Missing {
        /// The name.
        id: TokenId,
    },
    /// What was asked for does not fit the state that it is in.
    #[error("token {id} cannot be {wanted} as it is now")]
    Holding {
        /// The token.
        id: TokenId,
        /// What was asked for.
        wanted: &'static str,
    },
}

/// What is shown of one token; the token itself is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// Its name in this purse.
    pub id: TokenId,
    /// What it says that it is worth; unknown of what cannot be read.
    pub amount_msat: Option<u64>,
    /// The mint that it says it is of.
    pub mint: Option<String>,
    /// Where it is in its life.
    pub holding: Holding,
}

/// Tokens for one process at a time.
///
/// Writing is synchronous and short: a token is on the disk as sent before its request exists.
pub struct Purse {
    storage: Box<dyn Storage>,
    state: Mutex<State>,
    _lock: Option<File>,
}

#[derive(Debug, Default)]
struct State {
    entries: Entries,
    /// Sent by this process, and the answer is still on its way.
    in_flight: HashSet<TokenId>,
}

impl std::fmt::Debug for Purse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Purse").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Why no token was taken.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// None is unspent.
    Empty,
    /// The largest is worth less than the reply may cost.
    TooSmall { largest: u64 },
    /// The smallest that is enough is worth more than may be risked.
    TooLarge { smallest: u64 },
    /// It could not be marked as sent, so it was not.
    Purse(PurseError),
}

/// A token that is marked as sent, on the disk too.
#[derive(Debug)]
pub(super) struct Taken {
    purse: Arc<Purse>,
    pub(super) id: TokenId,
    pub(super) token: Arc<CashuToken>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.purse.state().in_flight.remove(&self.id);
    }
}

impl Purse {
    /// The purse in that directory; a new one when there is none.
    ///
    /// # Errors
    /// When the directory or the file is not private or not readable, when another process has it open,
    /// and when the file is not a purse's: it is left as it is then.
    pub fn open(directory: &Path) -> Result<Self, PurseError> {
        files::create_private_dir(directory)?;
        let lock = lock(directory)?;
        Self::with(Box::new(Disk::open(directory)?), Some(lock))
    }

    /// The same for whoever only looks, also while another process has it open. It holds no lock, so it
    /// changes nothing: no token can be put in, taken out, or paid with.
    ///
    /// # Errors
    /// When the directory or the file is not private or not readable, or the file is not a purse's.
    pub fn look(directory: &Path) -> Result<Self, PurseError> {
        match files::check_private_dir(directory) {
            Ok(()) | Err(FileError::Missing { .. }) => {
                Self::with(Box::new(Looked::at(directory)), None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn with(storage: Box<dyn Storage>, lock: Option<File>) -> Result<Self, PurseError> {
        let entries = match storage.read()? {
            Some(bytes) => Entries::decode(&bytes)?,
            None => Entries::default(),
        };
        let state = State { entries, in_flight: HashSet::new() };
        Ok(Self { storage, state: Mutex::new(state), _lock: lock })
    }

    /// Puts a token in, to pay with.
    ///
    /// # Errors
    /// When it is in there already, no more fit, or it cannot be kept.
    pub fn add(&self, token: CashuToken) -> Result<TokenId, PurseError> {
        let mut state = self.state();
        if let Some(known) = state.entries.with_text(token.expose()) {
            return Err(PurseError::Known { id: known.id });
        }
        if state.entries.all.len() >= MAX_TOKENS {
            return Err(PurseError::Full);
        }
        self.change(&mut state, |entries| {
            Ok(entries.push(Cash::Token(Arc::new(token)), Holding::Unspent))
        })
    }

    /// What is in it, oldest first.
    #[must_use]
    pub fn held(&self) -> Vec<Held> {
        let state = self.state();
        let all = state.entries.all.iter().map(|entry| {
            let token = entry.cash.token();
            Held {
                id: entry.id,
                amount_msat: token.map(|token| token.amount_msat()),
                mint: token.map(|token| token.mint().to_owned()),
                holding: entry.holding.clone(),
            }
        });
        all.collect()
    }

    /// Takes a token out for its owner, who gets its text and may spend it elsewhere; it is not paid
    /// with any more, and stays in the file until it is [discarded](Self::discard).
    ///
    /// # Errors
    /// When there is none of that name, its answer is still on its way, or the change cannot be kept.
    pub fn withdraw(&self, id: TokenId) -> Result<String, PurseError> {
        self.moved(id, "withdrawn", |_| true, Holding::Withdrawn)?;
        let state = self.state();
        let entry = state.entries.get(id).ok_or(PurseError::Missing { id })?;
        Ok(entry.cash.expose().to_owned())
    }

    /// Pays with a token again that its owner knows to be unspent.
    ///
    /// # Errors
    /// When it is not one that was sent or withdrawn, and as [`withdraw`](Self::withdraw).
    pub fn release(&self, id: TokenId) -> Result<(), PurseError> {
        let may = |holding: &Holding| !matches!(holding, Holding::Unread | Holding::Unspent);
        self.moved(id, "released", may, Holding::Unspent)
    }

    /// Forgets a token that was withdrawn or is worth nothing.
    ///
    /// # Errors
    /// When it is neither, and as [`withdraw`](Self::withdraw).
    pub fn discard(&self, id: TokenId) -> Result<(), PurseError> {
        let may =
            |holding: &Holding| matches!(holding, Holding::Withdrawn | Holding::Rejected { .. });
        let mut state = self.state();
        match state.entries.get(id) {
            None => Err(PurseError::Missing { id }),
            Some(entry) if !may(&entry.holding) => {
                Err(PurseError::Holding { id, wanted: "discarded" })
            }
            Some(_) => self.change(&mut state, |entries| {
                entries.remove(id);
                Ok(())
            }),
        }
    }

    /// The smallest unspent token that covers `least` and is worth no more than `most`, marked as sent.
    pub(super) fn take(
        self: &Arc<Self>,
        least: u64,
        most: u64,
        node: &str,
    ) -> Result<Taken, NotTaken> {
        let mut state = self.state();
        let unspent = state.entries.all.iter().filter(|e| e.holding == Holding::Unspent);
        let tokens: Vec<_> =
            unspent.filter_map(|entry| Some((entry.id, Arc::clone(entry.cash.token()?)))).collect();
        let largest = tokens.iter().map(|(_, token)| token.amount_msat()).max();
        let enough = tokens.into_iter().filter(|(_, token)| token.amount_msat() >= least);
        let Some((id, token)) = enough.min_by_key(|(_, token)| token.amount_msat()) else {
            return Err(match largest {
                None => NotTaken::Empty,
                Some(largest) => NotTaken::TooSmall { largest },
            });
        };
        if token.amount_msat() > most {
            return Err(NotTaken::TooLarge { smallest: token.amount_msat() });
        }
        let marked = self.change(&mut state, |entries| {
            let entry = entries.get_mut(id).ok_or(PurseError::Missing { id })?;
            entry.holding = Holding::Sent { node: node.to_owned() };
            Ok(())
        });
        marked.map_err(NotTaken::Purse)?;
        state.in_flight.insert(id);
        drop(state);
        Ok(Taken { purse: Arc::clone(self), id, token })
    }

    /// The tokens whose fate at that node is unknown, but for those whose answer is on its way.
    pub(super) fn unsettled(&self, node: &str) -> Vec<(TokenId, Arc<CashuToken>)> {
        let state = self.state();
        let sent = state.entries.all.iter().filter(|entry| match &entry.holding {
            Holding::Sent { node: to } | Holding::Unclaimed { node: to } => {
                to == node && !state.in_flight.contains(&entry.id)
            }
            _ => false,
        });
        sent.filter_map(|entry| Some((entry.id, Arc::clone(entry.cash.token()?)))).collect()
    }

    /// Whether a token could be paid with, now or after asking for change.
    pub(super) fn may_pay(&self) -> bool {
        let state = self.state();
        let may = |holding: &Holding| matches!(holding, Holding::Unspent | Holding::Sent { .. });
        state.entries.all.iter().any(|entry| may(&entry.holding))
    }

    /// What became of a token that was sent. It holds in memory even when it cannot be kept: the next
    /// change that can be written writes it too, and after a restart the node is asked again.
    pub(super) fn settle(&self, id: TokenId, verdict: Verdict) -> Result<(), PurseError> {
        let mut state = self.state();
        let entries = &mut state.entries;
        let Some(entry) = entries.get_mut(id) else { return Ok(()) };
        let open = matches!(entry.holding, Holding::Sent { .. } | Holding::Unclaimed { .. });
        match verdict {
            Verdict::Unspent if open => entry.holding = Holding::Unspent,
            Verdict::Rejected(code) if open => {
                entry.holding = Holding::Rejected { code: code.to_owned() };
            }
            Verdict::Unknown | Verdict::Unspent | Verdict::Rejected(_) => return Ok(()),
            Verdict::Consumed => entries.remove(id),
            Verdict::Change(tokens) => {
                entries.remove(id);
                for token in tokens {
                    if entries.with_text(token.expose()).is_none() {
                        entries.push(Cash::Token(Arc::new(token)), Holding::Unspent);
                    }
                }
            }
        }
        self.storage.replace(&state.entries.encode()).map_err(Into::into)
    }

    /// The node of a token that was sent says that it never saw it.
    pub(super) fn unclaimed(&self, id: TokenId, node: &str) -> Result<(), PurseError> {
        let was_sent = |holding: &Holding| matches!(holding, Holding::Sent { .. });
        self.moved(id, "unclaimed", was_sent, Holding::Unclaimed { node: node.to_owned() })
    }

    /// Keeps what a node sent as change and nobody can read.
    pub(super) fn keep_unread(&self, text: &str) -> Result<(), PurseError> {
        let mut state = self.state();
        if state.entries.with_text(text).is_some() || state.entries.all.len() >= MAX_TOKENS {
            return Ok(());
        }
        state.entries.push(Cash::Text(text.into()), Holding::Unread);
        self.storage.replace(&state.entries.encode()).map_err(Into::into)
    }

    fn moved(
        &self,
        id: TokenId,
        wanted: &'static str,
        may: impl Fn(&Holding) -> bool,
        to: Holding,
    ) -> Result<(), PurseError> {
        let mut state = self.state();
        let entry = state.entries.get(id).ok_or(PurseError::Missing { id })?;
        if state.in_flight.contains(&id) || !may(&entry.holding) {
            return Err(PurseError::Holding { id, wanted });
        }
        self.change(&mut state, |entries| {
            if let Some(entry) = entries.get_mut(id) {
                entry.holding = to;
            }
            Ok(())
        })
    }

    /// A change that holds only once it is on the disk.
    fn change<T>(
        &self,
        state: &mut State,
        change: impl FnOnce(&mut Entries) -> Result<T, PurseError>,
    ) -> Result<T, PurseError> {
        let mut changed = state.entries.clone();
        let made = change(&mut changed)?;
        self.storage.replace(&changed.encode())?;
        state.entries = changed;
        Ok(made)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one writer's lock; it goes with the process, however that ends.
fn lock(directory: &Path) -> Result<File, PurseError> {
    let path = directory.join("lock");
    let system = |source: io::Error| {
        PurseError::File(FileError::System { doing: "lock", path: path.clone(), source })
    };
    let open = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = open.map_err(system)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PurseError::InUse),
        Err(TryLockError::Error(error)) => Err(system(error)),
    }
}

#[cfg(test)]
pub(super) mod lossy;
#[cfg(test)]
mod tests;
