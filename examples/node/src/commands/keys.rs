use crate::cli::{Key, Keys};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::signals::Signals;
use crate::terminal::{Tty, json, note, print};
use secrecy::zeroize::Zeroizing;
use serde::Serialize;
use sovereign_backends::{ClaudeConfig, KeyError, KeyFile};
use sovereign_core::display::Visible;
use sovereign_core::policy::RemoteInference;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Read as _};

/// More than a key may have, and its line end.
const MOST_BYTES: u64 = 8192;

/// A key that this configuration has a use for.
struct Known {
    name: String,
    file: KeyFile,
    /// Where it lets a turn be sent.
    at: String,
}

/// What is told of a key: never what it is.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    /// `usable`, `missing` or `unusable`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    file: String,
    /// Where it lets a turn be sent.
    at: &'a str,
}

pub(crate) async fn keys(
    data: &DataDir,
    config: &Config,
    command: Keys,
) -> Result<Exit, NodeError> {
    let known = known(data, config)?;
    let text = match command {
        Keys::List { json: as_json } => {
            let listed: Vec<_> = known.iter().map(list).collect();
            if as_json { json(&listed).map_err(NodeError::Output)? } else { shown(&listed) }
        }
        Keys::Set(Key { name }) => {
            let key = find(&known, &name)?;
            let given = match given(&key.name).await? {
                Given::Key(bytes) => bytes,
                Given::Stopped(exit) => return Ok(exit),
            };
            key.file.put(&given)?;
            set(key, data.files().1.remote_inference())
        }
        Keys::Remove(Key { name }) => {
            let key = find(&known, &name)?;
            if key.file.remove()? {
                format!("{}: removed; it counts from the next request on\n", key.name)
            } else {
                format!("{}: there was none\n", key.name)
            }
        }
    };
    print(&text).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// Claude's, whether the configuration speaks of it or not, and those that servers name.
fn known(data: &DataDir, config: &Config) -> Result<Vec<Known>, NodeError> {
    let mut known = Vec::new();
    let usual =
        ClaudeConfig::in_data_dir(data.path()).map_err(|no| NodeError::Config(no.into()))?;
    let claude = config.backends.claude.clone().unwrap_or(usual);
    if let Some(file) = claude.key {
        known.push(Known { name: "claude".to_owned(), file, at: claude.base_url.to_string() });
    }
    for server in &config.backends.openai {
        let Some(file) = server.key.clone() else { continue };
        let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(same) = known.iter_mut().find(|key| key.file == file) {
            let _ = write!(same.at, ", {}", server.base_url);
        } else {
            known.push(Known { name, file, at: server.base_url.to_string() });
        }
    }
    if let Some(paid) = &config.backends.routstr
        && let Some(file) = paid.key()
    {
        let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        known.push(Known { name, file: file.clone(), at: paid.base_url.to_string() });
    }
    Ok(known)
}

fn find<'a>(known: &'a [Known], name: &str) -> Result<&'a Known, NodeError> {
    known.iter().find(|key| key.name == name).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|key| key.name.as_str()).collect();
        // what was typed may be the key itself: it is not repeated
        let names = names.join(", ");
        let what = format!(
            "no backend has a key of that name; there is: {names}. The key itself never stands on \
             the command line"
        );
        NodeError::Usage(what)
    })
}

fn list(key: &Known) -> Listed<'_> {
    let (state, reason) = match (key.file.check(), key.file.is_there()) {
        (Ok(()), _) => ("usable", None),
        (Err(_), false) => ("missing", None),
        (Err(error), true) => ("unusable", Some(error.to_string())),
    };
    let file = key.file.path().to_string_lossy().into_owned();
    Listed { name: &key.name, state, reason, file, at: &key.at }
}

fn shown(listed: &[Listed<'_>]) -> String {
    let mut text = String::new();
    for key in listed {
        // writing to a String cannot fail
        let _ = writeln!(text, "{}: {}", key.name, key.state);
        if let Some(reason) = &key.reason {
            let _ = writeln!(text, "  {reason}");
        }
        if key.state == "missing" {
            let _ =
                writeln!(text, "  `sovereign-node keys set {}` puts one in its place", key.name);
        }
        let _ = writeln!(text, "  for {}", key.at);
    }
    text
}

/// What a key allows, told when it is put in its place.
fn set(key: &Known, remote: RemoteInference) -> String {
    let Known { name, file, at } = key;
    let path = file.path().to_string_lossy();
    let now = match remote {
        RemoteInference::Never => "Policy says never: nothing is sent there until you change that",
        RemoteInference::Ask => "Policy says ask: each turn that would go there asks you first",
        RemoteInference::Always => "Policy says always: turns go there without a question",
    };
    format!(
        "{name}: kept in `{}`, for yourself alone to read\n\
         It lets a turn be sent to {at}: your words, what was said before in the same conversation, \
         and the names of the capabilities that you may use. What is sent there may cost money.\n\
         {now} (`sovereign-node policy remote never|ask|always`).\n",
        Visible(&path)
    )
}

enum Given {
    Key(Zeroizing<Vec<u8>>),
    Stopped(Exit),
}

/// From the terminal without showing it; from standard input when that is no terminal.
async fn given(name: &str) -> Result<Given, NodeError> {
    if !io::stdin().is_terminal() {
        let mut bytes = Zeroizing::new(Vec::new());
        let read = io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
        read.map_err(NodeError::System)?;
        return Ok(Given::Key(bytes));
    }
    let Some(mut tty) = Tty::open() else {
        note("there is no terminal to ask at");
        return Err(KeyError::Malformed.into());
    };
    let mut signals = Signals::listen().map_err(NodeError::System)?;
    let question = format!("The key for {name} (nothing of it is shown): ");
    let line = tokio::select! {
        biased;
        signal = signals.next() => Err(signal),
        line = tty.hidden_line(&question) => Ok(line),
    };
    match line {
        Err(signal) => {
            // what the shell says next begins a line
            drop(tty.write("\n"));
            Ok(Given::Stopped(Exit::Stopped(signal)))
        }
        Ok(line) => {
            let line = line.map_err(NodeError::System)?.unwrap_or_default();
            Ok(Given::Key(Zeroizing::new(line)))
        }
    }
}
