use crate::cli::Purse as Command;
use crate::config::{Config, Pay};
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::signals::Signals;
use crate::terminal::{Tty, json, note, print};
use secrecy::zeroize::Zeroizing;
use serde::Serialize;
use sovereign_backends::Routstr;
use sovereign_backends::routstr::{
    CashuToken, Held, Holding, Payment, Purse, PurseError, Recovered, TokenId,
};
use sovereign_core::display::Prose;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Read as _};
use std::sync::Arc;

/// More than a token may have, and its line end.
const MOST_BYTES: u64 = 64 << 10;

/// What is told of a token: never what it is.
#[derive(Serialize)]
struct Listed {
    token: TokenId,
    #[serde(skip_serializing_if = "Option::is_none")]
    msat: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mint: Option<String>,
    #[serde(flatten)]
    holding: Holding,
}

pub(crate) async fn purse(
    data: &DataDir,
    config: &Config,
    command: Command,
) -> Result<Exit, NodeError> {
    let text = match command {
        Command::List { json: as_json } => {
            let held = Purse::look(&data.purse())?.held();
            if as_json { json(&listed(held)).map_err(NodeError::Output)? } else { shown(&held) }
        }
        Command::Add { stdin } => {
            let given = if stdin { piped()? } else { typed().await? };
            let token = match given {
                Given::Text(bytes) => {
                    // what is not UTF-8 is no token either, and is told so
                    let text = std::str::from_utf8(&bytes).unwrap_or_default();
                    CashuToken::parse(text).map_err(PurseError::from)?
                }
                Given::Stopped(exit) => return Ok(exit),
            };
            let (worth, mint) = (amount(Some(token.amount_msat())), token.mint().to_owned());
            let id = open(data)?.add(token)?;
            format!("token {id}: {worth} of {}, to pay with\n", Prose(&mint))
        }
        Command::Recover => recover(data, config).await?,
        Command::Withdraw { token, stdout } => {
            if !stdout && !io::stdout().is_terminal() {
                let what = "a token is cash, and whoever reads it can spend it: `withdraw` shows it \
                            at a terminal, or with `--stdout` wherever that leads";
                return Err(NodeError::Usage(what.to_owned()));
            }
            let cash = Zeroizing::new(open(data)?.withdraw(token)?);
            print(&format!("{}\n", *cash)).map_err(NodeError::Output)?;
            note(format_args!(
                "token {token} is not paid with any more; once it is spent, `sovereign-node purse \
                 discard {token}` forgets it, and until then `release {token}` takes it back"
            ));
            return Ok(Exit::Answered);
        }
        Command::Release { token } => {
            open(data)?.release(token)?;
            format!("token {token} is paid with again\n")
        }
        Command::Discard { token } => {
            open(data)?.discard(token)?;
            format!("token {token} is forgotten\n")
        }
    };
    print(&text).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

fn open(data: &DataDir) -> Result<Purse, PurseError> {
    Purse::open(&data.purse())
}

async fn recover(data: &DataDir, config: &Config) -> Result<String, NodeError> {
    let paid = config.backends.routstr.as_ref().filter(|paid| paid.pay == Pay::Purse);
    let Some(paid) = paid else {
        let what = "no node is paid from the purse: write `[routstr]` with `purse = true` into the \
                    configuration";
        return Err(NodeError::Usage(what.to_owned()));
    };
    let purse = Arc::new(open(data)?);
    let routstr = Routstr::new(paid.by(Payment::Purse(Arc::clone(&purse))))?;
    let Recovered { settled, pending, unclaimed, rejected, .. } = routstr.recover().await?;
    let mut text = format!("Asked {} about what was sent to it.\n", paid.base_url);
    for (count, what) in [
        (settled, "settled, what is left is in the purse"),
        (pending, "not known yet, ask again later"),
        (unclaimed, "never seen there; `release` pays with it again"),
        (rejected, "worth nothing any more"),
    ] {
        if count > 0 {
            // writing to a String cannot fail
            let _ = writeln!(text, "  {count}: {what}");
        }
    }
    text.push_str(&shown(&purse.held()));
    Ok(text)
}

fn listed(held: Vec<Held>) -> Vec<Listed> {
    let one = |held: Held| {
        let Held { id: token, amount_msat: msat, mint, holding, .. } = held;
        Listed { token, msat, mint, holding }
    };
    held.into_iter().map(one).collect()
}

fn shown(held: &[Held]) -> String {
    if held.is_empty() {
        return "There is nothing in the purse; `sovereign-node purse add` puts a token in.\n"
            .to_owned();
    }
    let mut text = String::new();
    for Held { id, amount_msat, mint, holding, .. } in held {
        let state = match holding {
            Holding::Unspent => "unspent".to_owned(),
            Holding::Sent { node } => format!("sent to {node}; `recover` asks what became of it"),
            Holding::Unclaimed { node } => {
                format!("never seen by {node}; `release {id}` pays with it again")
            }
            Holding::Rejected { code } => {
                format!("worth nothing, the node says ({code}); `discard {id}` forgets it")
            }
            Holding::Unread => {
                format!("came as change and cannot be read; `withdraw {id}` shows it")
            }
            Holding::Withdrawn => format!("withdrawn; `discard {id}` forgets it"),
            _ => "in a state that this program does not know".to_owned(),
        };
        let mint = mint.as_deref().map(|mint| format!(" of {mint}")).unwrap_or_default();
        let line = format!("{id}  {}{mint}: {state}", amount(*amount_msat));
        // writing to a String cannot fail
        let _ = writeln!(text, "{}", Prose(&line));
    }
    let _ = writeln!(text, "To pay with: {}", amount(Some(unspent(held))));
    text
}

/// What can be paid with now.
pub(super) fn unspent(held: &[Held]) -> u64 {
    let unspent = held.iter().filter(|held| held.holding == Holding::Unspent);
    unspent.filter_map(|held| held.amount_msat).fold(0, u64::saturating_add)
}

/// As a person counts it.
pub(super) fn amount(msat: Option<u64>) -> String {
    match msat {
        None => "unknown worth".to_owned(),
        Some(1_000) => "1 sat".to_owned(),
        Some(msat) if msat % 1_000 == 0 => format!("{} sats", msat / 1_000),
        Some(msat) => format!("{msat} msat"),
    }
}

enum Given {
    Text(Zeroizing<Vec<u8>>),
    Stopped(Exit),
}

fn piped() -> Result<Given, NodeError> {
    let mut bytes = Zeroizing::new(Vec::new());
    let read = io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
    read.map_err(NodeError::System)?;
    Ok(Given::Text(bytes))
}

/// Without showing it.
async fn typed() -> Result<Given, NodeError> {
    let none = || NodeError::Usage("there is no terminal to ask at: use `--stdin`".to_owned());
    let mut tty = Tty::open().ok_or_else(none)?;
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let line = tokio::select! {
        biased;
        signal = signals.next() => Err(signal),
        line = tty.hidden_line("The token (nothing of it is shown): ") => Ok(line),
    };
    match line {
        Err(signal) => {
            tty.write("\n").map_err(NodeError::System)?;
            Ok(Given::Stopped(Exit::Stopped(signal)))
        }
        Ok(line) => {
            let line = line.map_err(NodeError::System)?.unwrap_or_default();
            Ok(Given::Text(Zeroizing::new(line)))
        }
    }
}
