//! What may stand on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use sovereign_backends::BaseUrl;
use sovereign_core::caller::{CallerScope, ScopeKind};
use std::net::IpAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  sovereign-node ask \"how much space is left?\"
  sovereign-node ask --json \"is the machine well?\" | jq .receipts
  sovereign-node chat
  sovereign-node serve
  sovereign-node policy explain web.fetch
  sovereign-node grants add search && sovereign-node policy enable web.fetch
  sovereign-node audit verify

Exit status:
  0  answered, or done
  1  something inside failed; for `audit verify`: the log is damaged or gone
  2  wrong use: command line or configuration
  3  something was proposed and nothing of it ran to its end: refused, denied, expired, out of
     budget, or failed
  4  no backend gave an answer
  129, 130, 143  stopped by a signal (HUP, INT, TERM)

Files, in the data directory: `config.toml` (optional), `grants.json`, `policy.json`, `audit/`,
`history/`, `secrets/`.";

/// Answers questions about this machine: a model proposes, six stages decide, you confirm, the
/// audit log keeps what really ran.
#[derive(Debug, Parser)]
#[command(name = "sovereign-node", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Where everything is kept; without it `$XDG_DATA_HOME/sovereign` or `~/.local/share/sovereign`.
    #[arg(long, global = true, value_name = "DIR", env = "SOVEREIGN_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// The configuration; without it `config.toml` in the data directory, if there is one.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Says on standard error what happens inside, never what is asked or answered; `SOVEREIGN_LOG`
    /// sets how much (`error`, `warn`, `info`, `debug`, `trace`).
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Asks one question and prints the answer, who gave it, and receipts of what ran.
    Ask(Ask),
    /// Talks, question after question; confirmations are asked in between.
    Chat {
        #[command(flatten)]
        model: ModelFlags,
    },
    /// Serves the node to a browser on this machine, until a signal comes.
    Serve(Serve),
    /// Sets the password of an account; also for one that was forgotten.
    Passwd {
        /// Whose.
        #[arg(value_name = "USER", default_value = "operator")]
        user: String,
        /// Takes it from standard input, up to the first line end.
        #[arg(long)]
        stdin: bool,
    },
    /// Shows the accounts of `serve`.
    Users,
    /// Shows what a model may propose here, and what is hidden from it and why.
    Tools {
        /// One JSON array: the catalog as the model's adapter gets it.
        #[arg(long)]
        json: bool,
        /// For whom.
        #[arg(long, value_enum, default_value_t = Scope::Operator)]
        scope: Scope,
    },
    /// Which categories of capabilities a kind of caller holds.
    #[command(subcommand)]
    Grants(Grants),
    /// Which capabilities are switched on on this device.
    #[command(subcommand)]
    Policy(Policy),
    /// Reads the audit log; never writes to it.
    #[command(subcommand)]
    Audit(Audit),
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question, in plain words; several words are one question.
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// Prints exactly one JSON object; everything else goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
}

/// Where to listen.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The port, on `127.0.0.1` and `::1`; 0 takes any.
    #[arg(long, value_name = "PORT", default_value_t = 8420)]
    pub(crate) port: u16,
    /// Another address to listen at. Browsers are answered under the names `127.0.0.1` and `localhost`
    /// all the same: this is for a forwarder (ssh, a container) that ends on this machine.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) listen: IpAddr,
    /// Allows an address that other machines reach, though nothing is encrypted on the way there.
    #[arg(long)]
    pub(crate) allow_unencrypted_network: bool,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
}

/// Flags over the configuration.
#[derive(Debug, Default, Args)]
pub(crate) struct ModelFlags {
    /// Where Ollama listens; anything but loopback is not asked.
    #[arg(long, value_name = "URL")]
    pub(crate) ollama_url: Option<BaseUrl>,
    /// The model that Ollama shall use.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Asks no language model at all: words are matched with the catalog.
    #[arg(long, conflicts_with_all = ["ollama_url", "model"])]
    pub(crate) no_model: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Grants {
    /// Shows what each kind of caller holds.
    List,
    /// Grants a category.
    Add(Grant),
    /// Takes a category away.
    Remove(Grant),
}

#[derive(Debug, Args)]
pub(crate) struct Grant {
    /// `apps`, `system`, `network`, `wallet`, `files`, `media`, `search`, `ai_local`, `notes`,
    /// `bitcoin`, or a plugin's own as `custom:NAME`.
    #[arg(value_name = "CATEGORY")]
    pub(crate) category: String,
    /// Who shall hold it.
    #[arg(long, value_enum, default_value_t = Scope::Operator)]
    pub(crate) scope: Scope,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Shows every capability and whether it is switched on.
    List,
    /// Switches on a capability (`web.fetch`), or everything in a namespace that exists now (`web`).
    Enable(Selection),
    /// Switches off a capability or everything in a namespace that exists now.
    Disable(Selection),
    /// Says whether a caller may use it, which part of the answer comes from where, and which command
    /// would change it.
    Explain {
        #[command(flatten)]
        selection: Selection,
        /// For whom.
        #[arg(long, value_enum, default_value_t = Scope::Operator)]
        scope: Scope,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// A capability's name, or a namespace: the part before a dot, with or without `.*`.
    #[arg(value_name = "CAPABILITY_OR_NAMESPACE")]
    pub(crate) name: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Starts a new log where there is none, because the old one was lost or moved away.
    StartAnew,
    /// Checks the whole log against its chain and its head; exit status 1 when it is damaged.
    Verify,
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

/// A kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// The person at this device.
    Operator,
    /// Peers on a mesh link.
    Mesh,
}

impl Scope {
    pub(crate) const fn kind(self) -> ScopeKind {
        match self {
            Self::Operator => ScopeKind::Operator,
            Self::Mesh => ScopeKind::Mesh,
        }
    }

    /// A caller of this kind: for an operator, the one who sits at this terminal.
    pub(crate) fn caller(self) -> CallerScope {
        match self {
            Self::Operator => CallerScope::operator("operator", "terminal"),
            Self::Mesh => CallerScope::mesh("any"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
