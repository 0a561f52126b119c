//! What is kept: keys, history, the audit log, and how it goes away.
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const KEYS: &str = "\
Examples:
  sovereign-node keys list
  sovereign-node keys set claude              asks for it at the terminal, and shows nothing of it
  pass show anthropic | sovereign-node keys set claude
  sovereign-node keys remove claude";

pub(super) const HISTORY: &str = "\
Examples:
  sovereign-node history
  sovereign-node history --json | jq '.turns[-1]'
  sovereign-node history clear

Clearing takes away your own transcript and nobody else's. The audit log is another store; it holds no
words of anybody.";

pub(super) const AUDIT: &str = "\
Examples:
  sovereign-node audit tail -n 5
  sovereign-node audit stats
  sovereign-node audit export --head > /media/stick/head.json
  sovereign-node audit verify --head /media/stick/head.json
  sovereign-node audit export > log.jsonl";

pub(super) const RESET: &str = "\
Examples:
  sovereign-node reset
  sovereign-node reset --all --yes

Without `--all` the audit log stays and records the reset, and so does `config.toml`. Nobody else may be
using the data directory meanwhile.";

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Starts a new log where there is none, because the old one was lost or moved away.
    StartAnew,
    /// Checks the whole log against its chain and its head; exit status 1 when it is damaged.
    Verify {
        /// Also against a head that was kept elsewhere, as `audit export --head` wrote it.
        #[arg(long, value_name = "FILE")]
        head: Option<PathBuf>,
    },
    /// Writes the whole log to standard output, checked, one JSON object a line.
    Export {
        /// Only the head: what to keep off this device, so that nobody can rewrite the log unseen.
        #[arg(long)]
        head: bool,
    },
    /// Shows the last records, oldest first.
    Tail {
        /// How many.
        #[arg(short = 'n', long = "lines", value_name = "N", default_value_t = 20)]
        lines: usize,
        /// The records as they are kept, one JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Counts what happened.
    Stats {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Puts a key in its place: from the terminal, or from standard input when that is no terminal.
    Set(Key),
    /// Shows which keys are there, what each is for, and whether it can be used.
    List {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Takes a key away.
    Remove(Key),
}

#[derive(Debug, Args)]
pub(crate) struct Key {
    /// `claude`, or the `key` of an `[[openai]]` server or of `[routstr]` in the configuration.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct History {
    /// One JSON object: the transcript as it is kept.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Clear>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Clear {
    /// Forgets your conversations here, and nobody else's.
    Clear {
        /// Does not ask.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Reset {
    /// Also the audit log and `config.toml`: what is left is as if it had never been used.
    #[arg(long)]
    pub(crate) all: bool,
    /// Does not ask.
    #[arg(long)]
    pub(crate) yes: bool,
}
