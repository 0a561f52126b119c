use super::account::{Account, Known, is_name};
use super::password::{MAX_BYTES, MIN_CHARS};
use super::secret::hex;
use super::{AccountView, Passwords, Role};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sovereign_core::display::Visible;
use sovereign_core::entropy::{Entropy, EntropyError, SystemEntropy};
use sovereign_core::files::{self, FileError};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest file that is read.
const LIMIT: u64 = 256 << 10;
/// The most accounts.
const MAX_ACCOUNTS: usize = 64;
/// The account of a fresh install: the same principal as the one at the terminal.
pub(crate) const FIRST: &str = "operator";

/// The accounts of a node, in a file that only its owner may read; it is read at each ask, so that a
/// password that was reset on the command line counts at once.
///
/// **Shape**, mode 0600: `{"version": 1, "accounts": [{"user", "role", "password"?, "stamp"}]}`.
/// The password is a PHC string of argon2id.
#[derive(Clone)]
pub struct Accounts {
    data: Arc<Path>,
    entropy: Arc<dyn Entropy>,
    parsed: Arc<Mutex<Parsed>>,
}

/// The bytes that were read last, and what they say.
type Parsed = Option<(Vec<u8>, Arc<Content>)>;

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: u8,
    accounts: Vec<Account>,
}

/// Why accounts cannot be read or changed. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountsError {
    /// The file or its directory cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is gone. It is not made anew by itself: whoever came next would be let in.
    #[error(
        "`{}` is missing, though there were accounts: put it back from a backup; `sovereign-node passwd` \
         makes it anew, with the operator alone",
        Visible(&path.to_string_lossy())
    )]
    Lost {
        /// Where it was.
        path: PathBuf,
    },
    /// The file is not what was written.
    #[error("`{}` holds no accounts: {what}", Visible(&path.to_string_lossy()))]
    Content {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The lock beside the file cannot be taken.
    #[error("the accounts cannot be locked")]
    Lock(#[source] io::Error),
    /// There is no such account.
    #[error("there is no account of this name")]
    Unknown,
    /// There is one already.
    #[error("there is an account of this name already")]
    Taken,
    /// The name cannot be one.
    #[error("a name begins with a letter and holds at most 32 of `a` to `z`, digits, `_` and `-`")]
    Name,
    /// The password is too short or too long.
    #[error("a password has at least {MIN_CHARS} characters and at most {MAX_BYTES} bytes")]
    Password,
    /// The last operator would go.
    #[error("the last operator stays an operator")]
    LastOperator,
    /// There are as many as there may be.
    #[error("there are {MAX_ACCOUNTS} accounts, and no more are kept")]
    TooMany,
    /// No random bytes could be had.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

impl std::fmt::Debug for Accounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Accounts").field(&self.path()).finish()
    }
}

impl Accounts {
    /// The accounts of this data directory: `accounts.json` among its secrets, whose directory is made
    /// (0700) when it is missing. At the first use they are one operator without a password; that they
    /// were used is told by `accounts.lock`, which stands outside the secrets.
    ///
    /// # Errors
    /// When the directory or the file is open to others, belongs to somebody else, does not hold
    /// accounts, or is gone.
    pub fn open(data: &Path) -> Result<Self, AccountsError> {
        let accounts = Self::at(data)?;
        if is_missing(&accounts.path()) {
            if !is_missing(&accounts.lock_path()) {
                return Err(AccountsError::Lost { path: accounts.path() });
            }
            accounts.make(None)?;
        }
        accounts.read()?;
        drop(accounts.lock()?);
        Ok(accounts)
    }

    /// In place of lost ones: the operator alone, with this password.
    ///
    /// # Errors
    /// When there are some, or the password cannot be one.
    pub fn anew(data: &Path, password: &str) -> Result<(), AccountsError> {
        let accounts = Self::at(data)?;
        let password = accounts.hashed(password)?;
        accounts.make(Some(password))
    }

