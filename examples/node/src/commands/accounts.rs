use crate::assemble::open_audit;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::serve::{Accounts, AccountsError, FIRST, Role, ServeError};
use crate::signals::Signals;
use crate::terminal::{Tty, note, print};
use sovereign_core::audit::{
    AccountChange, Administrative, AdministrativeRecord, Audit as _, LogError, Record,
};
use sovereign_core::clock::{Clock as _, SystemClock};
use std::fmt::Write as _;
use std::io::{BufRead as _, Read as _};

/// The longest line that is read as a password, in bytes.
const MAX_LINE: u64 = 4096;

/// Sets a password; sessions of the account that a running daemon has end with it.
pub(crate) async fn passwd(data: &DataDir, user: &str, stdin: bool) -> Result<Exit, NodeError> {
    let accounts = match Accounts::open(data.path()) {
        Err(AccountsError::Lost { .. }) if user == FIRST => return anew(data, stdin).await,
        opened => opened.map_err(ServeError::from)?,
    };
    let known = accounts.list().map_err(ServeError::from)?;
    if !known.iter().any(|account| account.user == user) {
        let names: Vec<_> = known.iter().map(|account| account.user.as_str()).collect();
        let what = user.escape_debug();
        return Err(NodeError::Usage(format!(
            "there is no account `{what}`; there is: {}",
            names.join(", ")
        )));
    }
    let password = if stdin { piped()? } else { typed(user).await? };
    let role = known.iter().find(|account| account.user == user).map(|account| account.role);
    recorded(data, role).await?;
    accounts.set_password(user, &password).map_err(ServeError::from)?;
    print(&format!("The password of `{user}` is set.\n")).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// In place of accounts that were lost.
async fn anew(data: &DataDir, stdin: bool) -> Result<Exit, NodeError> {
    note("the accounts are gone: they are made anew, with the operator alone");
    let password = if stdin { piped()? } else { typed(FIRST).await? };
    recorded(data, Some(Role::Operator)).await?;
    Accounts::anew(data.path(), &password).map_err(ServeError::from)?;
    print(&format!("The password of `{FIRST}` is set.\n")).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// Shows who may come in.
pub(crate) fn users(data: &DataDir) -> Result<Exit, NodeError> {
    let accounts = Accounts::open(data.path()).map_err(ServeError::from)?;
    let mut text = String::new();
    for account in accounts.list().map_err(ServeError::from)? {
        let password = if account.password_set { "has a password" } else { "has no password yet" };
        // writing to a String cannot fail
        let _ = writeln!(text, "{:<32} {:<8} {password}", account.user, account.role.word());
    }
    print(&text).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// The log has it first; a daemon that holds the log sees the change by itself, and records it.
async fn recorded(data: &DataDir, role: Option<Role>) -> Result<(), NodeError> {
    let clock = SystemClock::default();
    let audit = match open_audit(data, &clock) {
        Ok(audit) => audit,
        Err(NodeError::Log(LogError::InUse { .. })) => return Ok(()),
        // who is locked out of a node whose log is damaged must still get in to see that
        Err(error) => {
            error.note();
            return Ok(());
        }
    };
    let (change, role) = (AccountChange::PasswordSet, role.map(Role::word));
    let event = Administrative::AccountsChanged { change, role };
    let record = AdministrativeRecord { at: clock.wall(), boot: None, event };
    audit.append(Record::Administrative(record)).map_err(NodeError::NotRecorded)?;
    audit.durable().await.map_err(NodeError::NotRecorded)
}

fn piped() -> Result<String, NodeError> {
    let mut line = String::new();
    let mut input = std::io::stdin().lock().take(MAX_LINE);
    input.read_line(&mut line).map_err(NodeError::System)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Twice, without showing it.
async fn typed(user: &str) -> Result<String, NodeError> {
    let none = || NodeError::Usage("there is no terminal to ask at: use `--stdin`".to_owned());
    let mut tty = Tty::open().ok_or_else(none)?;
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let mut ask = async |prompt: &str| {
        let line = tokio::select! {
            biased;
            _ = signals.next() => Ok(None),
            line = tty.hidden_line(prompt) => line,
        };
        let line = line.map_err(NodeError::System)?;
        let line = line.ok_or_else(|| NodeError::Usage("no password was given".to_owned()))?;
        let text = String::from_utf8(line);
        let text = text.map_err(|_| NodeError::Usage("a password is UTF-8".to_owned()))?;
        Ok::<_, NodeError>(text.trim_end_matches(['\r', '\n']).to_owned())
    };
    let first = ask(&format!("New password of `{user}`: ")).await?;
    if ask("Once more: ").await? != first {
        return Err(NodeError::Usage(
            "that was not the same twice; nothing was changed".to_owned(),
        ));
    }
    Ok(first)
}
