use serde::{Deserialize, Serialize};

/// What an account may do; see the table of methods in `docs/src/reference/rpc.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Looks, and asks the node how it is.
    Viewer,
    /// Everything.
    Operator,
}

impl Role {
    /// The word in files, on the wire and on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
        }
    }
}

/// One account, as anybody may see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AccountView {
    /// Its name, which also names its transcript.
    pub user: String,
    /// What it may do.
    pub role: Role,
    /// Whether it has a password; without one it can only come in with a one-time token.
    pub password_set: bool,
}

/// One account as it is kept. No `Debug`: it holds a password's hash.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) user: String,
    pub(super) role: Role,
    /// PHC string of argon2id; none until somebody sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) password: Option<String>,
    /// Drawn anew at each change of role or password: a session of another stamp is over.
    pub(super) stamp: String,
}

/// An account at one moment: who it is, and the stamp that its sessions need.
pub(crate) struct Known {
    pub(crate) view: AccountView,
    pub(crate) stamp: String,
}

impl Account {
    pub(super) fn known(&self) -> Known {
        Known { view: self.view(), stamp: self.stamp.clone() }
    }

    pub(super) fn view(&self) -> AccountView {
        let password_set = self.password.is_some();
        AccountView { user: self.user.clone(), role: self.role, password_set }
    }
}

/// The longest name of an account.
const MAX_NAME: usize = 32;

/// `[a-z][a-z0-9_-]*`, at most 32 bytes: it goes into file names, logs and pages.
pub(super) fn is_name(name: &str) -> bool {
    let inside = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b);
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(inside)
}
