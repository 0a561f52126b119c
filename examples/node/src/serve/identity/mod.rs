//! Who is there: accounts and their passwords, one-time tokens for a login, sessions, and how often
//! somebody may try.
mod account;
mod accounts;
mod login_token;
mod password;
mod secret;
mod session;
mod sessions;
mod throttle;

pub(crate) use account::Known;
pub use account::{AccountView, Role};
pub(crate) use accounts::FIRST;
pub use accounts::{Accounts, AccountsError};
pub(crate) use login_token::LoginTokens;
pub(crate) use password::Passwords;
pub(crate) use secret::Secret;
pub(crate) use session::Session;
pub(crate) use sessions::{Entering, Sessions};
pub(crate) use throttle::Throttle;