    fn at(data: &Path) -> Result<Self, AccountsError> {
        let (entropy, parsed) = (Arc::new(SystemEntropy), Arc::default());
        let accounts = Self { data: data.into(), entropy, parsed };
        files::create_private_dir(data)?;
        files::create_private_dir(&data.join("secrets"))?;
        Ok(accounts)
    }

    fn make(&self, password: Option<String>) -> Result<(), AccountsError> {
        let (stamp, by_hand) = (self.stamp()?, password.is_some());
        let first = Account { user: FIRST.to_owned(), role: Role::Operator, password, stamp };
        let content = Content { version: 1, accounts: vec![first] };
        match files::create_private(&self.path(), &spelled(&content)) {
            // another program was faster
            Err(_) if !by_hand && self.path().exists() => Ok(()),
            made => Ok(made?),
        }
    }

    /// All of them, in the order in which they were made.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn list(&self) -> Result<Vec<AccountView>, AccountsError> {
        Ok(self.read()?.accounts.iter().map(Account::view).collect())
    }

    /// Adds an account with its first password.
    ///
    /// # Errors
    /// When the name or the password cannot be one, the name is taken, or the file cannot be written.
    pub fn add(&self, user: &str, role: Role, password: &str) -> Result<(), AccountsError> {
        if !is_name(user) {
            return Err(AccountsError::Name);
        }
        let password = Some(self.hashed(password)?);
        self.change(|accounts, stamp| {
            if accounts.iter().any(|account| account.user == user) {
                return Err(AccountsError::Taken);
            }
            if accounts.len() >= MAX_ACCOUNTS {
                return Err(AccountsError::TooMany);
            }
            accounts.push(Account { user: user.to_owned(), role, password, stamp });
            Ok(())
        })
    }

    /// Takes an account away; its transcript stays until it is cleared.
    ///
    /// # Errors
    /// When there is none, it is the last operator, or the file cannot be written.
    pub fn remove(&self, user: &str) -> Result<(), AccountsError> {
        self.change(|accounts, _| {
            let before = accounts.len();
            accounts.retain(|account| account.user != user);
            if accounts.len() == before { Err(AccountsError::Unknown) } else { Ok(()) }
        })
    }

    /// Gives an account another role.
    ///
    /// # Errors
    /// When there is none, it is the last operator, or the file cannot be written.
    pub fn set_role(&self, user: &str, role: Role) -> Result<(), AccountsError> {
        self.change(|accounts, stamp| {
            let account = find(accounts, user)?;
            if account.role != role {
                (account.role, account.stamp) = (role, stamp);
            }
            Ok(())
        })
    }

    /// Sets a password. All sessions of the account end with it.
    ///
    /// # Errors
    /// When there is no such account, the password cannot be one, or the file cannot be written.
    pub fn set_password(&self, user: &str, password: &str) -> Result<(), AccountsError> {
        self.set_stamped(user, password, &self.stamp()?)
    }

    /// The same under this stamp, which sessions of the account need from now on.
    pub(crate) fn set_stamped(
        &self,
        user: &str,
        password: &str,
        stamp: &str,
    ) -> Result<(), AccountsError> {
        let password = self.hashed(password)?;
        self.change(|accounts, _| {
            let account = find(accounts, user)?;
            account.password = Some(password);
            stamp.clone_into(&mut account.stamp);
            Ok(())
        })
    }

    /// The account, when this is its password; takes as long when there is no such account.
    pub(crate) fn check(&self, user: &str, password: &str) -> Result<Option<Known>, AccountsError> {
        let content = self.read()?;
        let account = content.accounts.iter().find(|account| account.user == user);
        let kept = account.and_then(|account| account.password.as_deref());
        let fits = Passwords::check(password, kept);
        Ok(account.filter(|_| fits).map(Account::known))
    }

    /// The account as it is now.
    pub(crate) fn now(&self, user: &str) -> Result<Option<Known>, AccountsError> {
        let content = self.read()?;
        Ok(content.accounts.iter().find(|account| account.user == user).map(Account::known))
    }

    /// Whether an account may have this name.
    pub(crate) fn is_name(name: &str) -> bool {
        is_name(name)
    }

    /// What tells one state of all accounts from another.
    pub(crate) fn state(&self) -> Result<Vec<String>, AccountsError> {
        Ok(self.read()?.accounts.iter().map(|account| account.stamp.clone()).collect())
    }

    /// The operator who has to be let in with a one-time token, because no operator has a password.
    pub(crate) fn locked_out(&self) -> Result<Option<String>, AccountsError> {
        let content = self.read()?;
        let mut operators = content.accounts.iter().filter(|a| a.role == Role::Operator);
        if operators.clone().any(|account| account.password.is_some()) {
            return Ok(None);
        }
        Ok(operators.next().map(|account| account.user.clone()))
    }

    fn hashed(&self, password: &str) -> Result<String, AccountsError> {
        if password.chars().count() < MIN_CHARS || password.len() > MAX_BYTES {
            return Err(AccountsError::Password);
        }
        Passwords::hash(password, &*self.entropy).ok_or(AccountsError::Password)
    }

    fn path(&self) -> PathBuf {
        self.data.join("secrets/accounts.json")
    }

    fn lock_path(&self) -> PathBuf {
        self.data.join("accounts.lock")
    }

    pub(crate) fn stamp(&self) -> Result<String, EntropyError> {
        let mut bits = [0; 8];
        self.entropy.fill(&mut bits)?;
        Ok(hex(&bits))
    }

    /// Between programs: the daemon and `passwd` may both be at it.
    fn lock(&self) -> Result<File, AccountsError> {
        let path = self.lock_path();
        match files::create_private(&path, b"") {
            Err(error) if !path.exists() => return Err(error.into()),
            _ => {}
        }
        let file = files::open_private(&path)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|e| AccountsError::Lock(e.into()))?;
        Ok(file)
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<Account>, String) -> Result<T, AccountsError>,
    ) -> Result<T, AccountsError> {
        let _lock = self.lock()?;
        let mut content = (*self.read()?).clone();
        let done = change(&mut content.accounts, self.stamp()?)?;
        if !content.accounts.iter().any(|account| account.role == Role::Operator) {
            return Err(AccountsError::LastOperator);
        }
        files::write_private(&self.path(), &spelled(&content))?;
        Ok(done)
    }

    fn read(&self) -> Result<Arc<Content>, AccountsError> {
        let bytes = files::read_private(&self.path(), LIMIT)?;
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, content)) = &*parsed
            && *from == bytes
        {
            return Ok(Arc::clone(content));
        }
        *parsed = None;
        let wrong = |what: String| AccountsError::Content { path: self.path(), what };
        // the place, not the text: a message of the parser may quote a hash
        let content: Content = serde_json::from_slice(&bytes)
            .map_err(|e| wrong(format!("line {}, column {}", e.line(), e.column())))?;
        let mut names: Vec<_> = content.accounts.iter().map(|a| a.user.as_str()).collect();
        names.sort_unstable();
        if content.version != 1 || names.windows(2).any(|two| two.first() == two.last()) {
            return Err(wrong(
                "it is of another version, or two accounts have one name".to_owned(),
            ));
        }
        let content = Arc::new(content);
        *parsed = Some((bytes, Arc::clone(&content)));
        Ok(content)
    }
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
}

fn find<'a>(accounts: &'a mut [Account], user: &str) -> Result<&'a mut Account, AccountsError> {
    accounts.iter_mut().find(|account| account.user == user).ok_or(AccountsError::Unknown)
}

fn spelled(content: &Content) -> Vec<u8> {
    // INVARIANT: structs of words and numbers
    let mut bytes = serde_json::to_vec_pretty(content).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
#[path = "accounts_tests.rs"]
mod tests;
